// The end of a membership while its session lives, or after it.
#pragma once

#include "message.hpp"
#include "pg.hpp"

namespace coord {

/// Whose membership ends, and how that is told.
struct Leaving {
  int64 incarnation;
  const char* group;
  const char* instance;
  const char* cause;  // of the leaderships' end
  MemberEvent event;
};

/// Hands over all that it leads, leaves the queues, and forgets it. One that left after a notice stays in
/// coord.peers as terminated, unless it is removed.
void end_membership(const Leaving& leaving);

}  // namespace coord
