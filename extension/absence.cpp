#include "absence.hpp"

#include "depart.hpp"
#include "member.hpp"
#include "message.hpp"
#include "session.hpp"
#include "spi.hpp"

namespace coord {

namespace {

/// Once for each silence: what was told is kept with the heartbeat after which it came.
constinit Statement lost_statement = {
    .text =
        "WITH lost AS (SELECT m.incarnation, b.last_heartbeat_at,"
        "   coord._session_alive(m.session_pid, m.session_start) AS alive"
        "  FROM coord._member m JOIN coord._beat b ON b.incarnation = m.incarnation"
        "  WHERE m.told_lost_after IS DISTINCT FROM b.last_heartbeat_at"
        "  AND m.incarnation <> $1"
        "  AND (NOT coord._session_alive(m.session_pid, m.session_start)"
        "   OR m.shutdown_intent IS NULL AND b.heartbeat_timeout <= $2"
        "    AND NOT coord._heard(b.last_heartbeat_at, b.heartbeat_timeout))"
        "  LIMIT $3 FOR UPDATE OF m, b SKIP LOCKED)"
        " UPDATE coord._member m SET told_lost_after = lost.last_heartbeat_at FROM lost"
        " WHERE m.incarnation = lost.incarnation"
        " RETURNING m.member_group, m.instance_id, m.incarnation, lost.alive",
    .parameters = 3,
    .types = {INT8OID, INT8OID, INT4OID}};

}  // namespace

void tell_absences() {
  const int64 awake = membership().watch.awake(this_moment());
  const int64 count = run(lost_statement, {bigint_argument(membership().incarnation), bigint_argument(awake),
                                           int_argument(departure_batch)});
  for (int64 i = 0; i < count; ++i)
    tell_member_event(text_column(i, 1), text_column(i, 2), bigint_column(i, 3),
                      bool_column(i, 4) ? MemberEvent::silent : MemberEvent::gone);
}

}  // namespace coord
