#include "arguments.hpp"
#include "change.hpp"
#include "fail.hpp"
#include "guard.hpp"
#include "leave.hpp"
#include "member.hpp"
#include "seat.hpp"
#include "session.hpp"
#include "turn.hpp"

namespace coord {

namespace {

/// A session that is a member judges only when it was awake; another one goes by the clock.
bool may_call_silent(const SeatRow& seat) {
  if (my_incarnation() == 0) return true;
  membership().watch.look(this_moment(), membership().timeout);
  return membership().watch.may_judge(this_moment(), seat.timeout);
}

void refuse_living(const SeatRow& seat, const char* instance) {
  if (!session_alive(seat.holder) || (seat.silent && may_call_silent(seat))) return;
  fail({.code = sqlstate::instance_in_use,
        .message = psprintf("instance \"%s\" is alive", instance),
        .detail =
            psprintf("Process %d holds it, and is neither gone nor known to be silent.", seat.holder.pid),
        .hint = "Only what is gone can be removed; coord.drain() asks an instance to leave."});
}

bool remove(const char* group, const char* instance) {
  wait_for_name(group, instance);
  const SeatRow seat = find_seat(group, instance);
  if (seat.incarnation == 0) return false;
  require_owner(seat, instance);
  refuse_living(seat, instance);
  const char* const cause = session_alive(seat.holder) ? "silent" : "session_end";
  end_membership({seat.incarnation, group, instance, cause, MemberEvent::removed});
  return true;
}

}  // namespace

}  // namespace coord

COORD_FUNCTION(coord_remove_member) {
  const char* const instance = coord::name_argument(fcinfo, 0, "instance_id");
  const char* const group = coord::name_argument(fcinfo, 1, "member_group");
  const coord::Change change = coord::begin_change("remove_member");
  coord::make_durable();
  const bool removed = coord::remove(group, instance);
  coord::end_change(change);
  PG_RETURN_BOOL(removed);
}
