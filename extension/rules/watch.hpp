// Who may judge a silent member: only somebody who was awake all the time that it was silent.
#pragma once

#include <cstdint>

namespace coord {

/// Both clocks at one moment, in microseconds.
struct Moment {
  std::int64_t wall;
  std::int64_t monotonic;
};

/// A difference between the two clocks' progress above this is a jump of the wall clock (or a suspended
/// machine).
constexpr std::int64_t clock_jump = 500'000;

/// A heartbeat this soon after the last recorded one is confirmed without being recorded.
constexpr std::int64_t beat_grain = 100'000;

/// Whether a member whose last recorded heartbeat was at `last` counts as heard at `now`; an unrecorded one
/// may have come later. A beat from the future was written before the wall clock was set back, and says
/// nothing.
constexpr bool heard(std::int64_t now, std::int64_t last, std::int64_t timeout) {
  return now - last <= timeout + beat_grain && last - now <= 2 * clock_jump;
}

/// Whether a heartbeat need not be recorded for its time alone.
constexpr bool recorded_just_now(std::int64_t now, std::int64_t last) {
  return last <= now && now - last < beat_grain;
}

/// What one session has seen of time. `look` is called at every sign of life of its own.
struct Watch {
  Moment last{};
  std::int64_t since = 0;
  bool started = false;

  /// `longest_gap`: a session that has not looked for longer was itself silent, and begins anew.
  constexpr void look(Moment now, std::int64_t longest_gap) {
    const std::int64_t passed = now.monotonic - last.monotonic;
    const std::int64_t drift = (now.wall - last.wall) - passed;
    if (!started || passed > longest_gap || drift > clock_jump || drift < -clock_jump) since = now.monotonic;
    last = now;
    started = true;
  }

  /// For how long this session has been awake.
  constexpr std::int64_t awake(Moment now) const { return started ? now.monotonic - since : 0; }

  /// Whether that is all of `timeout`.
  constexpr bool may_judge(Moment now, std::int64_t timeout) const {
    return started && awake(now) >= timeout;
  }

  /// Microseconds until it may.
  constexpr std::int64_t until_may_judge(Moment now, std::int64_t timeout) const {
    const std::int64_t left = timeout - awake(now);
    return left > 0 ? left : 0;
  }
};

}  // namespace coord
