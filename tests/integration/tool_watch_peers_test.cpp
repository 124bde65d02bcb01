// pgcoord watch: what becomes of the members.
#include <nlohmann/json.hpp>

#include <csignal>
#include <sstream>

#include "integration/tool.hpp"

namespace {

using namespace pgcoord::test;
using nlohmann::json;
using testing::HasSubstr;

class ToolWatchPeers : public ToolTest {
 protected:
  /// Watching, and past its first look.
  static Tool watch(const Words& words = {}) {
    Connection mark = member("mark of " + election());
    auto tool = look("watch", words);
    EXPECT_TRUE(says(tool, "mark of " + election()));
    return tool;
  }
  static bool tells(const Tool& tool, const std::string& id, const std::string& what,
                    std::chrono::milliseconds bound = 2s) {
    return says(tool, "  member " + id + ": " + what, bound);
  }
  static std::vector<std::string> events_of(const std::string& text, const std::string& id) {
    std::vector<std::string> events;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      const json object = json::parse(line);
      if (object.contains("peer") && object["peer"]["instance_id"] == id) events.push_back(object["event"]);
    }
    return events;
  }
};

TEST_F(ToolWatchPeers, TellsWhatIsThereAndThenWhoComesAndGoes) {
  Connection first = member("p1");
  const auto tool = watch();
  EXPECT_TRUE(tells(tool, "p1", "healthy (current)\n"));
  auto second = std::make_unique<Connection>(member("p2"));
  EXPECT_TRUE(tells(tool, "p2", "joined\n"));
  first.exec("SELECT coord.leave()");
  EXPECT_TRUE(tells(tool, "p1", "left\n"));
  second.reset();
  EXPECT_TRUE(tells(tool, "p2", "stale (session gone)\n"));
  connect().exec("SELECT coord.remove_member('p2')");
  EXPECT_TRUE(tells(tool, "p2", "removed\n"));
}

TEST_F(ToolWatchPeers, TellsNoticesAndTheirEnd) {
  Connection session = member("p3");
  const auto tool = watch();
  session.exec("SELECT coord.announce_shutdown('preemption', '1500 ms')");
  EXPECT_TRUE(tells(tool, "p3", "draining, 1."));
  EXPECT_THAT(tool->out(), HasSubstr(" s left (preemption)\n"));
  EXPECT_TRUE(tells(tool, "p3", "terminated (its time is over)\n", 4s));
  session.exec("SELECT coord.leave()");
  EXPECT_TRUE(tells(tool, "p3", "left\n"));
}

TEST_F(ToolWatchPeers, TellsSilenceAndItsEnd) {
  Connection session = connect();
  session.exec("SELECT coord.join('p4', heartbeat_timeout => '1 s')");
  const auto tool = watch();
  EXPECT_TRUE(tells(tool, "p4", "stale (silent)\n", 10s));
  session.exec("SELECT coord.heartbeat()");
  EXPECT_TRUE(tells(tool, "p4", "healthy again\n"));
}

TEST_F(ToolWatchPeers, LooksIntoEveryGroup) {
  const std::string group(60, 'h');  // whose channels are hashes
  Connection first = member("p5", group);
  const auto tool = watch();
  Connection second = member("p6", group);
  EXPECT_TRUE(tells(tool, "p6 of " + group, "joined\n"));
}

TEST_F(ToolWatchPeers, JsonHasThePeer) {
  const auto tool = watch({"--output", "json"});
  Connection session = member("p7");
  ASSERT_TRUE(says(tool, "\"p7\"", 2s));
  session.exec("SELECT coord.announce_shutdown('graceful', '100 s')");
  ASSERT_TRUE(wait_until([&] { return events_of(tool->out(), "p7").size() == 2; }));
  EXPECT_THAT(events_of(tool->out(), "p7"), testing::ElementsAre("joined", "draining"));
}

TEST_F(ToolWatchPeers, TsvHasOneShapeForLeadersAndMembers) {
  const auto tool = watch({"--output", "tsv"});
  Connection session = member("p8");
  session.exec("SELECT coord.campaign($1)", {election()});
  ASSERT_TRUE(says(tool, "\tp8\thealthy\t") && says(tool, "\telected\t"));
  std::istringstream lines(tool->out());
  for (std::string line; std::getline(lines, line);) {
    EXPECT_EQ(std::count(line.begin(), line.end(), '\t'), 10) << line;
  }
}

TEST_F(ToolWatchPeers, CanTellLeadersOnly) {
  Connection session = member("p9");
  const auto tool = look("watch", {"--no-peers"});
  Connection other = member("p10");
  session.exec("SELECT coord.campaign($1)", {election()});
  ASSERT_TRUE(says(tool, election() + ": p9 leads"));
  EXPECT_THAT(tool->out(), testing::Not(HasSubstr("member p")));
}

TEST_F(ToolWatchPeers, SaysInItsOwnWordsThatTheConnectionIsLost) {
  Connection session = member("p11");
  const auto tool = watch();
  connect().exec("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'pgcoord'");
  ASSERT_TRUE(wait_until([&] { return tool->err().find("connected again\n") != std::string::npos; }));
  EXPECT_EQ(tool->err(),
            "pgcoord: the connection to the server is lost; trying again\npgcoord: connected again\n");
  session.exec("SELECT coord.leave()");
  EXPECT_TRUE(tells(tool, "p11", "left\n"));
}

}  // namespace
