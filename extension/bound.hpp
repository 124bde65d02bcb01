// Bounds on waits.
#pragma once

#include "pg.hpp"

namespace coord {

/// The longest that a call waits for a lock of somebody else, unless the caller's lock_timeout is shorter.
constexpr int longest_wait_ms = 1000;

/// Waits end after `milliseconds` (at least 1) with 55P03, until `end_bound(level)` or an error.
inline int bound_waits(int milliseconds = longest_wait_ms) {
  const int level = NewGUCNestLevel();
  if (LockTimeout == 0 || LockTimeout > milliseconds)
    (void)set_config_option("lock_timeout", psprintf("%d", milliseconds), PGC_USERSET, PGC_S_SESSION,
                            GUC_ACTION_SAVE, true, 0, false);
  return level;
}

inline void end_bound(int level) { AtEOXact_GUC(true, level); }

/// Whether a wait may cost anything: during exit it cannot be interrupted, so only a few short tries are
/// made.
enum class Patience { bounded, exiting, none };

}  // namespace coord
