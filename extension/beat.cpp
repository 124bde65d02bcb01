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

constinit Statement end_statement = {
    .text = "DELETE FROM coord._beat WHERE incarnation = $1", .parameters = 1, .types = {INT8OID}};

constinit Statement limit_statement = {
    .text =
        "UPDATE coord._beat SET shutdown_deadline = $2, in_flight_count = COALESCE($3, in_flight_count)"
        " WHERE incarnation = $1 RETURNING in_flight_count",
    .parameters = 3,
    .types = {INT8OID, TIMESTAMPTZOID, INT4OID}};

constinit Statement lock_statement = {
    .text = "SELECT FROM coord._beat WHERE incarnation = $1 FOR UPDATE SKIP LOCKED",
    .parameters = 1,
    .types = {INT8OID}};

/// The columns that a heartbeat writes; none of them may be null.
struct Beat {
  int64 incarnation;
  int64 timeout;
  TimestampTz last;
  int32 in_flight_count;
  float8 load_factor;
};

/// A row under a lock that keeps everybody else from changing it, until the end of the write.
struct Writing {
  Relation table;
  HeapTuple row;  // a copy; null if there is none
  void* state;
};

Writing begin_write(int64 incarnation) {
  Writing writing{open_table(Table::beat, RowExclusiveLock), nullptr, nullptr};
  ScanKeyData key;
  ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_INT8EQ, Int64GetDatum(incarnation));
  const Oid index = find_index(Key::beat_by_incarnation);
  systable_inplace_update_begin(writing.table, index, OidIsValid(index), nullptr, 1, &key, &writing.row,
                                &writing.state);
  return writing;
}

/// Writes the copy over the row, or leaves the row as it is.
void end_write(const Writing& writing, bool write) {
  if (writing.row && write) systable_inplace_update_finish(writing.state, writing.row);
  if (writing.row && !write) systable_inplace_update_cancel(writing.state);
  table_close(writing.table, NoLock);
}

BeatRow row_of(const Writing& writing) {
  const auto* const beat = reinterpret_cast<Beat*>(GETSTRUCT(writing.row));
  bool absent = false;
  const Datum deadline = heap_getattr(writing.row, 6, RelationGetDescr(writing.table), &absent);
  return {beat->timeout, beat->last, beat->in_flight_count, beat->load_factor,
          absent ? no_deadline : DatumGetTimestampTz(deadline)};
}

bool says_the_same(const BeatRow& beat, const Argument& in_flight_count, const Argument& load_factor) {
  return (in_flight_count.absent || DatumGetInt32(in_flight_count.value) == beat.in_flight_count) &&
         (load_factor.absent || DatumGetFloat8(load_factor.value) == beat.load_factor);
}

void put(const Writing& writing, TimestampTz now, const Argument& in_flight_count,
         const Argument& load_factor) {
  auto* const beat = reinterpret_cast<Beat*>(GETSTRUCT(writing.row));
  beat->last = now;
  if (!in_flight_count.absent) beat->in_flight_count = DatumGetInt32(in_flight_count.value);
  if (!load_factor.absent) beat->load_factor = DatumGetFloat8(load_factor.value);
}

}  // namespace

void begin_beat(int64 incarnation, int64 timeout) {
  run(begin_statement, {bigint_argument(incarnation), bigint_argument(timeout)});
}

Renewal renew_beat(int64 incarnation, const Argument& in_flight_count, const Argument& load_factor,
                   BeatRow* before) {
  const Writing writing = begin_write(incarnation);
  if (!writing.row) {
    end_write(writing, false);
    return Renewal::unknown;
  }
  // By the time after the wait for the row: whoever found it silent before has told so.
  const TimestampTz now = GetCurrentTimestamp();
  *before = row_of(writing);
  const bool same = says_the_same(*before, in_flight_count, load_factor);
  const bool write = !same || !recorded_just_now(now, before->last);
  if (write) put(writing, now, in_flight_count, load_factor);
  end_write(writing, write);
  if (!heard(now, before->last, before->timeout)) return Renewal::back;
  return same ? Renewal::same : Renewal::news;
}

bool lock_beat(int64 incarnation) { return run(lock_statement, {bigint_argument(incarnation)}) != 0; }

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
