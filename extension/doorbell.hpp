// Notifications of a change of leadership: sent at commit, never relied upon.
#pragma once

#include "bound.hpp"
#include "pg.hpp"

namespace coord {

/// One change, as it is announced. Texts live as long as the transaction; null where unknown or nobody.
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
  const char* groups[2];
};

void forget_notices();
void add_notice(const Notice& notice);

/// Queues them for the commit. Every notifying transaction of the server holds one lock from here to the end of its
/// commit, and one that waits for a standby holds it that long: so it is only tried, and without it nobody is notified.
void send_notices(Patience patience);
void prepare_notices();

/// The channel on which members of a group are told. In the current memory context.
const char* leader_channel(const char* group);

}  // namespace coord
