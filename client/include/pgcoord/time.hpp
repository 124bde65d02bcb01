#pragma once

#include <chrono>
#include <cstdint>

#include "pgcoord/export.hpp"

namespace pgcoord {

using Duration = std::chrono::nanoseconds;

/// A steady clock that goes on while the machine is suspended (CLOCK_BOOTTIME), so that a leader
/// that slept wakes up as a former leader. Setting the wall clock does not move it. Its values
/// mean nothing on another host and are never sent anywhere.
///
/// Only Session reads it, and a coordinator that was given no other clock; everything below takes the time
/// as an argument.
struct PGCOORD_EXPORT BootClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock>;
  static constexpr bool is_steady = true;

  [[nodiscard]] static time_point now() noexcept;
};

using Instant = BootClock::time_point;

}  // namespace pgcoord
