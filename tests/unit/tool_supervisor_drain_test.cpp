// What becomes of the command when `pgcoord drain` asks this instance to leave.
#include "unit/tool_supervisor.hpp"

namespace {

using namespace pgcoord;
using namespace pgcoord::tool;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string term = "signal " + std::to_string(SIGTERM);

class ToolSupervisorDrain : public ToolSupervisor {
 protected:
  void drain(double deadline) { supervisor_->drained("maintenance", at(deadline), now()); }
};

TEST_F(ToolSupervisorDrain, GivesTheCommandItsGraceAndEndsWith79) {
  run_under(1);
  go(1);
  drain(31);
  EXPECT_THAT(orders(), ElementsAre(term, "kill 6"));
  go(3);
  end(5);
  EXPECT_THAT(orders(), ElementsAre("exit 79"));
  EXPECT_THAT(notes_, ElementsAre("told to leave (maintenance), ending the command"));
}

TEST_F(ToolSupervisorDrain, TheCommandIsDeadBeforeTheDeadline) {
  run_under(1);
  go(1);
  drain(4);
  EXPECT_THAT(orders(), ElementsAre(term, "kill 3.25"));
  make(default_plan());
  seconds_ = 0;
  run_under(1);
  drain(0.1);
  EXPECT_THAT(orders(), ElementsAre(term, "kill 0"));
}

TEST_F(ToolSupervisorDrain, LeavesTheQueueAndStartsNothingAfter) {
  go(1).joined();
  drain(30);
  EXPECT_THAT(orders(), ElementsAre("exit 79"));
  renew(1);
  EXPECT_THAT(orders(), IsEmpty());
}

TEST_F(ToolSupervisorDrain, ASignalAfterItKillsAtOnce) {
  run_under(1);
  drain(30);
  orders();
  go(1);
  signal(SIGTERM);
  EXPECT_THAT(orders(), ElementsAre("kill 1"));
  end(137);
  EXPECT_THAT(orders(), ElementsAre("exit 79"));
}

TEST_F(ToolSupervisorDrain, ToldAgainItChangesNothing) {
  run_under(1);
  drain(30);
  orders();
  go(1);
  drain(2);
  EXPECT_THAT(orders(), IsEmpty());
}

TEST_F(ToolSupervisorDrain, AfterASignalTheCommandsStatusCounts) {
  run_under(1);
  signal(SIGTERM);
  orders();
  drain(30);
  EXPECT_THAT(orders(), IsEmpty());
  end(0);
  EXPECT_THAT(orders(), ElementsAre("exit 0"));
}

TEST_F(ToolSupervisorDrain, ALostCommandIsStillKilledAtOnce) {
  run_under(1);
  drain(30);
  orders();
  go(1);
  lose(1);
  EXPECT_THAT(orders(), ElementsAre("kill 1"));
  end(137);
  EXPECT_THAT(orders(), ElementsAre("exit 79"));
}

}  // namespace
