#include "seat.hpp"

#include "fail.hpp"
#include "spi.hpp"

namespace coord {

namespace {

constinit Statement seat_statement = {
    .text =
        "SELECT m.incarnation, m.role, COALESCE(m.session_pid, 0), COALESCE(m.session_start, 'epoch'),"
        " COALESCE(b.heartbeat_timeout, 0),"
        " COALESCE(NOT coord._heard(b.last_heartbeat_at, b.heartbeat_timeout), true)"
        " FROM coord._member m LEFT JOIN coord._beat b ON b.incarnation = m.incarnation"
        " WHERE m.member_group = $1 AND m.instance_id = $2",
    .parameters = 2,
    .types = {TEXTOID, TEXTOID}};

/// A heartbeat that comes meanwhile is seen, or waits.
constinit Statement lock_beat_statement = {
    .text = "SELECT FROM coord._beat WHERE incarnation = $1 FOR UPDATE", .parameters = 1, .types = {INT8OID}};

/// Administrators are those who may depose.
constinit Statement admin_statement = {
    .text = "SELECT has_function_privilege($1, 'coord.depose(text)', 'EXECUTE')",
    .parameters = 1,
    .types = {OIDOID}};

bool is_admin(Oid role) {
  run(admin_statement, {{ObjectIdGetDatum(role)}});
  return bool_column(0, 1);
}

SeatRow read_seat(const char* group, const char* instance) {
  if (run(seat_statement, {text_argument(group), text_argument(instance)}) == 0) return {};
  return {.incarnation = bigint_column(0, 1),
          .role = static_cast<Oid>(int_column(0, 2)),
          .holder = {int_column(0, 3), time_column(0, 4)},
          .timeout = bigint_column(0, 5),
          .silent = bool_column(0, 6)};
}

}  // namespace

SeatRow find_seat(const char* group, const char* instance) {
  const SeatRow seat = read_seat(group, instance);
  if (seat.incarnation == 0 || !seat.silent) return seat;
  run(lock_beat_statement, {bigint_argument(seat.incarnation)});
  return read_seat(group, instance);
}

Seat seat_for(const SeatRow& row, Oid role) {
  if (row.incarnation == 0) return Seat{.taken = false};
  const SessionName me = this_session();
  return {.taken = true,
          .same_role = row.role == role,
          .same_session = row.holder.pid == me.pid && row.holder.start == me.start,
          .session_alive = session_alive(row.holder),
          .silent = row.silent};
}

void require_owner(const SeatRow& row, const char* instance) {
  const Oid role = GetOuterUserId();
  if (row.role == role || is_admin(role)) return;
  fail({.code = ERRCODE_INSUFFICIENT_PRIVILEGE,
        .message = psprintf("instance \"%s\" belongs to another role", instance),
        .hint = "Its own role may do this, and roles with admin access."});
}

}  // namespace coord
