// When a member was last heard, and until when it is.
#pragma once

#include "pg.hpp"
#include "row.hpp"
#include "spi.hpp"

namespace coord {

/// The first sign of life, and how often more are due (microseconds). Ends a notice.
void begin_beat(int64 incarnation, int64 timeout);

/// What a heartbeat was.
enum class Renewal {
  unknown,  // there is no such member (any more)
  same,     // it says nothing new
  news,     // it says something new
  back,     // the first after a silence
};

/// Another one; absent values stay as they are. Writes nothing if the last one is fresh (rules/watch.hpp) and
/// says the same. `before` is how it was.
Renewal renew_beat(int64 incarnation, const Argument& in_flight_count, const Argument& load_factor,
                   BeatRow* before);

/// Keeps the next heartbeat waiting until this transaction ends. False, at once, if the row is gone or
/// somebody else changes it.
bool lock_beat(int64 incarnation);

/// Sets the end of what it leads. Returns the in-flight count in force, which stays as it is if absent.
int32 limit_beat(int64 incarnation, TimestampTz deadline, const Argument& in_flight_count);

/// Whether it was heard within its timeout, by the clock alone.
bool is_heard(int64 incarnation);

/// Whether its shutdown notice has run out.
bool notice_ran_out(int64 incarnation);

void end_beat(int64 incarnation);

}  // namespace coord
