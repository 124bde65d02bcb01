#include "sweep.hpp"

#include "absence.hpp"
#include "change.hpp"
#include "depart.hpp"
#include "epoch.hpp"
#include "guard.hpp"
#include "handover.hpp"
#include "leadership.hpp"
#include "member.hpp"
#include "session.hpp"
#include "settings.hpp"
#include "spi.hpp"
#include "turn.hpp"

namespace coord {

namespace {

constinit Statement suspects_statement = {
    .text =
        "SELECT e.election FROM coord._election e"
        " LEFT JOIN coord._beat b ON b.incarnation = e.leader_incarnation"
        " WHERE CASE WHEN e.leader_incarnation IS NULL OR e.epoch <> $1"
        "  THEN EXISTS (SELECT FROM coord._candidate c WHERE c.election = e.election)"
        "  ELSE b.incarnation IS NULL OR NOT coord._session_alive(e.leader_pid, e.leader_start)"
        "   OR b.shutdown_deadline <= clock_timestamp()"
        "   OR NOT coord._heard(b.last_heartbeat_at, b.heartbeat_timeout) END"
        " ORDER BY random() LIMIT $2",
    .parameters = 2,
    .types = {INT4OID, INT4OID}};

constinit Statement members_statement = {
    .text = "SELECT count(*) FROM coord._member WHERE coord._session_alive(session_pid, session_start)",
    .parameters = 0,
    .types = {}};

constinit Statement next_statement = {
    .text =
        "SELECT s.suspect_at, s.suspect_at IS DISTINCT FROM b.shutdown_deadline, b.heartbeat_timeout"
        " FROM coord._election e JOIN coord._beat b ON b.incarnation = e.leader_incarnation"
        " CROSS JOIN LATERAL (SELECT least(b.shutdown_deadline, CASE WHEN e.leader_incarnation <> $1 THEN"
        "  b.last_heartbeat_at + (b.heartbeat_timeout + $2) * interval '1 microsecond' END)) AS s "
        "(suspect_at)"
        " ORDER BY s.suspect_at LIMIT 1",
    .parameters = 2,
    .types = {INT8OID, INT8OID}};

void fill_vacancy(ElectionRow* row) {
  const Heir heir = first_in_queue(row->election, membership().incarnation, 0);
  if (heir.incarnation == 0) return;
  (void)grant(row, ensure_epoch(), heir, "elected");
}

void look_into(const char* election) {
  if (!try_turn({TurnKind::election, election}, Patience::none)) return;
  ElectionRow row{};
  if (!read_election_locked(election, &row)) return;
  bury_dead(election);
  const int32 epoch = current_epoch();
  switch (judged_standing_of(row, epoch)) {
    case Standing::dead:
      (void)hand_over(&row, epoch, "session_end", membership().incarnation);
      return;
    case Standing::silent:
      (void)hand_over(&row, epoch, "silent", membership().incarnation);
      return;
    case Standing::drained:
      (void)hand_over(&row, epoch, "drained", membership().incarnation);
      return;
    case Standing::vacant:
      return fill_vacancy(&row);
    case Standing::mine:
    case Standing::other:
      return;
  }
}

int64 living_members() {
  run(members_statement, {});
  return bigint_column(0, 1);
}

/// Microseconds until a leader could next be found silent.
int64 until_next_suspicion() {
  const int64 shortest = 50'000;
  const Membership& me = membership();
  if (me.next_sweep <= this_moment().monotonic) return shortest;  // there was more than one sweep can do
  int64 left = me.timeout;
  if (run(next_statement, {bigint_argument(me.incarnation), bigint_argument(beat_grain)}) != 0 &&
      !is_null(0, 1)) {
    const int64 by_clock = time_column(0, 1) - GetCurrentTimestamp();
    const int64 by_watch =
        bool_column(0, 2) ? me.watch.until_may_judge(this_moment(), bigint_column(0, 3)) : 0;
    left = by_clock > by_watch ? by_clock : by_watch;
  }
  if (left < shortest) return shortest;
  return left > me.timeout ? me.timeout : left;
}

}  // namespace

void sweep() {
  const int64 count = run(suspects_statement, {int_argument(current_epoch()), int_argument(departure_batch)});
  const char** const elections = static_cast<const char**>(palloc(sizeof(char*) * (count + 1)));
  for (int64 i = 0; i < count; ++i) elections[i] = text_column(i, 1);
  for (int64 i = 0; i < count; ++i) look_into(elections[i]);
  tell_absences();
  put_off_sweep(count < departure_batch ? living_members() : 0);
  tidy_up_now_and_then();
}

void put_off_sweep(int64 members) {
  const double spread = 0.5 + pg_prng_double(&pg_global_prng_state);
  const double seconds = static_cast<double>(members) * spread;
  membership().next_sweep = this_moment().monotonic + static_cast<int64>(seconds * USECS_PER_SEC);
}

void sweep_if_due() {
  if (this_moment().monotonic >= membership().next_sweep) sweep();
}

}  // namespace coord

COORD_FUNCTION(coord_sweep) {
  const coord::Change change = coord::begin_change("sweep");
  (void)coord::require_member();
  coord::sweep();
  const int64 left = coord::until_next_suspicion();
  coord::end_change(change);
  Interval* const result = static_cast<Interval*>(palloc0(sizeof(Interval)));
  result->time = left;
  PG_RETURN_INTERVAL_P(result);
}
