#include "settings.hpp"

#include "pg.hpp"
#include "spi.hpp"

namespace coord {

namespace {

int log_retention = 30 * 24 * 60;  // minutes
int member_retention = 24 * 60;    // minutes

constinit Statement forget_changes_statement = {
    .text =
        "DELETE FROM coord._change c USING (SELECT event_id FROM coord._change"
        "  WHERE at < clock_timestamp() -"
        "   $1 * interval '1 minute'"
        "  ORDER BY event_id LIMIT 1000 FOR UPDATE SKIP LOCKED) old"
        " WHERE c.event_id = old.event_id",
    .parameters = 1,
    .types = {INT4OID}};

constinit Statement forget_members_statement = {
    .text =
        "WITH gone AS (SELECT m.incarnation FROM coord._member m"
        "  LEFT JOIN coord._beat b ON b.incarnation = m.incarnation"
        "  WHERE NOT coord._session_alive(m.session_pid, m.session_start)"
        "  AND greatest(m.joined_at, m.shutdown_initiated_at, b.last_heartbeat_at) < clock_timestamp() -"
        "   $1 * interval '1 minute' LIMIT 1000 FOR UPDATE OF m SKIP LOCKED)"
        " DELETE FROM coord._member m USING gone WHERE m.incarnation = gone.incarnation",
    .parameters = 1,
    .types = {INT4OID}};

constinit Statement forget_assignments_statement = {
    .text =
        "DELETE FROM coord._assignment a USING (SELECT o.assignment_id FROM coord._assignment o"
        "  LEFT JOIN coord._member m ON m.incarnation = o.target_incarnation"
        "  WHERE m.incarnation IS NULL OR o.assigned_at < clock_timestamp() - $1 * interval '1 minute'"
        "  LIMIT 1000 FOR UPDATE OF o SKIP LOCKED) old"
        " WHERE a.assignment_id = old.assignment_id",
    .parameters = 1,
    .types = {INT4OID}};

/// They are recorded again when they are asked for.
constinit Statement forget_lock_names_statement = {
    .text =
        "DELETE FROM coord._lock n USING (SELECT o.lock_id FROM coord._lock o"
        "  WHERE o.named_at < clock_timestamp() - $1 * interval '1 minute'"
        "  AND NOT EXISTS (SELECT FROM coord.locks l WHERE l.lock_id = o.lock_id)"
        "  LIMIT 1000 FOR UPDATE OF o SKIP LOCKED) old"
        " WHERE n.lock_id = old.lock_id",
    .parameters = 1,
    .types = {INT4OID}};

void define_retention(const char* name, const char* what, int* minutes) {
  DefineCustomIntVariable(name, what, nullptr, minutes, *minutes, 1, INT_MAX / 2, PGC_SUSET, GUC_UNIT_MIN,
                          nullptr, nullptr, nullptr);
}

}  // namespace

void define_settings() {
  define_retention("pg_coord.log_retention",
                   "How long coord.leadership_log and coord.assignments keep a row.", &log_retention);
  define_retention("pg_coord.member_retention",
                   "How long coord.peers keeps a member whose session has ended.", &member_retention);
  MarkGUCPrefixReserved("pg_coord");
}

void tidy_up_now_and_then() {
  if (pg_prng_double(&pg_global_prng_state) * 60 >= 1) return;
  run(forget_changes_statement, {int_argument(log_retention)});
  run(forget_members_statement, {int_argument(member_retention)});
  run(forget_assignments_statement, {int_argument(log_retention)});
  run(forget_lock_names_statement, {int_argument(log_retention)});
}

}  // namespace coord
