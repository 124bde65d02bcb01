#include "leave.hpp"

#include "beat.hpp"
#include "change.hpp"
#include "depart.hpp"
#include "guard.hpp"
#include "member.hpp"
#include "spi.hpp"

namespace coord {

namespace {

constinit Statement forget_statement = {
    .text = "DELETE FROM coord._member WHERE incarnation = $1 AND (shutdown_intent IS NULL OR $2)",
    .parameters = 2,
    .types = {INT8OID, BOOLOID}};

constinit Statement unbind_statement = {
    .text = "UPDATE coord._member SET session_pid = NULL, session_start = NULL WHERE incarnation = $1",
    .parameters = 1,
    .types = {INT8OID}};

}  // namespace

void end_membership(const Leaving& leaving) {
  depart({leaving.incarnation, leaving.cause, Patience::bounded});
  end_beat(leaving.incarnation);
  const bool entirely = leaving.event == MemberEvent::removed;
  if (run(forget_statement, {bigint_argument(leaving.incarnation), {BoolGetDatum(entirely)}}) == 0)
    run(unbind_statement, {bigint_argument(leaving.incarnation)});
  tell_member_event(leaving.group, leaving.instance, leaving.incarnation, leaving.event);
}

namespace {

bool leave_for(const char* cause) {
  const Change change = begin_change("leave");
  make_durable();
  Member me{};
  const bool was_member = find_member(&me);
  if (was_member) end_membership({me.incarnation, me.group, me.instance, cause, MemberEvent::left});
  end_change(change);
  return was_member;
}

}  // namespace

}  // namespace coord

/// What DISCARD ALL does.
COORD_FUNCTION(coord_discard) {
  (void)coord::leave_for("discarded");
  PG_RETURN_VOID();
}

COORD_FUNCTION(coord_leave) { PG_RETURN_BOOL(coord::leave_for("left")); }
