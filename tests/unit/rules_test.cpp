// The extension's pure rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "../extension/rules/names.hpp"
#include "../extension/rules/notice.hpp"
#include "../extension/rules/order.hpp"
#include "../extension/rules/seat.hpp"
#include "../extension/rules/token.hpp"
#include "../extension/rules/watch.hpp"

namespace coord {
namespace {

constexpr std::int64_t second = 1'000'000;

TEST(Names, OneTo200BytesWithoutControlCharacters) {
  EXPECT_EQ(fault_of_name("a"), NameFault::none);
  EXPECT_EQ(fault_of_name(std::string(200, 'a')), NameFault::none);
  EXPECT_EQ(fault_of_name("\xc3\xa9 '\"\\ $$"), NameFault::none);
  EXPECT_EQ(fault_of_name(""), NameFault::empty);
  EXPECT_EQ(fault_of_name(std::string(201, 'a')), NameFault::too_long);
  for (int c = 1; c < 0x20; ++c)
    EXPECT_EQ(fault_of_name(std::string(1, char(c))), NameFault::control_character);
  EXPECT_EQ(fault_of_name("a\x7f"), NameFault::control_character);
}

TEST(Tokens, G2_AnyTermOfALaterEpochIsGreater) {
  EXPECT_GT(make_token(2, 1), make_token(1, last_term));
  EXPECT_GT(make_token(last_epoch, last_term), make_token(last_epoch, last_term - 1));
  EXPECT_GT(make_token(last_epoch, 0), 0);
}

TEST(Tokens, G2_APromotedStandbyIsAboveEveryEpochOfItsPrimary) {
  EXPECT_EQ(next_epoch(0, 1), 1);
  EXPECT_EQ(next_epoch(1, 1), 2);
  // The primary raised its epoch by restores that the standby never saw.
  std::int32_t primary = next_epoch(0, 1);
  for (int raise = 0; raise < 200; ++raise) primary = next_epoch(primary, 1);
  EXPECT_GT(next_epoch(1, 2), primary);
  EXPECT_GT(next_epoch(next_epoch(1, 2), 3), next_epoch(1, 2));
}

TEST(Tokens, EpochsGoOnRisingWhereTimelinesHaveNoRangeLeft) {
  EXPECT_EQ(next_epoch(7, 0xffffffffU), 8);
  EXPECT_EQ(next_epoch(7, 40'000), 8);
}

TEST(Order, ThoseWhoStayThenPriorityThenArrivalThenIncarnation) {
  std::vector<Place> queue{
      {true, 99, 1, 5}, {false, 0, 10, 1}, {false, 0, 5, 4}, {false, 9, 20, 3}, {false, 0, 5, 2}};
  std::sort(queue.begin(), queue.end(), goes_before);
  std::vector<std::int64_t> incarnations;
  for (const Place& place : queue) incarnations.push_back(place.incarnation);
  EXPECT_EQ(incarnations, (std::vector<std::int64_t>{3, 2, 4, 1, 5}));
}

TEST(Notices, RunOutAtTheDeadlineItself) {
  EXPECT_FALSE(run_out(9, 10));
  EXPECT_TRUE(run_out(10, 10));
  EXPECT_FALSE(run_out(10, no_deadline));
}

TEST(Notices, T40FourIntentsByTheirWireWords) {
  for (const auto* intent : {"graceful", "preemption", "health_failure", "maintenance"})
    EXPECT_TRUE(is_shutdown_intent(intent));
  for (const auto* other : {"", "Graceful", "graceful ", "scaling_down"})
    EXPECT_FALSE(is_shutdown_intent(other));
}

TEST(Seats, FieldCase53_ANameInUseIsRefusedAndADeadOnesIsFree) {
  EXPECT_EQ(verdict_on({}), SeatVerdict::free);
  const Seat alive{
      .taken = true, .same_role = true, .same_session = false, .session_alive = true, .silent = false};
  EXPECT_EQ(verdict_on(alive), SeatVerdict::in_use);
  Seat seat = alive;
  seat.silent = true;
  EXPECT_EQ(verdict_on(seat), SeatVerdict::left_by_silent);
  seat.session_alive = false;
  EXPECT_EQ(verdict_on(seat), SeatVerdict::left_by_dead);
  seat.same_role = false;
  EXPECT_EQ(verdict_on(seat), SeatVerdict::owned_by_another_role);
  seat = alive;
  seat.same_session = true;
  EXPECT_EQ(verdict_on(seat), SeatVerdict::mine);
}

TEST(Watches, HeardWithinTheTimeout) {
  EXPECT_TRUE(heard(20 * second, 5 * second, 15 * second));
  EXPECT_TRUE(heard(20 * second + beat_grain, 5 * second, 15 * second));
  EXPECT_FALSE(heard(20 * second + beat_grain + 1, 5 * second, 15 * second));
}

TEST(Watches, G4_AnUnrecordedHeartbeatStillCountsForItsWholeTimeout) {
  const std::int64_t recorded = 5 * second;
  const std::int64_t confirmed = recorded + beat_grain - 1;
  EXPECT_TRUE(recorded_just_now(confirmed, recorded));
  EXPECT_TRUE(heard(confirmed + 15 * second, recorded, 15 * second));
  EXPECT_FALSE(recorded_just_now(recorded + beat_grain, recorded));
  EXPECT_FALSE(recorded_just_now(recorded - 1, recorded));
}

TEST(Watches, ABeatFromTheFutureIsSilence) {
  EXPECT_TRUE(heard(10 * second, 10 * second + clock_jump, 15 * second));
  EXPECT_FALSE(heard(10 * second, 3610 * second, 15 * second));
}

Moment at(std::int64_t monotonic, std::int64_t offset = 1'000'000 * second) {
  return {monotonic + offset, monotonic};
}

TEST(Watches, JudgesOnlyAfterAFullTimeoutAwake) {
  Watch watch;
  EXPECT_FALSE(watch.may_judge(at(0), 0));
  for (int s = 0; s <= 15; s += 5) watch.look(at(s * second), 15 * second);
  EXPECT_TRUE(watch.may_judge(at(15 * second), 15 * second));
  EXPECT_FALSE(watch.may_judge(at(15 * second), 16 * second));
  EXPECT_EQ(watch.until_may_judge(at(15 * second), 16 * second), second);
  EXPECT_EQ(watch.until_may_judge(at(15 * second), 3 * second), 0);
}

TEST(Watches, FieldCase67_ASessionThatWasItselfSilentBeginsAnew) {
  Watch watch;
  for (int s = 0; s <= 30; s += 5) watch.look(at(s * second), 15 * second);
  watch.look(at(60 * second), 15 * second);
  EXPECT_FALSE(watch.may_judge(at(60 * second), 15 * second));
}

TEST(Watches, AJumpOfTheWallClockEitherWayBeginsAnew) {
  for (const std::int64_t jump : {3600 * second, -3600 * second, second, -second}) {
    Watch watch;
    for (int s = 0; s <= 30; s += 5) watch.look(at(s * second), 15 * second);
    watch.look(at(35 * second, 1'000'000 * second + jump), 15 * second);
    EXPECT_FALSE(watch.may_judge(at(35 * second), 15 * second)) << jump;
  }
}

TEST(Watches, SlewIsNoJump) {
  Watch watch;
  for (int s = 0; s <= 30; s += 5) watch.look(at(s * second, s * second / 1000), 15 * second);
  EXPECT_TRUE(watch.may_judge(at(30 * second), 15 * second));
}

}  // namespace
}  // namespace coord
