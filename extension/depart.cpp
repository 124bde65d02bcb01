#include "depart.hpp"

#include "change.hpp"
#include "epoch.hpp"
#include "guard.hpp"
#include "handover.hpp"
#include "member.hpp"
#include "spi.hpp"
#include "turn.hpp"

namespace coord {

namespace {

constinit Statement involved_statement = {
    .text = "SELECT election FROM coord._election WHERE leader_incarnation = $1 AND election > $2"
            " UNION SELECT election FROM coord._candidate WHERE incarnation = $1 AND election > $2"
            " ORDER BY 1 LIMIT $3",
    .parameters = 3,
    .types = {INT8OID, TEXTOID, INT4OID}};

constinit Statement forget_statement = {
    .text = "WITH gone AS (DELETE FROM coord._beat WHERE incarnation = $1)"
            " DELETE FROM coord._member WHERE incarnation = $1",
    .parameters = 1,
    .types = {INT8OID}};

void depart_from(const char* election, const Departure& departure) {
  const auto [incarnation, cause, patience] = departure;
  ElectionRow row{};
  if (!take_turn({TurnKind::election, election}, patience)) {
    if (read_election(election, &row) && row.leader_incarnation == incarnation) announce_only(row, cause);
    return;
  }
  if (!read_election_locked(election, &row)) return;
  const int32 epoch = current_epoch();
  if (row.leader_incarnation == incarnation && row.epoch == epoch) {
    if (patience == Patience::bounded || row_is_free(election))
      hand_over(&row, epoch, cause, 0);
    else
      announce_only(row, cause);
  }
  (void)dequeue(election, incarnation);
}

}  // namespace

const char* depart_some(const Departure& departure, const char* after, int most) {
  const int64 count =
      run(involved_statement, {bigint_argument(departure.incarnation), text_argument(after), int_argument(most)});
  const char** const elections = static_cast<const char**>(palloc(sizeof(char*) * (count + 1)));
  for (int64 i = 0; i < count; ++i) elections[i] = text_column(i, 1);
  for (int64 i = 0; i < count; ++i) depart_from(elections[i], departure);
  return count == most ? elections[count - 1] : nullptr;
}

void depart(const Departure& departure) { (void)depart_some(departure, "", INT_MAX); }

void prepare_depart() { prepare(involved_statement); }

namespace {

bool leave_for(const char* cause) {
  Member me{};
  if (!find_member(&me)) return false;
  depart({me.incarnation, cause, Patience::bounded});
  run(forget_statement, {bigint_argument(me.incarnation)});
  return true;
}

}  // namespace

}  // namespace coord

/// What DISCARD ALL does.
COORD_FUNCTION(coord_discard) {
  const coord::Change change = coord::begin_change("leave");
  coord::make_durable();
  (void)coord::leave_for("discarded");
  coord::end_change(change);
  PG_RETURN_VOID();
}

COORD_FUNCTION(coord_leave) {
  const coord::Change change = coord::begin_change("leave");
  coord::make_durable();
  const bool was_member = coord::leave_for("left");
  coord::end_change(change);
  PG_RETURN_BOOL(was_member);
}
