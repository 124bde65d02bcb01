// Histories made by hand: one that is in order, and for each thing that may not happen one in which it does.
#include <gmock/gmock.h>

#include "chaos/made.hpp"

namespace pgcoord::chaos {
namespace {

using namespace made;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ChaosChecker, accepts_a_history_in_order) {
  EXPECT_THAT(
      faults({grant(1'000, "a", 1), claim(1'010, 2'900, "a", 1), row(1'500, "a", 1, 7),
              write(1'495, "a", 7, "committed"), fault(3'000, 3'500, "kill", "a"), grant(3'020, "b", 2),
              claim(3'030, 9'000, "b", 2, 2), row(3'100, "b", 2, 8), write(3'095, "b", 8, "unknown"),
              write(3'200, "a", 9, "refused"), lock(100, 200, "a", 1), lock(201, 300, "b", 2),
              fault(9'000, 9'600, "restart"), nobody(9'100), grant(9'800, "a", 3)}),
      IsEmpty());
}

TEST(ChaosChecker, rejects_a_token_that_does_not_rise) {
  EXPECT_THAT(faults({grant(1'000, "a", 2), grant(2'000, "b", 2)}), ElementsAre(HasSubstr("did not rise")));
  EXPECT_THAT(faults({grant(1'000, "a", 2), nobody(1'500), grant(2'000, "b", 1)}),
              ElementsAre(HasSubstr("did not rise")));
}

TEST(ChaosChecker, rejects_a_journal_whose_terms_committed_in_another_order) {
  EXPECT_THAT(faults({grant(2'000, "a", 1), grant(1'000, "b", 2)}), ElementsAre(HasSubstr("out of order")));
}

TEST(ChaosChecker, rejects_two_lives_under_one_token) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), claim(1'010, 1'100, "a", 1, 1), claim(1'200, 1'300, "a", 1, 2)}),
              ElementsAre(HasSubstr("two lead")));
}

TEST(ChaosChecker, rejects_a_token_lower_than_one_of_a_server_that_was_lost) {
  EXPECT_THAT(faults({fault(400, 1'500, "behind", "standby"), claim(500, 900, "a", 5), grant(2'000, "b", 4)}),
              ElementsAre(HasSubstr("granted after it was surpassed")));
}

TEST(ChaosChecker, rejects_a_write_after_a_newer_term) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), grant(2'000, "b", 2), row(2'001, "a", 1, 7)}),
              ElementsAre(HasSubstr("written too late")));
}

TEST(ChaosChecker, rejects_a_write_under_somebody_elses_term) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), row(1'500, "b", 1, 7)}),
              ElementsAre(HasSubstr("without a term")));
}

TEST(ChaosChecker, rejects_a_leader_that_believes_for_too_long) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), claim(1'010, 4'101, "a", 1), grant(2'100, "b", 2)}),
              ElementsAre(HasSubstr("beside a newer term")));
  EXPECT_THAT(faults({grant(1'000, "a", 1), claim(1'010, 4'099, "a", 1), grant(2'100, "b", 2)}), IsEmpty());
}

TEST(ChaosChecker, rejects_a_leader_under_a_term_that_is_anothers) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), claim(1'010, 1'100, "b", 1)}),
              ElementsAre(HasSubstr("claimed another's term")));
  EXPECT_THAT(
      faults({fault(900, 1'200, "behind", "standby"), grant(1'000, "a", 1), claim(1'010, 1'100, "b", 1)}),
      ElementsAre(HasSubstr("claimed another's term")))
      << "it is not lost";
}

TEST(ChaosChecker, rejects_a_leader_under_a_term_that_the_journal_lacks) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), claim(1'010, 1'100, "a", 1), claim(2'010, 2'100, "b", 2)}),
              ElementsAre(HasSubstr("claimed without a grant")));
  EXPECT_THAT(
      faults({claim(1'010, 1'100, "a", 1), fault(2'000, 2'100, "immediate restart"), grant(2'200, "a", 2)}),
      ElementsAre(HasSubstr("claimed without a grant")))
      << "lost by a crash";
  auto elsewhere = claim(1'010, 1'100, "a", 1);
  elsewhere.what = "blue";
  EXPECT_THAT(faults({grant(1'000, "a", 1), elsewhere}), ElementsAre(HasSubstr("claimed without a grant")));
}

TEST(ChaosChecker, a_standby_may_have_lost_a_term_that_it_lacked) {
  const auto behind = fault(2'000, 4'000, "behind", "standby");
  const auto next = grant(4'100, "b", 3);
  EXPECT_THAT(faults({behind, claim(2'005, 3'000, "a", 1), claim(3'010, 5'900, "a", 1), next}), IsEmpty());
  EXPECT_THAT(faults({behind, claim(1'900, 3'000, "a", 1), next}), ElementsAre(HasSubstr("without a grant")))
      << "seen before";
  EXPECT_THAT(faults({behind, claim(4'050, 6'050, "a", 1), next}), ElementsAre(HasSubstr("without a grant")))
      << "seen long after";
}

TEST(ChaosHistory, goes_through_a_file) {
  const auto file = std::filesystem::temp_directory_path() / ("history" + std::to_string(::getpid()));
  write_history(file, {grant(1'000, "a", 1), write(1'500, "a", 7, "committed")});
  std::ofstream(file, std::ios::app) << R"({"kind":"wri)";
  const auto history = read_history(file);
  std::filesystem::remove(file);
  ASSERT_EQ(history.size(), 2U) << "the line that was cut is left out";
  EXPECT_EQ(history[0].from, ms(1'000));
  EXPECT_EQ(history[1].outcome, "committed");
  EXPECT_EQ(history[1].number, 7);
}

}  // namespace
}  // namespace pgcoord::chaos
