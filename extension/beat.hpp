// When a member was last heard.
#pragma once

#include "pg.hpp"
#include "spi.hpp"

namespace coord {

/// The first sign of life, and how often more are due (microseconds).
void begin_beat(int64 incarnation, int64 timeout);

/// Another one; absent values stay as they are. Writes nothing if the last one is fresh (rules/watch.hpp) and
/// says the same. False if there is no such member (any more).
bool renew_beat(int64 incarnation, const Argument& in_flight_count, const Argument& load_factor);

/// Whether it was heard within its timeout, by the clock alone.
bool is_heard(int64 incarnation);

void end_beat(int64 incarnation);

}  // namespace coord
