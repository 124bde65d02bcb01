#include "unit/tool_supervisor.hpp"

namespace {

using namespace pgcoord;
using namespace pgcoord::tool;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string term = "signal " + std::to_string(SIGTERM);

TEST_F(ToolSupervisor, StartsOnlyOnAConfirmedTerm) {
  go(1).joined();
  EXPECT_THAT(orders(), IsEmpty());
  renew(7);
  EXPECT_THAT(orders(), ElementsAre("start 7 15.25"));
  EXPECT_TRUE(go(2).has_command());
}

TEST_F(ToolSupervisor, EachConfirmationPutsTheKillOff) {
  run_under(1);
  go(4);
  renew(1);
  EXPECT_THAT(orders(), ElementsAre("kill 18.25"));
  EXPECT_EQ(go(4).deadline(), at(4 + 15 - 0.75 - 5));
}

TEST_F(ToolSupervisor, ExitsWithTheStatusOfACommandThatEnds) {
  run_under(1);
  go(1);
  end(3);
  EXPECT_THAT(orders(), ElementsAre("exit 3"));
  renew(1);
  EXPECT_THAT(orders(), IsEmpty());
}

TEST_F(ToolSupervisor, AForeseenLossEndsTheCommandBeforeTheDeadline) {
  run_under(1);
  go(9.24);
  EXPECT_THAT(orders(), IsEmpty());
  go(9.25);
  EXPECT_THAT(orders(), ElementsAre(term));  // the kill at 14.25 stands
  end(143);
  EXPECT_THAT(orders(), IsEmpty());
  EXPECT_FALSE(go(10).has_command());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("heartbeats are not answered")));
}

TEST_F(ToolSupervisor, ALateAnswerDoesNotLengthenAGraceThatHasBegun) {
  run_under(1);
  go(9.5);
  EXPECT_THAT(orders(), ElementsAre(term));
  renew(1);
  EXPECT_THAT(orders(), ElementsAre("kill 14.5"));
}

TEST_F(ToolSupervisor, LeadsAgainUnderTheSameTermIfItWasKept) {
  run_under(1);
  go(9.25);
  go(10);
  renew(1);
  orders();
  end(0);
  EXPECT_THAT(orders(), ElementsAre("start 1 24.25"));
}

TEST_F(ToolSupervisor, ALossKillsAtOnce) {
  run_under(1);
  go(2);
  lose(1);
  EXPECT_THAT(orders(), ElementsAre("kill 2"));
  EXPECT_THAT(notes_, ElementsAre("leadership lost (disconnected), ending the command"));
  end(137);
  EXPECT_THAT(orders(), IsEmpty());
  renew(2);
  EXPECT_THAT(orders(), ElementsAre("start 2 16.25"));
}

TEST_F(ToolSupervisor, AnOverlapIsGrantedIfAskedFor) {
  ElectPlan plan = default_plan();
  plan.overlap = 2s;
  make(plan);
  run_under(1);
  go(3);
  lose(1);
  EXPECT_THAT(orders(), ElementsAre(term, "kill 5"));
}

TEST_F(ToolSupervisor, ALossDuringAGraceCutsItShort) {
  run_under(1);
  go(9.25);
  orders();
  go(10);
  lose(1);
  EXPECT_THAT(orders(), ElementsAre("kill 10"));
}

TEST_F(ToolSupervisor, OnceEndsWith76) {
  ElectPlan plan = default_plan();
  plan.once = true;
  make(plan);
  run_under(1);
  lose(1);
  orders();
  end(0);
  EXPECT_THAT(orders(), ElementsAre("exit 76"));
}

TEST_F(ToolSupervisor, ATermThatWasLostIsNeverBelievedAgain) {
  go(1).joined();
  lose(5);
  renew(5);
  renew(4);
  EXPECT_THAT(orders(), IsEmpty());
  renew(6);
  EXPECT_THAT(orders(), ElementsAre("start 6 15.25"));
}

TEST_F(ToolSupervisor, AnotherTermEndsTheCommandOfTheOldOne) {
  run_under(1);
  go(1);
  renew(2);
  EXPECT_THAT(orders(), ElementsAre("kill 1"));
  end(137);
  EXPECT_THAT(orders(), ElementsAre("start 2 15.25"));
}

TEST_F(ToolSupervisor, DoesNotStartShortlyBeforeTheDeadline) {
  go(1).joined();
  go(20).renewed(Token{1}, at(20 + 5.75), at(20));
  EXPECT_THAT(orders(), IsEmpty());
}

// The guardian has killed the command while the tool was stopped, and that is seen first.
TEST_F(ToolSupervisor, AnEndPastTheDeadlineIsALoss) {
  run_under(1);
  supervisor_->ended(137, at(14.25));
  EXPECT_THAT(orders(), testing::Not(testing::Contains(HasSubstr("exit"))));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("no heartbeat was answered")));
}

}  // namespace
