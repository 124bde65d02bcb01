#include "beat.hpp"

#include "rules/notice.hpp"
#include "rules/watch.hpp"

namespace coord {

namespace {

constinit Statement begin_statement = {
    .text =
        "INSERT INTO coord._beat (incarnation, heartbeat_timeout, last_heartbeat_at)"
        " VALUES ($1, $2, clock_timestamp()) ON CONFLICT (incarnation) DO UPDATE SET"
        " heartbeat_timeout = excluded.heartbeat_timeout, last_heartbeat_at = excluded.last_heartbeat_at,"
        " shutdown_deadline = NULL",
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

constinit Statement limit_statement = {
    .text =
        "UPDATE coord._beat SET shutdown_deadline = $2, in_flight_count = COALESCE($3, in_flight_count)"
        " WHERE incarnation = $1 RETURNING in_flight_count",
    .parameters = 3,
    .types = {INT8OID, TIMESTAMPTZOID, INT4OID}};

/// Without looking first: whoever is telling the silence at this moment holds the row until that is
/// committed.
constinit Statement found_statement = {
    .text = "UPDATE coord._member SET told_lost = false WHERE incarnation = $1",
    .parameters = 1,
    .types = {INT8OID}};

bool says_the_same(const BeatRow& beat, const Argument& in_flight_count, const Argument& load_factor) {
  return (in_flight_count.absent || DatumGetInt32(in_flight_count.value) == beat.in_flight_count) &&
         (load_factor.absent || DatumGetFloat8(load_factor.value) == beat.load_factor);
}

}  // namespace

void begin_beat(int64 incarnation, int64 timeout) {
  run(begin_statement, {bigint_argument(incarnation), bigint_argument(timeout)});
}

Renewal renew_beat(int64 incarnation, const Argument& in_flight_count, const Argument& load_factor,
                   BeatRow* before) {
  if (!read_beat(incarnation, before)) return Renewal::unknown;
  const bool same = says_the_same(*before, in_flight_count, load_factor);
  if (same && recorded_just_now(GetCurrentTimestamp(), before->last)) return Renewal::same;
  if (run(renew_statement, {bigint_argument(incarnation), in_flight_count, load_factor}) == 0)
    return Renewal::unknown;
  // By the time after the wait for the row: whoever found it silent before has told so.
  const TimestampTz now = GetCurrentTimestamp();
  if (heard(now, before->last, before->timeout)) return same ? Renewal::same : Renewal::news;
  run(found_statement, {bigint_argument(incarnation)});
  return Renewal::back;
}

int32 limit_beat(int64 incarnation, TimestampTz deadline, const Argument& in_flight_count) {
  if (run(limit_statement, {bigint_argument(incarnation), time_argument(deadline), in_flight_count}) == 0)
    return 0;
  return int_column(0, 1);
}

bool is_heard(int64 incarnation) {
  BeatRow beat{};
  return read_beat(incarnation, &beat) && heard(GetCurrentTimestamp(), beat.last, beat.timeout);
}

bool notice_ran_out(int64 incarnation) {
  BeatRow beat{};
  return read_beat(incarnation, &beat) && run_out(GetCurrentTimestamp(), beat.deadline);
}

void end_beat(int64 incarnation) { run(end_statement, {bigint_argument(incarnation)}); }

}  // namespace coord
