// pgcoord elect: the command's life while leadership is not in doubt.
#include <csignal>

#include "integration/tool.hpp"

namespace {

using namespace pgcoord::test;
using testing::HasSubstr;

class ToolElect : public ToolTest {};

TEST_F(ToolElect, GivesTheCommandItsTermAndEndsWithItsStatus) {
  const auto tool = elect("a", "env | grep ^PGCOORD_; exit 7");
  EXPECT_EQ(exit_code(tool), 7);
  EXPECT_THAT(tool->out(), HasSubstr("PGCOORD_ELECTION=" + election() + "\n"));
  EXPECT_THAT(tool->out(), HasSubstr("PGCOORD_INSTANCE=a\n"));
  const long long token = number_after(tool, "PGCOORD_TOKEN=");
  EXPECT_EQ(number_after(tool, "PGCOORD_EPOCH="), token >> 40);
  EXPECT_EQ(number_after(tool, "PGCOORD_TERM="), token & ((1LL << 40) - 1));
  EXPECT_EQ(connect().value("SELECT token FROM coord.elections WHERE election = $1", {election()}),
            std::to_string(token));
  EXPECT_EQ(leader(), std::nullopt);
  EXPECT_EQ(tool->err(), "");
}

TEST_F(ToolElect, TheTokenFencesWhatTheCommandWrites) {
  const auto tool = elect("a", "echo token=$PGCOORD_TOKEN; exec sleep 1000");
  ASSERT_TRUE(says(tool, "token="));
  const std::string token = std::to_string(number_after(tool, "token="));
  EXPECT_NO_THROW(connect().exec("SELECT coord.fence($1, $2)", {election(), token}));
}

TEST_F(ToolElect, TellsTheSignalThatEndedTheCommand) {
  EXPECT_EQ(exit_code(elect("a", "kill -KILL $$")), 137);
}

TEST_F(ToolElect, SaysWhenTheCommandCannotBeRun) {
  const Words start{"elect", election(), "-d", server().conninfo(), "--"};
  const auto run_program = [&](const std::string& name) {
    Words words = start;
    words.push_back(name);
    return run(words);
  };
  const auto missing = run_program("no-such-program");
  EXPECT_EQ(exit_code(missing), 127);
  EXPECT_EQ(missing->err(), "pgcoord: no-such-program: not found\n");
  const auto folder = run_program("/");
  EXPECT_EQ(exit_code(folder), 126);
  EXPECT_EQ(folder->err(), "pgcoord: /: cannot be executed\n");
}

TEST_F(ToolElect, OnlyOneRunsAndTheNextTakesOver) {
  const std::string script = "echo token=$PGCOORD_TOKEN; trap 'exit 3' TERM; while :; do sleep 0.01; done";
  const auto first = elect("a", script);
  ASSERT_TRUE(says(first, "token="));
  const auto second = elect("b", script);
  ASSERT_TRUE(queued("b"));
  EXPECT_EQ(second->out(), "");
  first->kill(SIGTERM);
  EXPECT_EQ(exit_code(first), 3);
  ASSERT_TRUE(says(second, "token=", 1s));
  EXPECT_GT(number_after(second, "token="), number_after(first, "token="));
}

TEST_F(ToolElect, ForwardsSignalsToTheWholeGroup) {
  const auto tool =
      elect("a",
            "sh -c 'trap \"echo inner\" HUP; echo listening; while :; do sleep 0.01; done' &"
            "trap 'echo outer' HUP; trap 'exit 4' USR1; echo ready; while :; do sleep 0.01; done");
  ASSERT_TRUE(says(tool, "ready") && says(tool, "listening"));
  tool->kill(SIGHUP);
  EXPECT_TRUE(says(tool, "inner") && says(tool, "outer"));
  tool->kill(SIGUSR1);
  EXPECT_EQ(exit_code(tool), 4);
}

TEST_F(ToolElect, KillsACommandThatIgnoresTermAfterTheGrace) {
  const auto tool =
      elect("a", "trap '' TERM; echo pid=$$; while :; do sleep 0.01; done", {"--grace", "300ms"});
  ASSERT_TRUE(says(tool, "pid="));
  tool->kill(SIGTERM);
  EXPECT_EQ(exit_code(tool, 3s), 137);
  EXPECT_TRUE(gone(number_after(tool, "pid="), 0ms));
}

TEST_F(ToolElect, ASecondSignalKillsAtOnce) {
  const auto tool = elect("a", "trap 'echo told' INT; echo ready; while :; do sleep 0.01; done",
                          {"--timeout", "60s", "--grace", "20s"});
  ASSERT_TRUE(says(tool, "ready"));
  tool->kill(SIGINT);
  ASSERT_TRUE(says(tool, "told"));
  tool->kill(SIGTERM);
  EXPECT_EQ(exit_code(tool, 5s), 137);
}

TEST_F(ToolElect, WhatTheCommandLeavesBehindEndsBeforeLeadershipMoves) {
  const auto tool =
      elect("a",
            "export MAIN=$$; trap 'exit 9' USR1; sleep 1000 & echo child=$!;"
            "(setsid sh -c 'trap \"\" TERM; echo daemon=$$; kill -USR1 $MAIN; exec sleep 1000' &);"
            "while :; do sleep 0.01; done",
            {"--grace", "200ms"});
  EXPECT_EQ(exit_code(tool, 10s), 9);
  EXPECT_TRUE(gone(number_after(tool, "child="), 0ms));
  EXPECT_TRUE(gone(number_after(tool, "daemon="), 0ms));
}

TEST_F(ToolElect, LeavesTheQueueWhenToldToWhileWaiting) {
  const auto leading = elect("a", "echo ready; exec sleep 1000");
  ASSERT_TRUE(says(leading, "ready"));
  for (const int number : {SIGINT, SIGTERM}) {
    const auto waiting = elect("b", "echo started");
    ASSERT_TRUE(queued("b"));
    waiting->kill(number);
    EXPECT_EQ(exit_code(waiting), 128 + number);
    EXPECT_EQ(waiting->out(), "");
    EXPECT_EQ(connect().value("SELECT count(*) FROM coord.candidates WHERE election = $1", {election()}),
              "0");
  }
}

TEST_F(ToolElect, GivesUpAfterTheWait) {
  const auto leading = elect("a", "echo ready; exec sleep 1000");
  ASSERT_TRUE(says(leading, "ready"));
  const auto waiting = elect("b", "echo started", {"--wait", "300ms"});
  EXPECT_EQ(exit_code(waiting, 10s), 75);
  EXPECT_EQ(waiting->out(), "");
  EXPECT_EQ(waiting->err(), "pgcoord: did not lead in time\n");
}

TEST_F(ToolElect, TheHigherPriorityLeadsNext) {
  auto leading = elect("a", "echo ready; exec sleep 1000");
  ASSERT_TRUE(says(leading, "ready"));
  const auto low = elect("low", "echo ready; exec sleep 1000");
  ASSERT_TRUE(queued("low"));
  const auto high = elect("high", "echo ready; exec sleep 1000", {"--priority", "5"});
  ASSERT_TRUE(queued("high"));
  leading->kill(SIGTERM);
  ASSERT_TRUE(says(high, "ready"));
  EXPECT_EQ(low->out(), "");
}

TEST_F(ToolElect, ANohupStaysANohup) {
  const auto tool =
      std::make_unique<Child>(Words{"nohup", program(), "elect", election(), "-d", server().conninfo(), "--",
                                    "sh", "-c", "echo ready; while :; do sleep 0.01; done"});
  ASSERT_TRUE(says(tool, "ready"));
  tool->kill(SIGHUP);
  tool->kill(SIGTERM);
  EXPECT_EQ(exit_code(tool), 143);  // by TERM, so HUP came to nothing
}

}  // namespace
