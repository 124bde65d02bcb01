#include "unit/tool_supervisor.hpp"

namespace {

using namespace pgcoord;
using namespace pgcoord::tool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string forwarded(int number) { return "signal " + std::to_string(number); }

TEST_F(ToolSupervisor, ForwardsSignalsToTheCommand) {
  run_under(1);
  for (const int number : {SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    signal(number);
    EXPECT_THAT(orders(), ElementsAre(forwarded(number)));
  }
  EXPECT_TRUE(go(1).has_command());
}

TEST_F(ToolSupervisor, TermHasAGraceAndThenTheCommandsStatus) {
  run_under(1);
  go(1);
  signal(SIGTERM);
  EXPECT_THAT(orders(), ElementsAre(forwarded(SIGTERM), "kill 6"));
  go(3);
  end(5);
  EXPECT_THAT(orders(), ElementsAre("exit 5"));
}

TEST_F(ToolSupervisor, ASecondOneKillsAtOnce) {
  run_under(1);
  signal(SIGINT);
  EXPECT_THAT(orders(), ElementsAre(forwarded(SIGINT), "kill 5"));
  go(1);
  signal(SIGTERM);
  EXPECT_THAT(orders(), ElementsAre("kill 1"));
  end(137);
  EXPECT_THAT(orders(), ElementsAre("exit 137"));
}

TEST_F(ToolSupervisor, TheGraceOfALeavingLeaderEndsBeforeItsTermDoes) {
  run_under(1);
  go(9.2);
  signal(SIGTERM);
  EXPECT_THAT(orders(), ElementsAre(forwarded(SIGTERM), "kill 14.2"));
  seconds_ = 0;
  make(default_plan());
  run_under(1);
  seconds_ = 9.5;
  signal(SIGTERM);
  EXPECT_THAT(orders(), ElementsAre(forwarded(SIGTERM)));  // the kill at 14.25 stands
  renew(1);
  EXPECT_THAT(orders(), ElementsAre("kill 14.5"));
}

TEST_F(ToolSupervisor, TermWhileALostCommandIsEndedMeansLeave) {
  ElectPlan plan = default_plan();
  plan.overlap = 3s;
  plan.once = true;
  make(plan);
  run_under(1);
  lose(1);
  orders();
  go(1);
  signal(SIGTERM);
  EXPECT_THAT(orders(), ElementsAre(forwarded(SIGTERM)));  // the kill at 3 stands
  end(143);
  EXPECT_THAT(orders(), ElementsAre("exit 143"));
}

TEST_F(ToolSupervisor, LosingTheTermWhileLeavingStillLeaves) {
  run_under(1);
  signal(SIGTERM);
  orders();
  go(1);
  lose(1);
  EXPECT_THAT(orders(), ElementsAre("kill 1"));
  end(137);
  EXPECT_THAT(orders(), ElementsAre("exit 137"));
}

TEST_F(ToolSupervisor, ASignalWhileWaitingLeavesAndNothingIsStartedAfter) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    make(default_plan());
    go(1).joined();
    signal(number);
    EXPECT_THAT(orders(), ElementsAre("exit " + std::to_string(128 + number)));
    renew(1);
    EXPECT_THAT(orders(), IsEmpty());
  }
}

TEST_F(ToolSupervisor, UserSignalsDoNothingWhileWaiting) {
  signal(SIGUSR1);
  signal(SIGUSR2);
  EXPECT_THAT(orders(), IsEmpty());
}

TEST_F(ToolSupervisor, GivesUpWaitingWith75) {
  ElectPlan plan = default_plan();
  plan.wait = 3s;
  make(plan);
  go(1).joined();
  EXPECT_EQ(go(2.9).deadline(), at(3));
  EXPECT_THAT(orders(), IsEmpty());
  go(3);
  EXPECT_THAT(orders(), ElementsAre("exit 75"));
}

TEST_F(ToolSupervisor, SaysWhatWasWrongWhenTheWaitIsOver) {
  ElectPlan plan = default_plan();
  plan.wait = 3s;
  make(plan);
  go(1).joined();
  go(2);
  supervisor_->trouble({"08006", "the server is gone", "", ""}, now());
  orders();
  go(3);
  EXPECT_THAT(orders(), ElementsAre("exit 75"));
  EXPECT_THAT(notes_, testing::Contains("did not lead in time: the server is gone"));
  notes_.clear();
  make(plan);
  go(4).joined();
  go(7);
  orders();
  EXPECT_THAT(notes_, ElementsAre("did not lead in time"));
}

TEST_F(ToolSupervisor, TheWaitIsOverOnceItHasLed) {
  ElectPlan plan = default_plan();
  plan.wait = 3s;
  make(plan);
  run_under(1);
  lose(1);
  end(137);
  orders();
  go(100);
  EXPECT_THAT(orders(), IsEmpty());
}

TEST_F(ToolSupervisor, EndsWith69IfItNeverJoined) {
  trouble("08001", "nobody answers");
  EXPECT_THAT(orders(), IsEmpty());
  EXPECT_EQ(go(9.9).deadline(), at(10));
  go(10);
  EXPECT_THAT(orders(), ElementsAre("exit 69"));
  EXPECT_THAT(notes_, ElementsAre("could not join in time: nobody answers"));
}

TEST_F(ToolSupervisor, OnceItHasJoinedItTriesForEverAndSaysSoOnce) {
  go(1).joined();
  trouble("08006", "gone");
  trouble("08001", "nobody answers");
  trouble("28P01", "wrong password");
  go(10'000);
  EXPECT_THAT(orders(), IsEmpty());
  EXPECT_THAT(notes_, ElementsAre("gone; trying again"));
  supervisor_->joined();
  trouble("08006", "gone again");
  orders();
  EXPECT_THAT(notes_, ElementsAre("gone; trying again", "gone again; trying again"));
}

TEST_F(ToolSupervisor, OnceDoesNotPromiseToTryAgainWhatItWillNot) {
  ElectPlan plan = default_plan();
  plan.once = true;
  make(plan);
  run_under(1);
  trouble("08006", "gone");
  orders();
  EXPECT_THAT(notes_, ElementsAre("gone"));
}

TEST_F(ToolSupervisor, DoesNotTryAgainWhatCannotWork) {
  const std::vector<std::pair<const char*, std::string>> cases{
      {"42501", "exit 77"}, {"22023", "exit 64"}, {"28P01", "exit 69"}, {"3F000", "exit 69"}};
  for (const auto& [sqlstate, exit] : cases) {
    make(default_plan());
    trouble(sqlstate);
    EXPECT_THAT(orders(), ElementsAre(exit)) << sqlstate;
  }
}

TEST_F(ToolSupervisor, LosesItsRightsWhileWaiting) {
  go(1).joined();
  trouble("42501", "permission denied");
  EXPECT_THAT(orders(), ElementsAre("exit 77"));
  EXPECT_THAT(notes_, ElementsAre("permission denied"));
}

TEST_F(ToolSupervisor, ARunningCommandIsNotEndedByTrouble) {
  run_under(1);
  trouble("42501");
  trouble("55P03");
  EXPECT_THAT(orders(), IsEmpty());
  EXPECT_TRUE(go(1).has_command());
}

}  // namespace
