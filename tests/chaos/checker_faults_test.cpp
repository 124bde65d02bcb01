// Histories made by hand: what a fault may have taken, and what not.
#include <gmock/gmock.h>

#include "chaos/made.hpp"

namespace pgcoord::chaos {
namespace {

using namespace made;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ChaosChecker, rejects_a_lock_held_twice) {
  EXPECT_THAT(faults({lock(100, 300, "a", 1), lock(299, 400, "b", 2)}), ElementsAre(HasSubstr("took lock")));
  EXPECT_THAT(faults({lock(100, 300, "a", 1), lock(299, -1, "b", 2)}), IsEmpty()) << "b may have lost it";
  EXPECT_THAT(faults({lock(100, 300, "a", 1), lock(299, 299, "b", 2)}), IsEmpty()) << "b has lost it";
  EXPECT_THAT(faults({lock(100, 300, "a", 1, 1), lock(200, 250, "a", 1, 2)}),
              ElementsAre(HasSubstr("took lock")))
      << "by one process";
}

TEST(ChaosChecker, a_fault_ends_what_is_certain_of_a_lock) {
  EXPECT_THAT(faults({lock(100, -1, "a", 1), fault(200, 900, "kill", "a"), lock(210, 400, "b", 2)}),
              IsEmpty());
  EXPECT_THAT(faults({lock(100, -1, "a", 1), fault(200, 900, "kill", "a"), lock(190, 400, "b", 2)}),
              ElementsAre(HasSubstr("took lock")));
  EXPECT_THAT(faults({lock(100, 300, "a", 1), fault(150, 160, "kill backend"), lock(200, 400, "b", 2)}),
              IsEmpty());
  EXPECT_THAT(faults({lock(100, 300, "a", 1), fault(150, 160, "kill", "b"), lock(200, 400, "b", 2)}),
              ElementsAre(HasSubstr("took lock")));
}

TEST(ChaosChecker, rejects_what_was_acknowledged_and_lost) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), write(1'500, "a", 7, "committed")}),
              ElementsAre(HasSubstr("lost")));
  EXPECT_THAT(faults({grant(1'000, "a", 1), write(1'500, "a", 7, "committed"),
                      fault(1'600, 2'000, "immediate restart"), grant(2'100, "b", 2)}),
              ElementsAre(HasSubstr("lost")));
}

TEST(ChaosChecker, a_standby_may_have_lost_what_it_lacked) {
  const auto lost = [](std::int64_t begin) {
    return faults({grant(1'000, "a", 1), fault(1'900, 2'500, "promote"),
                   fault(2'000, 2'500, "behind", "standby"), grant(2'600, "b", 2),
                   write(begin, "a", 7, "committed")});
  };
  EXPECT_THAT(lost(2'005), IsEmpty());
  EXPECT_THAT(lost(1'998), IsEmpty()) << "committed when it lacked everything";
  EXPECT_THAT(lost(1'950), ElementsAre(HasSubstr("lost"))) << "it had got that";
  EXPECT_THAT(lost(2'501), ElementsAre(HasSubstr("lost"))) << "it was promoted by then";
}

TEST(ChaosChecker, rejects_what_was_refused_and_is_there) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), row(1'500, "a", 1, 7), write(1'495, "a", 7, "refused")}),
              ElementsAre(HasSubstr("refused and there")));
}

TEST(ChaosChecker, rejects_what_is_there_twice) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), row(1'500, "a", 1, 7), row(1'501, "a", 1, 7)}),
              ElementsAre(HasSubstr("twice")));
}

}  // namespace
}  // namespace pgcoord::chaos
