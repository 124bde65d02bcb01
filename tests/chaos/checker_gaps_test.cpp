// Histories made by hand: times without a leader.
#include <gmock/gmock.h>

#include "chaos/made.hpp"

namespace pgcoord::chaos {
namespace {

using namespace made;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ChaosChecker, rejects_a_dead_leader_that_nobody_replaces) {
  for (const auto* what : {"kill", "terminate"}) {
    EXPECT_THAT(faults({grant(1'000, "a", 1), fault(2'000, 2'100, what, "a"), grant(3'001, "b", 2)}),
                ElementsAre(HasSubstr("without a leader")));
    EXPECT_THAT(faults({grant(1'000, "a", 1), fault(2'000, 2'100, what, "a"), nobody(2'001)}),
                ElementsAre(HasSubstr("without a leader")));
  }
}

TEST(ChaosChecker, rejects_a_silent_leader_that_nobody_replaces) {
  for (const auto* what : {"stop", "freeze"}) {
    EXPECT_THAT(faults({grant(1'000, "a", 1), fault(2'000, 5'000, what, "a"), grant(5'001, "b", 2)}),
                ElementsAre(HasSubstr("without a leader")));
    EXPECT_THAT(faults({grant(1'000, "a", 1), fault(2'000, 3'900, what, "a")}), IsEmpty())
        << "not silent for long enough";
  }
}

TEST(ChaosChecker, gives_the_successor_the_time_that_the_server_was_away) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), fault(2'000, 2'100, "kill", "a"), fault(2'500, 6'000, "restart"),
                      grant(6'900, "b", 2)}),
              IsEmpty());
  EXPECT_THAT(faults({grant(1'000, "a", 1), fault(2'000, 2'100, "kill", "a"), fault(2'500, 6'000, "restart"),
                      grant(7'001, "b", 2)}),
              ElementsAre(HasSubstr("without a leader")));
  EXPECT_THAT(faults({grant(1'000, "a", 1), fault(2'000, 2'100, "kill", "a"), fault(3'500, 6'000, "restart"),
                      grant(6'900, "b", 2)}),
              ElementsAre(HasSubstr("without a leader")))
      << "it was late before that";
}

TEST(ChaosChecker, judges_no_leader_of_a_time_that_is_lost) {
  EXPECT_THAT(
      faults({grant(1'000, "a", 1), fault(2'000, 7'000, "behind", "standby"),
              fault(3'000, 3'100, "kill", "a"), fault(5'000, 7'000, "promote"), grant(7'500, "b", 2)}),
      IsEmpty());
  EXPECT_THAT(
      faults({grant(1'000, "a", 1), fault(2'000, 7'000, "behind", "standby"),
              fault(3'000, 3'100, "kill", "a"), fault(5'000, 7'000, "promote"), grant(8'001, "b", 2)}),
      ElementsAre(HasSubstr("without a leader")));
}

TEST(ChaosChecker, rejects_a_leader_that_is_cut_off_and_not_replaced) {
  const auto cut = [](std::int64_t next) {
    return faults({grant(1'000, "a", 1), fault(2'000, 2'050, "cut", "a"), grant(next, "b", 2)});
  };
  EXPECT_THAT(cut(5'001), ElementsAre(HasSubstr("without a leader")));
  EXPECT_THAT(cut(4'999), IsEmpty()) << "its silence was to be waited for";
}

TEST(ChaosChecker, rejects_a_leader_that_drains_and_is_not_replaced) {
  const auto drain = [](std::int64_t next) {
    return faults({grant(1'000, "a", 1), fault(2'000, 4'500, "drain", "a"), grant(next, "b", 2)});
  };
  EXPECT_THAT(drain(5'501), ElementsAre(HasSubstr("without a leader")));
  EXPECT_THAT(drain(5'499), IsEmpty()) << "it was there until then";
}

TEST(ChaosChecker, rejects_an_election_that_stays_without_a_leader_after_all_sessions_ended) {
  for (const auto* what : {"restart", "immediate restart", "kill backend", "promote"}) {
    const auto after = [what](std::int64_t next) {
      return faults({grant(1'000, "a", 1), fault(2'000, 3'000, what), nobody(2'001), grant(next, "b", 2)});
    };
    EXPECT_THAT(after(7'001), ElementsAre(HasSubstr("had no leader again")));
    EXPECT_THAT(after(6'999), IsEmpty());
  }
  EXPECT_THAT(faults({grant(1'000, "a", 1), fault(2'000, 3'000, "restart")}),
              ElementsAre(HasSubstr("had no leader again")));
  EXPECT_THAT(faults({fault(2'000, 3'000, "restart"), grant(9'000, "a", 1)}), IsEmpty())
      << "nobody was there";
}

TEST(ChaosChecker, rejects_a_leader_named_by_a_server_that_ends_who_does_not_lead) {
  const auto named = [](const Record& claim) {
    return faults({grant(1'000, "a", 1), fault(2'000, 3'000, "restart"), grant(2'100, "b", 2), claim});
  };
  EXPECT_THAT(named(claim(2'200, 2'999, "b", 2)), ElementsAre(HasSubstr("had no leader again")));
  EXPECT_THAT(named(claim(7'010, 7'100, "b", 2)), ElementsAre(HasSubstr("had no leader again")));
  EXPECT_THAT(named(claim(2'900, 3'010, "b", 2)), IsEmpty()) << "named when it had started again";
  EXPECT_THAT(faults({grant(1'000, "a", 1), fault(2'000, 3'000, "restart"), claim(1'010, 3'100, "a", 1)}),
              ElementsAre(HasSubstr("had no leader again")))
      << "it does not know better";
}

TEST(ChaosChecker, gives_a_recovery_the_time_that_the_server_was_away) {
  const auto lead = grant(1'000, "a", 1);
  const auto crash = fault(2'000, 3'000, "kill backend");
  const auto locked = fault(4'000, 6'000, "lock tables");
  EXPECT_THAT(faults({lead, crash, locked, grant(8'999, "b", 2)}), IsEmpty());
  EXPECT_THAT(faults({lead, crash, locked, grant(9'001, "b", 2)}),
              ElementsAre(HasSubstr("had no leader again")));
  const auto again = fault(5'000, 5'500, "restart");
  EXPECT_THAT(faults({lead, crash, again, grant(9'499, "b", 2)}), IsEmpty()) << "only the last one counts";
  EXPECT_THAT(faults({lead, crash, again, grant(9'501, "b", 2)}),
              ElementsAre(HasSubstr("had no leader again 4000 ms after restart")));
}

TEST(ChaosChecker, judges_no_recovery_that_is_lost_but_the_promotion) {
  const auto lead = grant(1'000, "a", 1);
  const auto crash = fault(2'000, 3'000, "kill backend");
  const auto behind = fault(1'500, 9'050, "behind", "standby");
  const auto promoted = fault(8'000, 9'000, "promote");
  EXPECT_THAT(faults({lead, crash, promoted, behind, grant(12'999, "b", 2)}), IsEmpty());
  EXPECT_THAT(faults({lead, crash, promoted, behind, grant(13'001, "b", 2)}),
              ElementsAre(HasSubstr("had no leader again 4000 ms after promote")));
}

}  // namespace
}  // namespace pgcoord::chaos
