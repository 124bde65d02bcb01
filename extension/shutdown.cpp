#include "arguments.hpp"
#include "beat.hpp"
#include "change.hpp"
#include "fail.hpp"
#include "guard.hpp"
#include "member.hpp"
#include "message.hpp"
#include "rules/notice.hpp"
#include "seat.hpp"
#include "session.hpp"
#include "spi.hpp"
#include "turn.hpp"

namespace coord {

namespace {

constinit Statement notice_statement = {
    .text =
        "UPDATE coord._member SET shutdown_intent = $2, shutdown_initiated_at = $3, shutdown_deadline = $4,"
        " shutdown_metadata = $5 WHERE incarnation = $1 RETURNING subscriptions",
    .parameters = 5,
    .types = {INT8OID, TEXTOID, TIMESTAMPTZOID, TIMESTAMPTZOID, JSONBOID}};

/// Who leaves, why, and how long it takes.
struct Plan {
  const char* group;
  const char* instance;
  int64 incarnation;
  const char* intent;
  int64 drain;  // microseconds
  Argument in_flight_count;
  Datum metadata;
};

const char* intent_argument(FunctionCallInfo fcinfo, int number) {
  require_argument(fcinfo, number, "intent");
  const char* const intent = text_to_cstring(PG_GETARG_TEXT_PP(number));
  if (!is_shutdown_intent(intent))
    fail({.code = ERRCODE_INVALID_PARAMETER_VALUE,
          .message = "invalid intent",
          .hint = "Use graceful, preemption, health_failure or maintenance."});
  return intent;
}

/// Records the notice, which replaces any former one, and tells the peers.
TimestampTz announce_shutdown(const Plan& plan) {
  const TimestampTz now = GetCurrentTimestamp();
  const TimestampTz deadline = now + plan.drain;
  if (run(notice_statement, {bigint_argument(plan.incarnation),
                             text_argument(plan.intent),
                             time_argument(now),
                             time_argument(deadline),
                             {plan.metadata}}) == 0)
    fail_not_a_member();
  const Datum subscriptions = datum_column(0, 1);
  tell_shutdown({.instance = plan.instance,
                 .incarnation = plan.incarnation,
                 .intent = plan.intent,
                 .initiated_at = now,
                 .deadline = deadline,
                 .subscriptions = subscriptions,
                 .in_flight_count = limit_beat(plan.incarnation, deadline, plan.in_flight_count),
                 .metadata = plan.metadata},
                plan.group);
  return deadline;
}

/// Under the turn of its name, so that nobody joins under it meanwhile.
Member require_member_in_turn() {
  const Member me = require_member();
  wait_for_name(me.group, me.instance);
  return require_member();
}

SeatRow require_living(const char* group, const char* instance) {
  wait_for_name(group, instance);
  const SeatRow seat = find_seat(group, instance);
  if (seat.incarnation == 0 || !session_alive(seat.holder))
    fail({.code = sqlstate::not_a_member,
          .message = psprintf("instance \"%s\" is not a member of group \"%s\"", instance, group),
          .detail = seat.incarnation == 0 ? "There is no such instance." : "Its session has ended."});
  return seat;
}

}  // namespace

}  // namespace coord

COORD_FUNCTION(coord_announce_shutdown) {
  coord::Plan plan{
      .group = nullptr,
      .instance = nullptr,
      .incarnation = 0,
      .intent = coord::intent_argument(fcinfo, 0),
      .drain = coord::drain_argument(fcinfo, 1, "drain_timeout"),
      .in_flight_count = coord::int_argument(coord::count_argument(fcinfo, 2, "in_flight_count")),
      .metadata = coord::object_argument(fcinfo, 3, "metadata")};
  const coord::Change change = coord::begin_change("announce_shutdown");
  coord::make_durable();
  const coord::Member me = coord::require_member_in_turn();
  plan.group = me.group;
  plan.instance = me.instance;
  plan.incarnation = me.incarnation;
  const TimestampTz deadline = coord::announce_shutdown(plan);
  coord::end_change(change);
  PG_RETURN_TIMESTAMPTZ(deadline);
}

/// On behalf of a member whose program cannot be asked.
COORD_FUNCTION(coord_drain) {
  coord::Plan plan{.group = coord::name_argument(fcinfo, 1, "member_group"),
                   .instance = coord::name_argument(fcinfo, 0, "instance_id"),
                   .incarnation = 0,
                   .intent = coord::intent_argument(fcinfo, 2),
                   .drain = coord::drain_argument(fcinfo, 3, "drain_timeout"),
                   .in_flight_count = coord::absent_argument,
                   .metadata = coord::object_argument(fcinfo, 4, "metadata")};
  const coord::Change change = coord::begin_change("drain");
  coord::make_durable();
  const coord::SeatRow seat = coord::require_living(plan.group, plan.instance);
  coord::require_owner(seat, plan.instance);
  plan.incarnation = seat.incarnation;
  const TimestampTz deadline = coord::announce_shutdown(plan);
  coord::end_change(change);
  PG_RETURN_TIMESTAMPTZ(deadline);
}
