// The schema is renamed, the database renamed, moved, copied: by administrators who ask nobody.
#include <gtest/gtest.h>

#include <filesystem>

#include "fault_test.hpp"
#include "wait.hpp"

namespace {

using namespace std::chrono_literals;
using namespace pgcoord::test;
using std::chrono::steady_clock;

using RenamedSchema = FaultTest;

TEST_F(RenamedSchema, field_case_107_calls_fail_cleanly_until_it_has_its_name_again) {
  Connection root = connect();
  Connection leader = member("a");
  Connection heir = member("b");
  Connection dying = member("c");
  Connection writer = connect();
  root.exec("CREATE TABLE written (i int)");
  const std::int64_t token = campaign(leader, "x").token;
  campaign(heir, "x");
  campaign(dying, "y");
  writer.exec("BEGIN; SELECT coord.fence('x', " + std::to_string(token) +
              "); INSERT INTO written VALUES (1)");
  EXPECT_EQ(root.sqlstate_of("ALTER EXTENSION pg_coord SET SCHEMA public"), "0A000");

  root.exec("ALTER SCHEMA coord RENAME TO moved");
  EXPECT_EQ(leader.sqlstate_of("SELECT coord.heartbeat()"), "3F000");
  for (const char* call :
       {"SELECT moved.heartbeat()", "SELECT moved.campaign('x')", "SELECT moved.resign('x')",
        "SELECT moved.try_acquire('z')", "SELECT * FROM moved.leader('x')"})
    EXPECT_NE(leader.sqlstate_of(call).substr(0, 2), "XX") << call;
  EXPECT_EQ(leader.value("SELECT 1"), "1");
  EXPECT_TRUE(terminate(root, dying.backend_pid(), 1s)) << "a session cannot end";
  const std::string end = writer.sqlstate_of("COMMIT");
  EXPECT_TRUE(end == "00000" || end == "PC002") << end;

  root.exec("ALTER SCHEMA moved RENAME TO coord");
  const auto led = heartbeat(leader);
  ASSERT_EQ(led.size(), 1U);
  EXPECT_EQ(led[0].token, token);
  EXPECT_EQ(leader_of(root, "y"), std::nullopt) << "its session has ended";
  EXPECT_EQ(fence_state(writer, "x", token), "00000");
  EXPECT_TRUE(campaign(heir, "y").is_leader);
  EXPECT_TRUE(terminate(root, leader.backend_pid(), 1s));
  EXPECT_EQ(leader_of(root, "x"), "b");
  EXPECT_GT(newest_token(root, "x"), token);
}

class MovedDatabase : public FaultTest {
 protected:
  static void do_quickly(Connection& root, const std::string& statement) {
    const auto begin = steady_clock::now();
    EXPECT_EQ(root.sqlstate_of(statement), "00000") << statement;
    EXPECT_LT(steady_clock::now() - begin, 10s) << statement;
  }
  static std::int64_t lead_and_go(const std::string& name) {
    Connection session = server().connect(name);
    join(session, "a");
    const std::int64_t token = campaign(session, "x").token;
    session.exec("SELECT coord.leave()");
    session.exec("SELECT coord.try_lock('k')");
    return token;
  }
  static void wait_empty(Connection& root, const std::string& name) {
    EXPECT_TRUE(wait_until([&] {
      return root.value("SELECT count(*) FROM pg_stat_activity WHERE datname = $1", {name}) == "0";
    })) << "something of ours is left in "
        << name;
  }
};

TEST_F(MovedDatabase, field_case_100_nothing_holds_it_and_its_tokens_go_on) {
  Connection root = server().connect();
  server().install("before");
  const std::int64_t token = lead_and_go("before");
  wait_empty(root, "before");
  do_quickly(root, "ALTER DATABASE before RENAME TO after");
  EXPECT_EQ(lead_and_go("after"), token + 1) << "another epoch for another name";
  wait_empty(root, "after");
  const auto space = server().folder() / "space";
  std::filesystem::create_directory(space);
  do_quickly(root, "CREATE TABLESPACE elsewhere LOCATION '" + space.string() + "'");
  do_quickly(root, "ALTER DATABASE after SET TABLESPACE elsewhere");
  EXPECT_EQ(lead_and_go("after"), token + 2) << "another epoch for another place";
  wait_empty(root, "after");
  do_quickly(root, "CREATE DATABASE copy TEMPLATE after");
  EXPECT_GT(lead_and_go("copy"), token + 2);
  wait_empty(root, "copy");
  EXPECT_EQ(root.value("SELECT count(*) FROM pg_stat_activity WHERE datname LIKE 'template%'"), "0");
  for (const char* name : {"copy", "after"}) do_quickly(root, "DROP DATABASE " + std::string(name));
  do_quickly(root, "DROP TABLESPACE elsewhere");
}

}  // namespace
