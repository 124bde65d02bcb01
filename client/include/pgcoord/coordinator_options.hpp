#pragma once

#include <chrono>
#include <functional>

#include "pgcoord/callback_list.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/time.hpp"
#include "pgcoord/utc_time.hpp"

namespace pgcoord {

/// Where a coordinator has the time from; tests give others. Called from any thread.
struct PGCOORD_EXPORT Clocks {
  /// Goes into messages, decides nothing.
  std::function<UtcTime()> wall = real_wall;
  /// Decides who is silent.
  std::function<Instant()> monotonic = BootClock::now;

  [[nodiscard]] static UtcTime real_wall();
};

struct CoordinatorOptions {
  /// After how long without a word a peer counts as stale, unless its own timeout is known. Positive.
  Duration heartbeat_timeout = std::chrono::seconds(15);
  /// A peer that no registry lists is forgotten when it has been stale or terminated for this long. Positive.
  Duration peer_retention = std::chrono::hours(24);
  /// Assignments are refused while this instance shuts down, unless this is set.
  bool accept_assignments_while_draining = false;
  Clocks clocks;
  /// Hears of exceptions that callbacks and the elector let out. May be called from any thread.
  CallbackErrorHandler on_error;
};

}  // namespace pgcoord
