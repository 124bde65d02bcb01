#include "queue.hpp"

#include "row.hpp"
#include "rules/notice.hpp"
#include "rules/order.hpp"
#include "rules/watch.hpp"
#include "session.hpp"
#include "spi.hpp"

namespace coord {

namespace {

constinit Statement queue_up_statement = {
    .text =
        "INSERT INTO coord._candidate AS c (election, incarnation, priority, queued_at)"
        " VALUES ($1, $2, $3, clock_timestamp()) ON CONFLICT (election, incarnation)"
        " DO UPDATE SET priority = excluded.priority WHERE c.priority <> excluded.priority",
    .parameters = 3,
    .types = {TEXTOID, INT8OID, INT4OID}};

constinit Statement dequeue_statement = {
    .text =
        "DELETE FROM coord._candidate c USING (SELECT election, incarnation FROM coord._candidate"
        "  WHERE election = $1 AND incarnation = $2 FOR UPDATE SKIP LOCKED) mine"
        " WHERE c.election = mine.election AND c.incarnation = mine.incarnation",
    .parameters = 2,
    .types = {TEXTOID, INT8OID}};

constinit Statement bury_statement = {
    .text =
        "DELETE FROM coord._candidate c USING (SELECT d.election, d.incarnation FROM coord._candidate d"
        "  LEFT JOIN coord._member m ON m.incarnation = d.incarnation WHERE d.election = $1 AND"
        "  (m.incarnation IS NULL OR NOT coord._session_alive(m.session_pid, m.session_start))"
        "  FOR UPDATE OF d SKIP LOCKED) dead"
        " WHERE c.election = dead.election AND c.incarnation = dead.incarnation",
    .parameters = 1,
    .types = {TEXTOID}};

/// What the walk along the queue has found so far.
struct Search {
  int64 self;
  int64 gone;
  Place best;
  Heir heir;
};

bool eligible(const Search& search, const CandidateRow& candidate, const MemberRow& member,
              const BeatRow& beat) {
  if (!session_alive({member.session_pid, member.session_start})) return false;
  const TimestampTz now = GetCurrentTimestamp();
  if (run_out(now, beat.deadline)) return false;
  return candidate.incarnation == search.self || heard(now, beat.last, beat.timeout);
}

void consider(const CandidateRow& candidate, void* context) {
  Search& search = *static_cast<Search*>(context);
  if (candidate.incarnation == search.gone) return;
  BeatRow beat{};
  if (!read_beat(candidate.incarnation, &beat)) return;
  const Place place{beat.deadline != no_deadline, candidate.priority, candidate.queued_at,
                    candidate.incarnation};
  if (search.heir.incarnation != 0 && !goes_before(place, search.best)) return;
  MemberRow member{};
  if (!read_member(candidate.incarnation, &member) || !eligible(search, candidate, member, beat)) return;
  search.best = place;
  search.heir = {.incarnation = candidate.incarnation,
                 .group = member.group,
                 .instance = member.instance,
                 .pid = member.session_pid,
                 .start = member.session_start};
}

}  // namespace

Heir first_in_queue(const char* election, int64 self, int64 gone) {
  Search search{.self = self, .gone = gone, .best = {}, .heir = {}};
  each_candidate(election, consider, &search);
  return search.heir;
}

void queue_up(const char* election, int64 incarnation, int32 priority) {
  run(queue_up_statement, {text_argument(election), bigint_argument(incarnation), int_argument(priority)});
}

bool dequeue(const char* election, int64 incarnation) {
  return run(dequeue_statement, {text_argument(election), bigint_argument(incarnation)}) != 0;
}

void bury_dead(const char* election) { run(bury_statement, {text_argument(election)}); }

void prepare_queue() { prepare(dequeue_statement); }

}  // namespace coord
