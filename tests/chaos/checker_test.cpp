// Histories made by hand: one that is in order, and for each thing that may not happen one in which it does.
#include "chaos/checker.hpp"

#include <gmock/gmock.h>

#include <chrono>

namespace pgcoord::chaos {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr Bounds bounds{.silence = 2s, .handover = 1s};

std::int64_t ms(std::int64_t milliseconds) { return milliseconds * 1'000'000; }

Record grant(std::int64_t at, const std::string& who, std::int64_t token) {
  return {"grant", "red", who, 0, token, 0, ms(at), 0, {}};
}
Record nobody(std::int64_t at) { return grant(at, "", 0); }
Record claim(std::int64_t from, std::int64_t until, const std::string& who, std::int64_t token,
             std::int64_t process = 1) {
  return {"claim", "red", who, process, token, 0, ms(from), ms(until), {}};
}
Record row(std::int64_t at, const std::string& who, std::int64_t token, std::int64_t number) {
  return {"row", "red", who, 0, token, number, ms(at), 0, {}};
}
Record write(std::int64_t from, const std::string& who, std::int64_t number, const std::string& outcome) {
  return {"write", "red", who, 1, 0, number, ms(from), ms(from + 5), outcome};
}
Record lock(std::int64_t from, std::int64_t until, const std::string& who, std::int64_t process,
            std::int64_t number = 1) {
  return {"lock", "key", who, process, 0, number, ms(from), until < 0 ? 0 : ms(until), {}};
}
Record fault(std::int64_t from, std::int64_t until, const std::string& what, const std::string& who = {}) {
  return {"fault", what, who, 0, 0, 0, ms(from), ms(until), {}};
}
/// Something far behind everything else.
Record end() { return fault(60'000, 60'000, "end", "nobody"); }

auto faults(History history) {
  history.push_back(end());
  return check(history, bounds);
}

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
  EXPECT_THAT(faults({claim(500, 900, "a", 5), fault(1'000, 1'500, "promote"), grant(2'000, "b", 5)}),
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
  EXPECT_THAT(
      faults({grant(1'000, "a", 1), write(1'500, "a", 7, "committed"), fault(1'600, 2'000, "promote")}),
      IsEmpty())
      << "an asynchronous standby may lack it";
  EXPECT_THAT(
      faults({grant(1'000, "a", 1), fault(1'600, 2'000, "promote"), write(2'500, "a", 7, "committed")}),
      ElementsAre(HasSubstr("lost")));
}

TEST(ChaosChecker, rejects_what_was_refused_and_is_there) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), row(1'500, "a", 1, 7), write(1'495, "a", 7, "refused")}),
              ElementsAre(HasSubstr("refused and there")));
}

TEST(ChaosChecker, rejects_what_is_there_twice) {
  EXPECT_THAT(faults({grant(1'000, "a", 1), row(1'500, "a", 1, 7), row(1'501, "a", 1, 7)}),
              ElementsAre(HasSubstr("twice")));
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
