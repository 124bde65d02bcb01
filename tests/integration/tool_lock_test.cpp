// pgcoord lock: the command's life while the lock is not in doubt.
#include "integration/tool_lock.hpp"

#include <csignal>

namespace {

using namespace pgcoord::test;
using testing::HasSubstr;

class ToolLock : public ToolLockTest {};

TEST_F(ToolLock, GivesTheCommandItsLockAndEndsWithItsStatus) {
  const auto tool = lock("env | grep ^PGCOORD_LOCK; exit 7");
  EXPECT_EQ(exit_code(tool), 7);
  EXPECT_EQ(holders(), 0);
  EXPECT_THAT(tool->out(), HasSubstr("PGCOORD_LOCK=" + key() + "\n"));
  EXPECT_EQ(std::to_string(number_after(tool, "PGCOORD_LOCK_ID=")),
            connect().value("SELECT coord.lock_key($1)", {key()}));
  EXPECT_EQ(tool->err(), "");
}

TEST_F(ToolLock, TheLockIsHeldWhileTheCommandRuns) {
  const auto tool = holder();
  EXPECT_EQ(holders(), 1);
  EXPECT_EQ(connect().value("SELECT coord.try_lock($1)", {key()}), "f");
  tool->kill(SIGTERM);
  EXPECT_EQ(exit_code(tool), 143);
  EXPECT_EQ(holders(), 0);
}

TEST_F(ToolLock, SaysWhenTheCommandCannotBeRun) {
  const auto missing = run({"lock", key(), "-d", server().conninfo(), "--", "no-such-program"});
  EXPECT_EQ(exit_code(missing), 127);
  const auto folder = run({"lock", key(), "-d", server().conninfo(), "--", "/"});
  EXPECT_EQ(exit_code(folder), 126);
  EXPECT_EQ(holders(), 0);
}

TEST_F(ToolLock, GivesUpAfterTheWait) {
  const auto first = holder();
  for (const Words& options : {Words{"--wait", "300ms"}, Words{"--no-wait"}, Words{"--wait", "0"}}) {
    const auto tool = lock("echo started", options);
    EXPECT_EQ(exit_code(tool, 10s), 75) << options.back();
    EXPECT_EQ(waiters(), 0);
    EXPECT_EQ(tool->out(), "");
    EXPECT_EQ(tool->err(), "pgcoord: lock \"" + key() + "\" is held by somebody else\n");
  }
  const auto silent = lock("true", {"-n", "-q"});
  EXPECT_EQ(exit_code(silent), 75);
  EXPECT_EQ(silent->err(), "");
}

TEST_F(ToolLock, TheNextOneRunsWhenTheLockIsGivenBack) {
  const auto first = holder();
  const auto second = lock("echo started", {"--wait", "1h"});
  ASSERT_TRUE(queued());
  first->kill(SIGTERM);
  EXPECT_TRUE(says(second, "started"));
  EXPECT_EQ(exit_code(second), 0);
}

TEST_F(ToolLock, ForwardsTermToGrandchildren) {
  const auto tool = lock(
      "trap 'wait; exit 4' TERM;"
      "sh -c 'sh -c \"trap \\\"echo told; exit 0\\\" TERM; echo listening; while :; do sleep 0.01; done\" & "
      "wait' &"
      "wait");
  ASSERT_TRUE(says(tool, "listening"));
  tool->kill(SIGTERM);
  EXPECT_TRUE(says(tool, "told"));
  EXPECT_EQ(exit_code(tool), 4);
}

TEST_F(ToolLock, WhatFledFromTheCommandEndsBeforeTheLockIsGivenBack) {
  const auto tool = family({"--grace", "200ms"});
  const auto next = lock(checking(tool));
  ASSERT_TRUE(queued());
  tool->kill(SIGTERM);
  EXPECT_EQ(exit_code(next), 0);
  EXPECT_EQ(next->out(), "checked\n");
  EXPECT_EQ(exit_code(tool), 143);
}

TEST_F(ToolLock, ADaemonThatTheCommandLeavesEndsBeforeTheLockIsGivenBack) {
  const auto tool = lock(
      "(setsid sh -c 'trap \"\" TERM; echo daemon=$$; while :; do sleep 0.01; done' &);"
      "trap 'exit 9' USR1; echo pid=$$ child=$$; while :; do sleep 0.01; done",
      {"--grace", "300ms"});
  ASSERT_TRUE(says(tool, "daemon=") && says(tool, "child="));
  const auto next = lock(checking(tool));
  ASSERT_TRUE(queued());
  tool->kill(SIGUSR1);
  EXPECT_EQ(exit_code(next), 0);
  EXPECT_EQ(next->out(), "checked\n");
  EXPECT_EQ(exit_code(tool), 9);
}

TEST_F(ToolLock, ASignalWhileWaitingLeavesTheQueue) {
  const auto first = holder();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    const auto tool = lock("echo started");
    ASSERT_TRUE(queued());
    tool->kill(number);
    EXPECT_EQ(exit_code(tool, 3s), 128 + number);
    EXPECT_EQ(waiters(), 0);  // by then: cancelled, not found out
    EXPECT_EQ(tool->out(), "");
  }
  EXPECT_TRUE(wait_until([] { return sessions() == 1; }));
}

TEST_F(ToolLock, AKilledWaiterLeavesTheQueueSoon) {
  const auto first = holder();
  const auto tool = lock("echo started");
  ASSERT_TRUE(queued());
  tool->kill(SIGKILL);
  EXPECT_TRUE(wait_until([] { return waiters() == 0; }, 5s));
}

TEST_F(ToolLock, ASecondSignalKillsAtOnce) {
  const auto tool =
      lock("trap 'echo told' INT; echo ready; while :; do sleep 0.01; done", {"--grace", "60s"});
  ASSERT_TRUE(says(tool, "ready"));
  tool->kill(SIGINT);
  ASSERT_TRUE(says(tool, "told"));
  EXPECT_EQ(holders(), 1);
  tool->kill(SIGTERM);
  EXPECT_EQ(exit_code(tool, 5s), 137);
}

TEST_F(ToolLock, TwoLocksNest) {
  const auto tool = run({"lock", key(), "-d", server().conninfo(), "--", program(), "lock", "inner", "-d",
                         server().conninfo(), "--", "sh", "-c",
                         "echo lock=$PGCOORD_LOCK; trap 'exit 5' TERM; while :; do sleep 0.01; done"});
  ASSERT_TRUE(says(tool, "lock=inner\n"));
  EXPECT_EQ(holders(), 1);
  EXPECT_EQ(connect().value("SELECT count(*) FROM coord.locks WHERE key = 'inner'"), "1");
  tool->kill(SIGTERM);
  EXPECT_EQ(exit_code(tool), 5);
  EXPECT_EQ(connect().value("SELECT count(*) FROM coord.locks"), "0");
}

TEST_F(ToolLock, TheSameLockInsideItselfIsHeldBySomebodyElse) {
  const auto tool = run({"lock", key(), "-d", server().conninfo(), "--", program(), "lock", "--wait", "200ms",
                         key(), "-d", server().conninfo(), "--", "echo", "started"});
  EXPECT_EQ(exit_code(tool), 75);
  EXPECT_EQ(tool->out(), "");
}

}  // namespace
