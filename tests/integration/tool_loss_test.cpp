// pgcoord elect: what becomes of the command when leadership, or the tool itself, is lost.
#include <csignal>

#include "integration/tool.hpp"

namespace {

using namespace pgcoord::test;
using testing::HasSubstr;

/// Says who it is, and has a child in its group and one that fled to a session of its own.
const char* const family =
    "echo token=$PGCOORD_TOKEN pid=$$; sleep 1000 & echo child=$!;"
    "(setsid sh -c 'echo daemon=$$; exec sleep 1000' &); wait; wait";

class ToolLoss : public ToolTest {
 protected:
  static void await_family(const Tool& tool) {
    ASSERT_TRUE(says(tool, "daemon="));
    ASSERT_TRUE(says(tool, "child="));
  }
  static void expect_family_gone(const Tool& tool, std::chrono::milliseconds bound) {
    for (const char* label : {"pid=", "child=", "daemon="}) {
      EXPECT_TRUE(gone(number_after(tool, label), bound)) << label;
    }
  }
  static bool alive(const Tool& tool, const char* label) {
    return process_alive(static_cast<pid_t>(number_after(tool, label)));
  }
};

TEST_F(ToolLoss, AKilledToolTakesItsCommandAlongBeforeAnotherStarts) {
  const auto first = elect("a", family);
  await_family(first);
  const auto second = elect("b", family);
  ASSERT_TRUE(queued("b"));
  first->kill(SIGKILL);
  ASSERT_TRUE(says(second, "token=", 1s));
  expect_family_gone(first, 0ms);
  EXPECT_GT(number_after(second, "token="), number_after(first, "token="));
}

TEST_F(ToolLoss, AKilledGuardianDoesNotSetItsChildrenFree) {
  const auto tool = elect("a", std::string("echo guardian=$PPID;") + family);
  await_family(tool);
  ::kill(static_cast<pid_t>(number_after(tool, "guardian=")), SIGKILL);
  EXPECT_EQ(exit_code(tool), 137);
  expect_family_gone(tool, 0ms);
}

TEST_F(ToolLoss, ADroppedConnectionEndsTheCommandAndItLeadsAgain) {
  const auto tool = elect("a", family);
  await_family(tool);
  const long long token = number_after(tool, "token=");
  const long long pid = number_after(tool, "pid=");
  connect().exec("SELECT pg_terminate_backend($1)", {std::to_string(leader_pid())});
  EXPECT_TRUE(gone(pid, 2s));
  ASSERT_TRUE(wait_until([&] { return number_after(tool, "token=") > token; })) << tool->err();
  EXPECT_FALSE(process_alive(static_cast<pid_t>(pid)));
  EXPECT_THAT(tool->err(), HasSubstr("leadership lost"));
}

TEST_F(ToolLoss, OnceEndsWith76) {
  const auto tool = elect("a", family, {"--once", "--quiet"});
  await_family(tool);
  connect().exec("SELECT coord.depose($1)", {election()});
  EXPECT_EQ(exit_code(tool), 76);
  expect_family_gone(tool, 0ms);
  EXPECT_EQ(tool->err(), "");
}

TEST_F(ToolLoss, AnOverlapLetsTheCommandCleanUp) {
  const auto tool = elect("a", "trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
                          {"--once", "--overlap", "1s"});
  ASSERT_TRUE(says(tool, "ready"));
  connect().exec("SELECT pg_terminate_backend($1)", {std::to_string(leader_pid())});
  EXPECT_EQ(exit_code(tool), 76);
  EXPECT_THAT(tool->out(), HasSubstr("cleaned"));
}

// The server's end of the session is stopped, so that heartbeats go unanswered.
TEST_F(ToolLoss, AForeseenLossGivesTheCommandItsGraceBeforeTheTermEnds) {
  const auto tool = elect("a", "trap 'echo told; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
                          {"--once", "--grace", "500ms"});
  ASSERT_TRUE(says(tool, "ready"));
  const int backend = leader_pid();
  server().signal(backend, SIGSTOP);
  EXPECT_TRUE(says(tool, "told", 10s));
  EXPECT_EQ(leader(), "a");  // nobody else can lead yet
  EXPECT_EQ(exit_code(tool), 76);
  server().signal(backend, SIGCONT);
  EXPECT_THAT(tool->err(), HasSubstr("heartbeats are not answered"));
}

TEST_F(ToolLoss, AStoppedToolLosesItsCommandBeforeAnotherLeads) {
  const auto first = elect("a", family);
  await_family(first);
  const long long pid = number_after(first, "pid=");
  const long long token = number_after(first, "token=");
  const auto second = elect("b", "echo token=$PGCOORD_TOKEN; exec sleep 1000");
  ASSERT_TRUE(queued("b"));
  first->kill(SIGSTOP);
  EXPECT_TRUE(gone(pid, 5s));
  EXPECT_EQ(second->out(), "");
  ASSERT_TRUE(says(second, "token="));
  EXPECT_GT(number_after(second, "token="), token);
  expect_family_gone(first, 0ms);
  first->kill(SIGCONT);
  ASSERT_TRUE(queued("a"));  // the loss is not taken for the command's own end
  EXPECT_TRUE(first->running());
  second->kill(SIGTERM);
  EXPECT_TRUE(wait_until([&] { return number_after(first, "token=") > token; }));
}

TEST_F(ToolLoss, SurvivesARestartOfTheServer) {
  const auto tool = elect("a", family);
  await_family(tool);
  const long long token = number_after(tool, "token=");
  server().stop();
  expect_family_gone(tool, 5s);
  EXPECT_TRUE(tool->running());
  server().start();
  ASSERT_TRUE(wait_until([&] { return number_after(tool, "token=") > token; })) << tool->err();
  EXPECT_TRUE(alive(tool, "pid="));
}

TEST_F(ToolLoss, LeavesWithinBoundsWhenTheServerIsGone) {
  Server other;
  other.install();
  const auto tool = run({"elect", election(), "-d", other.conninfo(), "--timeout", "30s", "--", "sh", "-c",
                         "echo ready; exec sleep 1000"});
  ASSERT_TRUE(says(tool, "ready"));
  other.signal(std::stoi(other.connect().value("SELECT leader_pid FROM coord.elections").value_or("0")),
               SIGSTOP);
  tool->kill(SIGTERM);
  EXPECT_EQ(exit_code(tool, 8s), 143);
}

}  // namespace
