#include "arguments.hpp"
#include "beat.hpp"
#include "change.hpp"
#include "epoch.hpp"
#include "fail.hpp"
#include "guard.hpp"
#include "handover.hpp"
#include "heartbeat.hpp"
#include "leadership.hpp"
#include "member.hpp"
#include "session.hpp"
#include "spi.hpp"
#include "turn.hpp"

namespace coord {

namespace {

constinit Statement found_statement = {
    // The journal still knows the terms of a row that somebody has deleted.
    .text =
        "INSERT INTO coord._election (election, epoch, term)"
        " SELECT $1, $2, COALESCE(max(c.term), 0) FROM coord._change c WHERE c.election = $1"
        " ON CONFLICT DO NOTHING",
    .parameters = 2,
    .types = {TEXTOID, INT4OID}};

enum class Queueing { yes, no };

struct Candidacy {
  const char* election;
  Queueing queueing;
  int32 priority;
};

const char* cause_of(Standing standing) {
  switch (standing) {
    case Standing::dead:
      return "session_end";
    case Standing::silent:
      return "silent";
    case Standing::drained:
      return "drained";
    default:
      return "elected";
  }
}

ElectionRow found_election(const char* election, int32 epoch) {
  ElectionRow row{};
  if (read_election_locked(election, &row)) return row;
  run(found_statement, {text_argument(election), int_argument(epoch)});
  if (!read_election_locked(election, &row)) elog(ERROR, "the row of election \"%s\" is hidden", election);
  return row;
}

[[noreturn]] void fail_drained() {
  fail({.code = sqlstate::not_a_member,
        .message = "this session's member has shut down",
        .detail = "The deadline of its notice has passed.",
        .hint = "Call coord.join() again to take part."});
}

Heir heir_from(const Member& me) {
  const SessionName session = this_session();
  return {me.incarnation, me.group, me.instance, session.pid, session.start};
}

ElectionRow stand(const Candidacy& candidacy, const Member& me) {
  wait_for_turn({TurnKind::election, candidacy.election});
  const int32 epoch = ensure_epoch();
  ElectionRow row = found_election(candidacy.election, epoch);
  const Standing standing = judged_standing_of(row, epoch);
  const bool nothing_to_change =
      standing == Standing::mine || (standing == Standing::other && candidacy.queueing == Queueing::no);
  if (nothing_to_change) {
    end_turn(
        {TurnKind::election, candidacy.election});  // whatever else this statement does, it holds up nobody
    return row;
  }
  if (candidacy.queueing == Queueing::yes) queue_up(candidacy.election, me.incarnation, candidacy.priority);
  if (standing == Standing::other) return row;
  Heir heir = first_in_queue(candidacy.election, me.incarnation, row.leader_incarnation);
  if (heir.incarnation == 0) heir = heir_from(me);
  // A silent member that wins is heard by this call, or its term would be nobody's at once.
  if (heir.incarnation == me.incarnation && !is_heard(me.incarnation)) prove_life(me.incarnation);
  if (!grant(&row, epoch, heir, cause_of(standing))) fail_row_held(candidacy.election);
  return row;
}

Datum campaign(FunctionCallInfo fcinfo, const char* function, const Candidacy& candidacy) {
  const Change change = begin_change(function);
  const Member me = require_member();
  if (notice_ran_out(me.incarnation)) fail_drained();
  const ElectionRow row = stand(candidacy, me);
  const MemoryContext inside = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
  const Datum result = leadership_datum(fcinfo, row);
  MemoryContextSwitchTo(inside);
  end_change(change);
  return result;
}

/// Ends the term of an election that somebody leads; `only_mine` leaves those of other sessions alone.
bool end_term(const char* election, const char* cause, bool only_mine) {
  wait_for_turn({TurnKind::election, election});
  const int32 epoch = current_epoch();
  ElectionRow row{};
  if (!read_election_locked(election, &row)) return false;
  const Standing standing = standing_of(row, epoch);
  const bool mine = row.leader_incarnation != 0 && row.leader_incarnation == my_incarnation();
  if (standing == Standing::vacant || (only_mine && !mine)) {
    end_turn({TurnKind::election, election});
    return false;
  }
  if (!hand_over(&row, epoch, cause, 0)) fail_row_held(election);
  return true;
}

}  // namespace

}  // namespace coord

COORD_FUNCTION(coord_campaign) {
  const char* const election = coord::name_argument(fcinfo, 0, "election");
  coord::require_argument(fcinfo, 1, "priority");
  return coord::campaign(fcinfo, "campaign", {election, coord::Queueing::yes, PG_GETARG_INT32(1)});
}

COORD_FUNCTION(coord_try_acquire) {
  const char* const election = coord::name_argument(fcinfo, 0, "election");
  return coord::campaign(fcinfo, "try_acquire", {election, coord::Queueing::no, 0});
}

COORD_FUNCTION(coord_resign) {
  const char* const election = coord::name_argument(fcinfo, 0, "election");
  const coord::Change change = coord::begin_change("resign");
  (void)coord::require_member();
  const bool led = coord::end_term(election, "resigned", true);
  coord::end_change(change);
  PG_RETURN_BOOL(led);
}

COORD_FUNCTION(coord_withdraw) {
  const char* const election = coord::name_argument(fcinfo, 0, "election");
  const coord::Change change = coord::begin_change("withdraw");
  const coord::Member me = coord::require_member();
  coord::wait_for_turn({coord::TurnKind::election, election});
  const bool queued = coord::dequeue(election, me.incarnation);
  coord::end_change(change);
  PG_RETURN_BOOL(queued);
}

COORD_FUNCTION(coord_depose) {
  const char* const election = coord::name_argument(fcinfo, 0, "election");
  const coord::Change change = coord::begin_change("depose");
  const bool ended = coord::end_term(election, "deposed", false);
  coord::end_change(change);
  PG_RETURN_BOOL(ended);
}
