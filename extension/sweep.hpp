// The sweep: leaderships of dead and silent members go to the next in the queue.
#pragma once

#include "pg.hpp"

namespace coord {

/// Never waits: what somebody else is changing, they are changing. A batch at a time (depart.hpp), in random
/// order.
void sweep();

/// Sets the time of this session's next one, randomised, in a group of so many members.
void put_off_sweep(int64 members);

/// The same if it is this session's time, about every (members × 1 s), so that the group sweeps once a
/// second.
void sweep_if_due();

}  // namespace coord
