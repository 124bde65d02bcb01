#include "leadership.hpp"

#include "beat.hpp"
#include "rules/notice.hpp"
#include "rules/token.hpp"
#include "session.hpp"

namespace coord {

namespace {

constexpr int columns = 7;

bool led_by_this_session(const ElectionRow& row) {
  return row.leader_pid == MyProcPid && row.leader_start == this_session().start &&
         row.leader_incarnation == membership().incarnation;
}

void fill(const ElectionRow& row, Datum* values, bool* absent) {
  const bool led = row.leader != nullptr;
  memset(absent, 0, columns);
  values[0] = CStringGetTextDatum(row.election);
  values[1] = led ? CStringGetTextDatum(row.leader) : Datum{0};
  absent[1] = !led;
  values[2] = BoolGetDatum(led && led_by_this_session(row));
  values[3] = Int32GetDatum(row.epoch);
  values[4] = Int64GetDatum(row.term);
  values[5] = Int64GetDatum(make_token(row.epoch, row.term));
  values[6] = TimestampTzGetDatum(row.elected_at);
  absent[6] = !led;
}

bool judge_allows(const BeatRow& beat) { return membership().watch.may_judge(this_moment(), beat.timeout); }

Standing standing_with(const ElectionRow& row, int32 epoch, bool (*may_judge)(const BeatRow&)) {
  if (row.leader_incarnation == 0 || row.epoch != epoch || epoch == 0) return Standing::vacant;
  const bool mine = led_by_this_session(row);
  if (!mine && !session_alive({row.leader_pid, row.leader_start})) return Standing::dead;
  BeatRow beat{};
  if (!read_beat(row.leader_incarnation, &beat)) return Standing::dead;  // its membership has ended
  const TimestampTz now = GetCurrentTimestamp();
  if (run_out(now, beat.deadline)) return Standing::drained;
  if (mine) return Standing::mine;
  if (heard(now, beat.last, beat.timeout)) return Standing::other;
  return may_judge(beat) ? Standing::silent : Standing::other;
}

}  // namespace

Standing standing_of(const ElectionRow& row, int32 epoch) {
  return standing_with(row, epoch, [](const BeatRow&) { return true; });
}

Standing judged_standing_of(const ElectionRow& row, int32 epoch) {
  const Standing standing = standing_with(row, epoch, judge_allows);
  if (standing != Standing::silent) return standing;
  if (!lock_beat(row.leader_incarnation)) return Standing::other;  // it is being heard right now
  return standing_with(row, epoch, judge_allows);
}

Datum leadership_datum(FunctionCallInfo fcinfo, const ElectionRow& row) {
  TupleDesc shape = nullptr;
  (void)get_call_result_type(fcinfo, nullptr, &shape);
  Datum values[columns];
  bool absent[columns];
  fill(row, values, absent);
  return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(shape), values, absent));
}

void put_leadership(ReturnSetInfo* result, const ElectionRow& row) {
  Datum values[columns];
  bool absent[columns];
  fill(row, values, absent);
  tuplestore_putvalues(result->setResult, result->setDesc, values, absent);
}

}  // namespace coord
