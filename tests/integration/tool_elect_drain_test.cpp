// pgcoord elect, when pgcoord drain asks it to leave.
#include "integration/tool.hpp"

namespace {

using namespace pgcoord::test;
using testing::HasSubstr;

class ToolElectDrain : public ToolTest {
 protected:
  static std::string id(const std::string& suffix = "") { return election() + suffix; }
  static Tool drain(const std::string& instance, const Words& options = {"--wait"}) {
    Words words{instance};
    words.insert(words.end(), options.begin(), options.end());
    return look("drain", words);
  }
};

TEST_F(ToolElectDrain, EndsTheCommandAndHandsOver) {
  const std::string script =
      "trap 'echo told; exit 3' TERM; echo token=$PGCOORD_TOKEN; while :; do sleep 0.01; done";
  const auto first = elect(id(" 1"), script);
  ASSERT_TRUE(says(first, "token="));
  const auto second = elect(id(" 2"), script);
  ASSERT_TRUE(queued(id(" 2")));
  const auto draining = drain(id(" 1"));
  EXPECT_EQ(exit_code(draining, 5s), 0) << draining->err();
  EXPECT_EQ(exit_code(first, 5s), 79);
  EXPECT_THAT(first->out(), HasSubstr("told\n"));
  EXPECT_THAT(first->err(),
              testing::StartsWith("pgcoord: told to leave (maintenance), ending the command\n"));
  ASSERT_TRUE(says(second, "token=", 2s));
  EXPECT_GT(number_after(second, "token="), number_after(first, "token="));
}

TEST_F(ToolElectDrain, LeavesTheQueueWhileWaiting) {
  const auto leading = elect(id(" 1"), "echo ready; exec sleep 1000");
  ASSERT_TRUE(says(leading, "ready"));
  const auto waiting = elect(id(" 2"), "echo started");
  ASSERT_TRUE(queued(id(" 2")));
  EXPECT_EQ(exit_code(drain(id(" 2")), 5s), 0);
  EXPECT_EQ(exit_code(waiting, 5s), 79);
  EXPECT_EQ(waiting->out(), "");
  EXPECT_TRUE(leading->running());
}

TEST_F(ToolElectDrain, TheCommandIsDeadBeforeTheDeadlineWhateverItsGrace) {
  const auto tool = elect(id(), "trap '' TERM; echo pid=$$; while :; do sleep 0.01; done",
                          {"--timeout", "60s", "--grace", "20s"});
  ASSERT_TRUE(says(tool, "pid="));
  EXPECT_EQ(exit_code(drain(id(), {"--timeout", "2s", "--wait"}), 6s), 0);
  EXPECT_EQ(exit_code(tool, 5s), 79);
  EXPECT_TRUE(gone(number_after(tool, "pid="), 0ms));
}

TEST_F(ToolElectDrain, ANotificationAloneIsNotBelieved) {
  const auto tool = elect(id(), "echo ready; exec sleep 1000");
  ASSERT_TRUE(says(tool, "ready"));
  const std::string notice = R"({"instance_id": ")" + id() + R"(", "intent": "maintenance", )" +
                             R"("initiated_at": "2025-01-01T00:00:00+00:00", )" +
                             R"("expected_completion_at": "2025-01-01T00:00:30+00:00"})";
  connect().exec("SELECT pg_notify('__eventsource_coordination.shutdown', $1)", {notice});
  EXPECT_FALSE(tool->wait(1s));
  EXPECT_EQ(leader(), id());
}

TEST_F(ToolElectDrain, ANoticeThatCameDuringAStallIsHeard) {
  const auto tool = elect(id(), "echo ready; exec sleep 1000", {"--timeout", "60s"});
  ASSERT_TRUE(says(tool, "ready"));
  server().signal(leader_pid(), SIGSTOP);
  const auto draining = drain(id(), {"--timeout", "100s"});
  EXPECT_EQ(exit_code(draining), 0) << draining->err();
  server().signal(leader_pid(), SIGCONT);
  EXPECT_EQ(exit_code(tool, 5s), 79);
}

}  // namespace
