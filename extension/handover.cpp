#include "handover.hpp"

#include "change.hpp"
#include "doorbell.hpp"
#include "fail.hpp"
#include "rules/token.hpp"
#include "spi.hpp"

namespace coord {

namespace {

constinit Statement queue_statement = {
    .text = "SELECT m.incarnation, m.member_group, m.instance_id, m.session_pid, m.session_start"
            " FROM coord._candidate c"
            " JOIN coord._member m ON m.incarnation = c.incarnation"
            " JOIN coord._beat b ON b.incarnation = c.incarnation"
            " WHERE c.election = $1 AND m.incarnation <> $3"
            " AND coord._session_alive(m.session_pid, m.session_start)"
            " AND (m.incarnation = $2 OR coord._heard(b.last_heartbeat_at, b.heartbeat_timeout))"
            " ORDER BY c.priority DESC, c.queued_at, c.incarnation LIMIT 1",
    .parameters = 3,
    .types = {TEXTOID, INT8OID, INT8OID}};

constinit Statement grant_statement = {
    .text = "UPDATE coord._election SET epoch = $2, term = $3, leader_incarnation = $4, leader_group = $5,"
            " leader = $6, leader_pid = $7, leader_start = $8, elected_at = $9"
            " WHERE election = $1",
    .parameters = 9,
    .types = {TEXTOID, INT4OID, INT8OID, INT8OID, TEXTOID, TEXTOID, INT4OID, TIMESTAMPTZOID, TIMESTAMPTZOID}};

constinit Statement vacate_statement = {
    .text = "UPDATE coord._election SET leader_incarnation = NULL, leader_group = NULL, leader = NULL,"
            " leader_pid = NULL, leader_start = NULL, elected_at = NULL WHERE election = $1",
    .parameters = 1,
    .types = {TEXTOID}};

constinit Statement dequeue_statement = {
    .text = "DELETE FROM coord._candidate c USING (SELECT election, incarnation FROM coord._candidate"
            "  WHERE election = $1 AND incarnation = $2"
            "  FOR UPDATE SKIP LOCKED) mine"
            " WHERE c.election = mine.election"
            " AND c.incarnation = mine.incarnation",
    .parameters = 2,
    .types = {TEXTOID, INT8OID}};

constinit Statement journal_statement = {
    .text = "INSERT INTO coord._change (election, epoch, term, previous, leader, cause, at)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING event_id",
    .parameters = 7,
    .types = {TEXTOID, INT4OID, INT8OID, TEXTOID, TEXTOID, TEXTOID, TIMESTAMPTZOID}};

constinit Statement free_statement = {
    .text = "SELECT 1 FROM coord._election WHERE election = $1 FOR UPDATE SKIP LOCKED",
    .parameters = 1,
    .types = {TEXTOID}};

/// What the row said before it was changed.
struct Before {
  const char* leader;
  const char* group;
};

void tell_both(const Notice& notice, const char* group, const char* other_group) {
  announce(notice, group);
  if (!group || !other_group || strcmp(group, other_group) != 0) announce(notice, other_group);
}

void tell(const ElectionRow& row, const Before& before, const char* cause, TimestampTz at) {
  make_durable();
  run(journal_statement, {text_argument(row.election), int_argument(row.epoch), bigint_argument(row.term),
                          text_argument(before.leader), text_argument(row.leader), text_argument(cause),
                          time_argument(at)});
  tell_both({.election = row.election,
             .leader = row.leader,
             .previous = before.leader,
             .successor = nullptr,
             .epoch = row.epoch,
             .term = row.term,
             .cause = cause,
             .at = at,
             .event_id = bigint_column(0, 1)},
            row.leader_group, before.group);
}

void vacate(ElectionRow* row, const char* cause) {
  const Before before{row->leader, row->leader_group};
  run(vacate_statement, {text_argument(row->election)});
  row->leader_incarnation = 0;
  row->leader = row->leader_group = nullptr;
  tell(*row, before, cause, GetCurrentTimestamp());
}

}  // namespace

Heir first_in_queue(const char* election, int64 self, int64 gone) {
  if (run(queue_statement, {text_argument(election), bigint_argument(self), bigint_argument(gone)}) == 0)
    return {};
  return {bigint_column(0, 1), text_column(0, 2), text_column(0, 3), int_column(0, 4), time_column(0, 5)};
}

void grant(ElectionRow* row, int32 epoch, const Heir& heir, const char* cause) {
  if (row->term >= last_term)
    fail({.code = ERRCODE_PROGRAM_LIMIT_EXCEEDED, .message = "the terms of this election are used up"});
  const Before before{row->leader, row->leader_group};
  row->epoch = epoch;
  row->term += 1;
  row->leader_incarnation = heir.incarnation;
  row->leader_group = heir.group;
  row->leader = heir.instance;
  row->leader_pid = heir.pid;
  row->leader_start = heir.start;
  row->elected_at = GetCurrentTimestamp();
  run(grant_statement, {text_argument(row->election), int_argument(epoch), bigint_argument(row->term),
                        bigint_argument(heir.incarnation), text_argument(heir.group), text_argument(heir.instance),
                        int_argument(heir.pid), time_argument(heir.start), time_argument(row->elected_at)});
  (void)dequeue(row->election, heir.incarnation);
  tell(*row, before, cause, row->elected_at);
}

void hand_over(ElectionRow* row, int32 epoch, const char* cause, int64 self) {
  const Heir heir = first_in_queue(row->election, self, row->leader_incarnation);
  if (heir.incarnation != 0)
    grant(row, epoch, heir, cause);
  else
    vacate(row, cause);
}

bool dequeue(const char* election, int64 incarnation) {
  return run(dequeue_statement, {text_argument(election), bigint_argument(incarnation)}) != 0;
}

bool row_is_free(const char* election) { return run(free_statement, {text_argument(election)}) != 0; }

void announce_only(const ElectionRow& row, const char* cause) {
  const Heir heir = first_in_queue(row.election, 0, row.leader_incarnation);
  tell_both({.election = row.election,
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

void prepare_handover() {
  prepare(queue_statement);
  prepare(grant_statement);
  prepare(vacate_statement);
  prepare(dequeue_statement);
  prepare(journal_statement);
  prepare(free_statement);
}

}  // namespace coord
