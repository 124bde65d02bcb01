// Notifications of a change of leadership: sent at commit, never relied upon.
#pragma once

#include "pg.hpp"

namespace coord {

/// One change, as it is announced; null where unknown or nobody.
struct Notice {
  const char* election;
  const char* leader;
  const char* previous;
  const char* successor;  // who should campaign at once, when this session could not hand over itself
  int32 epoch;
  int64 term;
  const char* cause;
  TimestampTz at;
  int64 event_id;  // 0: the change itself is not made yet
};

/// Will be told to members of `group` when this transaction commits; a null group is nobody. Not if the
/// server's notification queue is nearly full, nor if the lock that every notifying transaction holds through
/// its commit cannot be had: a transaction that waits for a missing standby holds it for ever, and leadership
/// must go on without a bell.
void announce(const Notice& notice, const char* group);

/// Hooks the bell into every commit of this process. Called once, when the library is loaded.
void watch_commits_for_notices();

}  // namespace coord
