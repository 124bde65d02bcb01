// What `pgcoord lock` decides, without processes, connections and clocks.
#include "unit/tool_lock_supervisor.hpp"

namespace {

using namespace pgcoord;
using namespace pgcoord::tool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(ToolLockSupervisor, AFreeLockIsTakenAndGivenBack) {
  run();
  EXPECT_FALSE(supervisor_->deadline());
  end(7);
  EXPECT_THAT(orders(), ElementsAre("give back"));
  supervisor_->given_back(true);
  EXPECT_THAT(orders(), ElementsAre("exit 7"));
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(ToolLockSupervisor, AHeldLockIsWaitedForAsLongAsItTakes) {
  contended();
  EXPECT_THAT(orders(), ElementsAre("wait"));
  go(100'000);
  EXPECT_THAT(orders(), IsEmpty());
  run();
}

TEST_F(ToolLockSupervisor, TheWaitCountsFromTheStart) {
  make(lock_plan(5s));
  go(1.5);
  contended();
  EXPECT_THAT(orders(), ElementsAre("wait 3.5"));
  go(5);
  contended();
  EXPECT_THAT(orders(), ElementsAre("exit 75"));
  EXPECT_THAT(notes_, ElementsAre("lock \"k\" is held by somebody else"));
}

TEST_F(ToolLockSupervisor, WithoutAWaitThereIsOneAttempt) {
  make(lock_plan(0s));
  go(4);  // to connect is not to wait
  EXPECT_THAT(orders(), IsEmpty());
  contended();
  EXPECT_THAT(orders(), ElementsAre("exit 75"));
  make(lock_plan(0s));
  trouble("08001");
  EXPECT_THAT(orders(), ElementsAre("exit 69"));
  make(lock_plan(0s));
  run();
}

TEST_F(ToolLockSupervisor, AWaitThatTheServerCancelsIsNotBegunAgain) {
  contended();
  orders();
  contended("57014");
  EXPECT_THAT(orders(), ElementsAre("exit 75"));
  EXPECT_THAT(notes_, ElementsAre("canceling statement"));
}

TEST_F(ToolLockSupervisor, AServerThatIsNotUpYetIsTriedAgainUntilTheTimeToConnectIsOver) {
  int tries = 0;
  while (supervisor_->deadline()) {
    trouble("08001", "refused");
    go_to_deadline();
    const auto told = orders();
    if (told != std::vector<std::string>{"try"}) {
      EXPECT_THAT(told, ElementsAre("exit 69"));
      break;
    }
    ++tries;
  }
  EXPECT_NEAR(seconds_, 10, 0.001);
  EXPECT_GE(tries, 5);
  EXPECT_LE(tries, 15);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("refused")));
}

TEST_F(ToolLockSupervisor, AServerThatSaysNothingIsGivenUp) {
  go_to_deadline();
  EXPECT_NEAR(seconds_, 10, 0.001);
  EXPECT_THAT(orders(), ElementsAre("exit 69"));
}

TEST_F(ToolLockSupervisor, AShorterWaitAlsoBoundsTheRetries) {
  make(lock_plan(1s));
  trouble("08001");
  for (int i = 0; i < 20 && seconds_ < 1; ++i) {
    go_to_deadline();
    if (seconds_ < 1) trouble("08001");
  }
  EXPECT_NEAR(seconds_, 1, 0.001);
  EXPECT_THAT(orders(), testing::Contains("exit 69"));
}

TEST_F(ToolLockSupervisor, AConnectionThatBreaksInTheQueueIsMadeAgainForAsLongAsItTakes) {
  contended();
  orders();
  go(20);
  trouble("57P01", "terminating connection");
  for (int i = 0; i < 100; ++i) {
    go_to_deadline();
    EXPECT_THAT(orders(), ElementsAre("try"));
    trouble("08001", "refused");
  }
  EXPECT_GT(seconds_, 100);
  EXPECT_LT(seconds_, 230);  // at most 2 s between two
  EXPECT_THAT(notes_, ElementsAre("terminating connection; trying again"));
  go_to_deadline();
  orders();
  contended();
  EXPECT_THAT(orders(), ElementsAre("wait"));
}

TEST_F(ToolLockSupervisor, WhatNoWaitingMendsEndsItAtOnce) {
  const std::vector<std::pair<const char*, int>> cases{{"42501", 77}, {"28P01", 69}, {"3D000", 69},
                                                       {"42883", 69}, {"PC004", 69}, {"22023", 64}};
  for (const auto& [sqlstate, code] : cases) {
    make(lock_plan());
    trouble(sqlstate, sqlstate);
    EXPECT_THAT(orders(), ElementsAre("exit " + std::to_string(code))) << sqlstate;
    EXPECT_EQ(notes_.back(), sqlstate);
  }
}

TEST_F(ToolLockSupervisor, AStandbyMayYetBePromoted) {
  trouble("25006");
  EXPECT_THAT(orders(), IsEmpty());
  go_to_deadline();
  EXPECT_THAT(orders(), ElementsAre("try"));
}

TEST_F(ToolLockSupervisor, ASignalWhileWaitingEndsIt) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
    make(lock_plan());
    contended();
    orders();
    signal(SIGUSR1);
    EXPECT_THAT(orders(), IsEmpty());
    signal(number);
    EXPECT_THAT(orders(), ElementsAre("exit " + std::to_string(128 + number)));
    supervisor_->granted();
    EXPECT_THAT(orders(), IsEmpty());
  }
}

TEST_F(ToolLockSupervisor, ALostLockKillsTheCommandAtOnce) {
  run();
  go(3);
  lose();
  EXPECT_THAT(orders(), ElementsAre("kill 3"));
  end(137);
  EXPECT_THAT(orders(), ElementsAre("exit 76"));
  EXPECT_THAT(notes_, ElementsAre("lock \"k\" is lost (cut), ending the command"));
}

TEST_F(ToolLockSupervisor, AnOverlapLetsItCleanUp) {
  LockPlan plan = lock_plan();
  plan.overlap = 2s;
  make(plan);
  run();
  lose();
  EXPECT_THAT(orders(), ElementsAre("signal 15", "kill 2"));
  lose();
  EXPECT_THAT(orders(), IsEmpty());
  end(0);
  EXPECT_THAT(orders(), ElementsAre("exit 76"));
}

TEST_F(ToolLockSupervisor, ALossThatShowsWhenItIsGivenBackIsALoss) {
  run();
  end(0);
  orders();
  supervisor_->given_back(false);
  EXPECT_THAT(orders(), ElementsAre("exit 76"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("is lost; the command ended with status 0")));
}

TEST_F(ToolLockSupervisor, TermHasAGraceAndASecondOneHasNone) {
  run();
  go(1);
  signal(SIGHUP);
  EXPECT_THAT(orders(), ElementsAre("signal 1"));
  signal(SIGTERM);
  EXPECT_THAT(orders(), ElementsAre("signal 15", "kill 6"));
  go(2);
  signal(SIGINT);
  EXPECT_THAT(orders(), ElementsAre("kill 2"));
  end(137);
  EXPECT_THAT(orders(), ElementsAre("give back"));
  supervisor_->given_back(true);
  EXPECT_THAT(orders(), ElementsAre("exit 137"));
}

TEST_F(ToolLockSupervisor, ALossWhileLeavingShortensTheGrace) {
  run();
  signal(SIGTERM);
  orders();
  go(1);
  lose();
  EXPECT_THAT(orders(), ElementsAre("kill 1"));
  end(137);
  EXPECT_THAT(orders(), ElementsAre("exit 76"));
}

}  // namespace
