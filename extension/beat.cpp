#include "beat.hpp"

#include "row.hpp"
#include "rules/watch.hpp"

namespace coord {

namespace {

constinit Statement begin_statement = {
    .text =
        "INSERT INTO coord._beat (incarnation, heartbeat_timeout, last_heartbeat_at)"
        " VALUES ($1, $2, clock_timestamp()) ON CONFLICT (incarnation) DO UPDATE SET"
        " heartbeat_timeout = excluded.heartbeat_timeout, last_heartbeat_at = excluded.last_heartbeat_at",
    .parameters = 2,
    .types = {INT8OID, INT8OID}};

constinit Statement renew_statement = {
    .text =
        "UPDATE coord._beat SET last_heartbeat_at = clock_timestamp(),"
        " in_flight_count = COALESCE($2, in_flight_count), load_factor = COALESCE($3, load_factor)"
        " WHERE incarnation = $1",
    .parameters = 3,
    .types = {INT8OID, INT4OID, FLOAT8OID}};

constinit Statement end_statement = {
    .text = "DELETE FROM coord._beat WHERE incarnation = $1", .parameters = 1, .types = {INT8OID}};

}  // namespace

void begin_beat(int64 incarnation, int64 timeout) {
  run(begin_statement, {bigint_argument(incarnation), bigint_argument(timeout)});
}

namespace {

bool says_the_same(const BeatRow& beat, const Argument& in_flight_count, const Argument& load_factor) {
  return (in_flight_count.absent || DatumGetInt32(in_flight_count.value) == beat.in_flight_count) &&
         (load_factor.absent || DatumGetFloat8(load_factor.value) == beat.load_factor);
}

}  // namespace

bool renew_beat(int64 incarnation, const Argument& in_flight_count, const Argument& load_factor) {
  BeatRow beat{};
  if (!read_beat(incarnation, &beat)) return false;
  if (recorded_just_now(GetCurrentTimestamp(), beat.last) &&
      says_the_same(beat, in_flight_count, load_factor))
    return true;
  return run(renew_statement, {bigint_argument(incarnation), in_flight_count, load_factor}) != 0;
}

bool is_heard(int64 incarnation) {
  BeatRow beat{};
  return read_beat(incarnation, &beat) && heard(GetCurrentTimestamp(), beat.last, beat.timeout);
}

void end_beat(int64 incarnation) { run(end_statement, {bigint_argument(incarnation)}); }

}  // namespace coord
