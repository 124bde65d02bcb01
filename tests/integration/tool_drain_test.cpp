// pgcoord drain.
#include "integration/tool.hpp"

namespace {

using namespace pgcoord::test;
using testing::HasSubstr;
using testing::MatchesRegex;

class ToolDrain : public ToolTest {
 protected:
  static Value of_peer(const std::string& column, const std::string& id) {
    const Rows rows =
        connect().exec("SELECT " + column + "::text FROM coord.peers WHERE instance_id = $1", {id});
    return rows.empty() ? Value{} : rows[0][0];
  }
  static Tool waiting(const std::string& id, const std::string& timeout) {
    auto tool = look("drain", {id, "--wait", "--timeout", timeout});
    EXPECT_TRUE(says(tool, "\n"));
    return tool;
  }
};

TEST_F(ToolDrain, TellsTheMemberAndPrintsTheDeadline) {
  Connection session = member("d1", "other");
  const std::string printed =
      shown("drain", {"d1", "--group", "other", "--intent", "preemption", "--timeout", "100s"});
  EXPECT_EQ(of_peer("status", "d1"), "draining");
  EXPECT_EQ(of_peer("shutdown_intent", "d1"), "preemption");
  EXPECT_EQ(connect().value(
                "SELECT shutdown_deadline = $1::timestamptz AND shutdown_deadline - shutdown_initiated_at"
                " = '100 s' FROM coord.peers WHERE instance_id = 'd1'",
                {printed.substr(0, printed.size() - 1)}),
            "t");
}

TEST_F(ToolDrain, AMemberThatIsNotThereIs1) {
  const auto tool = look("drain", {"nobody of that name"});
  EXPECT_EQ(exit_code(tool), 1);
  EXPECT_EQ(tool->out(), "");
  EXPECT_THAT(tool->err(), MatchesRegex("pgcoord: [^\n]+\n"));
  Connection session = member("d2", "other");
  EXPECT_EQ(exit_code(look("drain", {"d2"})), 1);
}

TEST_F(ToolDrain, AnotherRolesMemberIs77) {
  Connection admin = connect();
  admin.exec("DROP ROLE IF EXISTS passer_by");
  admin.exec("CREATE ROLE passer_by LOGIN");
  admin.exec("SELECT coord.grant_access('passer_by', 'member')");
  Connection session = member("d3");
  const auto tool = run({"drain", "d3", "-d", server().conninfo() + " user=passer_by"});
  EXPECT_EQ(exit_code(tool), 77);
  EXPECT_EQ(of_peer("status", "d3"), "healthy");
}

TEST_F(ToolDrain, WaitsUntilTheMemberHasLeft) {
  Connection session = member("d4");
  const auto tool = waiting("d4", "100s");
  EXPECT_TRUE(tool->running());
  session.exec("SELECT coord.leave()");
  EXPECT_EQ(exit_code(tool, 3s), 0);
  EXPECT_EQ(tool->err(), "");
}

TEST_F(ToolDrain, WaitsUntilTheSessionHasEnded) {
  auto session = std::make_unique<Connection>(member("d5"));
  const auto tool = waiting("d5", "100s");
  session.reset();
  EXPECT_EQ(exit_code(tool, 3s), 0);
}

TEST_F(ToolDrain, ANewIncarnationMeansThatTheOldOneIsGone) {
  Connection session = member("d6");
  const auto tool = waiting("d6", "100s");
  session.exec("SELECT coord.join('d6')");
  EXPECT_EQ(exit_code(tool, 7s), 0);
}

TEST_F(ToolDrain, WaitsNoLongerThanToTheDeadline) {
  Connection session = member("d7");
  const auto tool = waiting("d7", "700ms");
  EXPECT_EQ(exit_code(tool, 4s), 75);
  EXPECT_EQ(tool->err(), "pgcoord: \"d7\" is still there at its deadline\n");
  EXPECT_EQ(of_peer("status", "d7"), "terminated");
}

TEST_F(ToolDrain, WaitsOnOverALostConnection) {
  Connection session = member("d8");
  const auto tool = waiting("d8", "100s");
  connect().exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pgcoord'");
  session.exec("SELECT coord.leave()");
  EXPECT_EQ(exit_code(tool, 10s), 0) << tool->err();
}

TEST_F(ToolDrain, DoesNotPoll) {
  Connection session = member("d9");
  const auto tool = waiting("d9", "100s");
  const auto is_idle = [] {
    return connect().value(
               "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgcoord'"
               " AND state_change < clock_timestamp() - interval '1 s'") == "1";
  };
  // Its connection is idle for longer than any busy loop would leave it.
  EXPECT_TRUE(wait_until([&] { return is_idle(); }, 8s));
  EXPECT_TRUE(tool->running());
}

TEST_F(ToolDrain, ForgedNotificationsMakeItLookTenTimesASecond) {
  Connection session = member("d10");
  const auto tool = waiting("d10", "100s");
  Connection forger = connect();
  const auto commits = [&] {
    return std::stoll(
        forger.value("SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()").value());
  };
  const auto before = commits();
  constexpr int rings = 300;
  for (int i = 0; i < rings; ++i) {
    forger.exec("SELECT pg_notify('__eventsource_coordination.member', $1)", {std::to_string(i)});
    std::this_thread::sleep_for(10ms);
  }
  ASSERT_TRUE(wait_until([&] {  // sessions report their commits now and then
    std::this_thread::sleep_for(100ms);
    return commits() > before + rings;
  }));
  // One commit for each ring, one when the tool's session takes it in; then the looks.
  EXPECT_LE(commits(), before + 2 * rings + rings / 2) << "as many looks as rings";
  EXPECT_TRUE(tool->running());
}

}  // namespace
