#include "arguments.hpp"
#include "beat.hpp"
#include "change.hpp"
#include "depart.hpp"
#include "fail.hpp"
#include "guard.hpp"
#include "heartbeat.hpp"
#include "member.hpp"
#include "message.hpp"
#include "registry.hpp"
#include "seat.hpp"
#include "session.hpp"
#include "session_end.hpp"
#include "spi.hpp"
#include "sweep.hpp"
#include "turn.hpp"

namespace coord {

namespace {

struct JoinRequest {
  const char* instance;
  const char* group;
  Datum subscriptions;
  Datum metadata;
  int64 timeout;
  Oid role;
};

constinit Statement take_statement = {
    .text =
        "INSERT INTO coord._member AS m (member_group, instance_id, incarnation, role, session_pid, "
        "session_start,"
        " client_addr, subscriptions, metadata, joined_at) VALUES ($1, $2,"
        " nextval('coord._incarnation'), $3, $4, $5, inet_client_addr(), $6, $7,"
        " clock_timestamp()) ON CONFLICT (member_group, instance_id) DO UPDATE SET"
        " incarnation = excluded.incarnation, role = excluded.role, session_pid = excluded.session_pid,"
        " session_start = excluded.session_start, client_addr = excluded.client_addr,"
        " subscriptions = excluded.subscriptions, metadata = excluded.metadata,"
        " joined_at = excluded.joined_at, shutdown_intent = NULL, shutdown_initiated_at = NULL,"
        " shutdown_deadline = NULL, shutdown_metadata = NULL, told_lost_after = NULL"
        " RETURNING m.incarnation",
    .parameters = 7,
    .types = {TEXTOID, TEXTOID, OIDOID, INT4OID, TIMESTAMPTZOID, TEXTARRAYOID, JSONBOID}};

constinit Statement update_statement = {
    .text =
        "UPDATE coord._member SET subscriptions = $2, metadata = $3, shutdown_intent = NULL,"
        " shutdown_initiated_at = NULL, shutdown_deadline = NULL, shutdown_metadata = NULL, told_lost_after "
        "= NULL"
        " WHERE incarnation = $1",
    .parameters = 3,
    .types = {INT8OID, TEXTARRAYOID, JSONBOID}};

JoinRequest request_of(FunctionCallInfo fcinfo) {
  return {.instance = name_argument(fcinfo, 0, "instance_id"),
          .group = name_argument(fcinfo, 1, "member_group"),
          .subscriptions = list_argument(fcinfo, 2, "subscriptions"),
          .metadata = object_argument(fcinfo, 3, "metadata"),
          .timeout = timeout_argument(fcinfo, 4, "heartbeat_timeout"),
          .role = GetOuterUserId()};
}

void refuse_second_name(const JoinRequest& request) {
  Member present{};
  if (!find_member(&present)) return;
  if (strcmp(present.instance, request.instance) == 0 && strcmp(present.group, request.group) == 0) return;
  fail({.code = sqlstate::instance_in_use,
        .message = psprintf("this session is already a member as \"%s\"", present.instance),
        .hint = "Call coord.leave() first, or use another session."});
}

int64 sit_down(const JoinRequest& request) {
  const SessionName me = this_session();
  run(take_statement, {text_argument(request.group),
                       text_argument(request.instance),
                       {ObjectIdGetDatum(request.role)},
                       int_argument(me.pid),
                       time_argument(me.start),
                       {request.subscriptions},
                       {request.metadata}});
  return bigint_column(0, 1);
}

/// What it led beyond the first few has a leader that was never heard, and goes with the next sweeps.
void clear_seat(int64 incarnation, const char* cause) {
  (void)depart_some({incarnation, cause, Patience::bounded}, "", departure_batch);
  end_beat(incarnation);
}

int64 settle(const JoinRequest& request, SeatVerdict verdict, int64 incarnation, int32 holder_pid) {
  switch (verdict) {
    case SeatVerdict::owned_by_another_role:
      fail({.code = ERRCODE_INSUFFICIENT_PRIVILEGE,
            .message = psprintf("instance \"%s\" belongs to another role", request.instance),
            .hint = "Use another instance_id; the name is free when its row is forgotten "
                    "(pg_coord.member_retention)."});
    case SeatVerdict::in_use:
      fail({.code = sqlstate::instance_in_use,
            .message = psprintf("instance \"%s\" is in use by another session", request.instance),
            .detail = psprintf("Process %d holds it, and is neither gone nor silent.", holder_pid),
            .hint = "Give each running copy its own instance_id."});
    case SeatVerdict::mine:
      run(update_statement, {bigint_argument(incarnation), {request.subscriptions}, {request.metadata}});
      return incarnation;
    case SeatVerdict::left_by_dead:
      clear_seat(incarnation, "session_end");
      break;
    case SeatVerdict::left_by_silent:
      clear_seat(incarnation, "silent");
      break;
    case SeatVerdict::free:
      break;
  }
  return sit_down(request);
}

int64 join(const JoinRequest& request) {
  refuse_second_name(request);
  wait_for_name(request.group, request.instance);
  const SeatRow seat = find_seat(request.group, request.instance);
  const SeatVerdict verdict = verdict_on(seat_for(seat, request.role));
  const int64 result = settle(request, verdict, seat.incarnation, seat.holder.pid);
  begin_beat(result, request.timeout);
  if (verdict == SeatVerdict::mine)
    publish_heartbeat(result);
  else
    tell_member_event(request.group, request.instance, result, MemberEvent::joined);
  return result;
}

void remember(int64 incarnation, int64 timeout) {
  Membership joined = membership();
  joined.incarnation = incarnation;
  joined.pid = MyProcPid;
  joined.registry = table_oid(Table::member);
  joined.timeout = timeout;
  joined.watch.look(this_moment(), timeout);
  remember_membership(joined);
  put_off_sweep(1);
}

}  // namespace

}  // namespace coord

COORD_FUNCTION(coord_join) {
  const coord::JoinRequest request = coord::request_of(fcinfo);
  const coord::Change change = coord::begin_change("join");
  coord::make_durable();
  coord::prepare_session_end();
  const int64 incarnation = coord::join(request);
  coord::remember(incarnation, request.timeout);
  coord::end_change(change);
  PG_RETURN_INT64(incarnation);
}
