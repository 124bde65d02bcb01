// pgcoord lock: what becomes of the command when the lock, or the tool itself, is lost.
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>

#include "integration/tool_lock.hpp"

namespace {

using namespace pgcoord::test;
using testing::HasSubstr;

class ToolLockLoss : public ToolLockTest {};

TEST_F(ToolLockLoss, AKilledToolTakesItsCommandAlongBeforeAnotherHoldsTheLock) {
  const auto first = family();
  const auto second = lock(checking(first));
  ASSERT_TRUE(queued());
  first->kill(SIGKILL);
  ASSERT_TRUE(says(second, "checked", 2s));
  EXPECT_EQ(second->out(), "checked\n");
}

// The guardian is stopped, so that it cannot just have been quick. The kernel would continue it if its parent
// left it to a stranger, so we adopt it.
TEST_F(ToolLockLoss, TheLockOfAKilledToolIsHeldUntilItsGuardianHasDoneItsWork) {
  const auto first = lock(std::string("echo guardian=$PPID;") + lock_family);
  ASSERT_TRUE(says(first, "daemon=") && says(first, "child="));
  const auto guardian = static_cast<pid_t>(number_after(first, "guardian="));
  const auto second = lock(checking(first));
  ASSERT_TRUE(queued());
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  ::kill(guardian, SIGSTOP);
  first->kill(SIGKILL);
  EXPECT_FALSE(wait_until([] { return waiters() == 0; }, 1s));
  ::kill(guardian, SIGCONT);
  EXPECT_TRUE(says(second, "checked", 2s));
  EXPECT_EQ(second->out(), "checked\n");
  EXPECT_TRUE(wait_until([&] { return waitpid(guardian, nullptr, WNOHANG) == guardian; }));
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

TEST_F(ToolLockLoss, AnEndedSessionKillsTheCommand) {
  const auto tool = family();
  terminate_backend();
  EXPECT_EQ(exit_code(tool, 5s), 76);
  expect_family_gone(tool);
  EXPECT_THAT(tool->err(), HasSubstr("is lost"));
}

TEST_F(ToolLockLoss, AnOverlapLetsTheCommandCleanUp) {
  const auto tool = lock("trap 'echo cleaned; exit 0' TERM; echo ready; while :; do sleep 0.01; done",
                         {"--overlap", "5s", "--quiet"});
  ASSERT_TRUE(says(tool, "ready"));
  terminate_backend();
  EXPECT_EQ(exit_code(tool, 4s), 76);
  EXPECT_THAT(tool->out(), HasSubstr("cleaned"));
  EXPECT_THAT(tool->err(), testing::Not(HasSubstr("pgcoord")));
}

TEST_F(ToolLockLoss, AStoppedToolKeepsTheLockAndStillLosesItsCommandWithIt) {
  const auto tool = family();
  tool->kill(SIGSTOP);
  EXPECT_EQ(holders(), 1);
  terminate_backend();
  expect_family_gone(tool, 5s);
  tool->kill(SIGCONT);
  EXPECT_EQ(exit_code(tool), 76);
}

TEST_F(ToolLockLoss, AWaiterOutlivesARestartOfTheServer) {
  const auto first = holder();
  const auto waiting = lock("echo started");
  ASSERT_TRUE(queued());
  server().stop();
  EXPECT_EQ(exit_code(first, 5s), 76);
  EXPECT_TRUE(waiting->running());
  server().start();
  EXPECT_EQ(exit_code(waiting), 0);
  EXPECT_EQ(waiting->out(), "started\n");
  EXPECT_THAT(waiting->err(), HasSubstr("; trying again\n"));
}

TEST_F(ToolLockLoss, AWaiterOfAServerThatStaysAwayGivesUpWhenItsWaitIsOver) {
  Server other;
  other.install();
  auto session = other.connect();
  session.exec("SELECT coord.try_lock('k')");
  const auto waiting = run({"lock", "--wait", "4s", "k", "-d", other.conninfo(), "--", "echo", "started"});
  ASSERT_TRUE(wait_until(
      [&] { return other.connect().value("SELECT waiters FROM coord.locks WHERE key = 'k'") == "1"; }));
  other.stop(Server::Mode::immediate);
  EXPECT_EQ(exit_code(waiting, 10s), 69);
  EXPECT_EQ(waiting->out(), "");
}

// The server's end of the session is stopped, so that nobody can say whether the lock was held to the end.
TEST_F(ToolLockLoss, LeavesWithinBoundsWhenTheServerIsSilent) {
  const auto tool = holder();
  const int silent = backend();
  server().signal(silent, SIGSTOP);
  tool->kill(SIGTERM);
  EXPECT_EQ(exit_code(tool, 9s), 76);
  server().signal(silent, SIGCONT);
  EXPECT_TRUE(wait_until([] { return holders() == 0; }));
  EXPECT_THAT(tool->err(), HasSubstr("is lost; the command ended with status 143"));
}

}  // namespace
