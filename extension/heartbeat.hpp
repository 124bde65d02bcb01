// Signs of life, and what they tell the peers.
#pragma once

#include "pg.hpp"

namespace coord {

/// A heartbeat that says nothing else: for a silent member that acts.
void prove_life(int64 incarnation);

/// Tells the group this member's wire message.
void publish_heartbeat(int64 incarnation);

}  // namespace coord
