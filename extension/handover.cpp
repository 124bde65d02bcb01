#include "handover.hpp"

#include "change.hpp"
#include "fail.hpp"
#include "message.hpp"
#include "rules/token.hpp"
#include "spi.hpp"

namespace coord {

namespace {

constinit Statement change_statement = {
    .text =
        "WITH free AS (SELECT election FROM coord._election WHERE election = $1 FOR UPDATE SKIP LOCKED),"
        " changed AS (UPDATE coord._election e SET epoch = $2, term = $3, leader_incarnation = $4,"
        "  leader_group = $5, leader = $6, leader_pid = $7, leader_start = $8, elected_at = $9"
        "  FROM free WHERE e.election = free.election RETURNING e.election),"
        " served AS (DELETE FROM coord._candidate c USING changed, (SELECT election, incarnation"
        "   FROM coord._candidate WHERE election = $1 AND incarnation = $4 FOR UPDATE SKIP LOCKED) heir"
        "  WHERE c.election = heir.election AND c.incarnation = heir.incarnation)"
        " INSERT INTO coord._change (election, epoch, term, previous, leader, cause, at)"
        " SELECT election, $2, $3, $10, $6, $11, $12 FROM changed RETURNING event_id",
    .parameters = 12,
    .types = {TEXTOID, INT4OID, INT8OID, INT8OID, TEXTOID, TEXTOID, INT4OID, TIMESTAMPTZOID, TIMESTAMPTZOID,
              TEXTOID, TEXTOID, TIMESTAMPTZOID}};

Argument unless_nobody(const ElectionRow& row, Datum value) { return {value, row.leader == nullptr}; }

void tell(const LeaderChange& change, const char* group, const char* other_group) {
  tell_leader_change(change, group);
  if (!group || !other_group || strcmp(group, other_group) != 0) tell_leader_change(change, other_group);
}

/// Writes `next` over `before`.
bool change(const ElectionRow& before, const ElectionRow& next, const char* cause) {
  const TimestampTz at = next.leader ? next.elected_at : GetCurrentTimestamp();
  if (run(change_statement,
          {text_argument(next.election), int_argument(next.epoch), bigint_argument(next.term),
           unless_nobody(next, Int64GetDatum(next.leader_incarnation)), text_argument(next.leader_group),
           text_argument(next.leader), unless_nobody(next, Int32GetDatum(next.leader_pid)),
           unless_nobody(next, TimestampTzGetDatum(next.leader_start)),
           unless_nobody(next, TimestampTzGetDatum(next.elected_at)), text_argument(before.leader),
           text_argument(cause), time_argument(at)}) == 0)
    return false;
  make_durable();
  tell({.election = next.election,
        .leader = next.leader,
        .previous = before.leader,
        .successor = nullptr,
        .epoch = next.epoch,
        .term = next.term,
        .cause = cause,
        .at = at,
        .event_id = bigint_column(0, 1)},
       next.leader_group, before.leader_group);
  return true;
}

bool vacate(ElectionRow* row, const char* cause) {
  const ElectionRow next{.election = row->election, .epoch = row->epoch, .term = row->term};
  if (!change(*row, next, cause)) return false;
  *row = next;
  return true;
}

}  // namespace

bool grant(ElectionRow* row, int32 epoch, const Heir& heir, const char* cause) {
  if (row->term >= last_term)
    fail({.code = ERRCODE_PROGRAM_LIMIT_EXCEEDED, .message = "the terms of this election are used up"});
  const ElectionRow next{.election = row->election,
                         .epoch = epoch,
                         .term = row->term + 1,
                         .leader_incarnation = heir.incarnation,
                         .leader_group = heir.group,
                         .leader = heir.instance,
                         .leader_pid = heir.pid,
                         .leader_start = heir.start,
                         .elected_at = GetCurrentTimestamp()};
  if (!change(*row, next, cause)) return false;
  *row = next;
  return true;
}

bool hand_over(ElectionRow* row, int32 epoch, const char* cause, int64 self) {
  const Heir heir = first_in_queue(row->election, self, row->leader_incarnation);
  return heir.incarnation != 0 ? grant(row, epoch, heir, cause) : vacate(row, cause);
}

void announce_only(const ElectionRow& row, const char* cause) {
  const Heir heir = first_in_queue(row.election, 0, row.leader_incarnation);
  tell({.election = row.election,
        .leader = nullptr,
        .previous = row.leader,
        .successor = heir.instance,
        .epoch = row.epoch,
        .term = row.term,
        .cause = cause,
        .at = GetCurrentTimestamp(),
        .event_id = 0},
       row.leader_group, heir.group);
}

void fail_row_held(const char* election) {
  fail({.code = ERRCODE_LOCK_NOT_AVAILABLE,
        .message = psprintf("the row of election \"%s\" is locked by another transaction", election)});
}

void prepare_handover() { prepare(change_statement); }

}  // namespace coord
