#include "cutover/pg_routing.hpp"

#include "cutover/tables.hpp"
#include "pgcoord/error.hpp"
#include "pgcoord/lock_key.hpp"

namespace cutover {

PgRouting::PgRouting(const std::string& conninfo) : database_(conninfo) {}

std::string PgRouting::run(const char* sql, const std::vector<std::string>& values) {
  std::string answer;
  const auto state = database_.run(sql, values, &answer);
  if (!state.empty()) throw pgcoord::Error(state, database_.why());
  return answer;
}

/// One statement in a transaction that commits only under the term of `token`.
std::string PgRouting::fenced(const std::string& tenant, std::int64_t token, const char* sql,
                              const std::vector<std::string>& values) {
  try {
    run("BEGIN");
    run("SELECT coord.fence($1, $2)",
        {pgcoord::migration_lock_key(tenant, "cutover"), std::to_string(token)});
    // Who waits for writers that do not end has spent its time.
    run("SET LOCAL lock_timeout = '1s'");
    auto answer = run(sql, values);
    run("COMMIT");
    return answer;
  } catch (const pgcoord::Error&) {
    database_.run("ROLLBACK");
    throw;
  }
}

void PgRouting::set_up(const std::string& tenant) {
  for (const auto* statement : tables) run(statement);
  run("INSERT INTO routing (tenant) VALUES ($1) ON CONFLICT DO NOTHING", {tenant});
}

void PgRouting::drop() {
  run("DROP FUNCTION accept_event");
  run("DROP TABLE routing, event");
}

RoutingState PgRouting::state(const std::string& tenant) {
  const auto word = run("SELECT state FROM routing WHERE tenant = $1", {tenant});
  return word == "migrated"     ? RoutingState::migrated
         : word == "dual_write" ? RoutingState::dual_write
                                : RoutingState::normal;
}

std::int64_t PgRouting::lag(const std::string& tenant) {
  return std::stoll(
      run("SELECT count(*) FROM event s WHERE s.tenant = $1 AND s.store = 'source' AND NOT EXISTS "
          "(SELECT FROM event t WHERE t.tenant = $1 AND t.store = 'target' AND t.number = s.number)",
          {tenant}));
}

void PgRouting::pause(const std::string& tenant, std::int64_t token, pgcoord::Duration budget) {
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(budget).count();
  // Waits for the writers at work, which hold the row.
  fenced(tenant, token,
         "UPDATE routing SET paused_by = $2::bigint, paused_until = clock_timestamp() + $3 * interval '1 us' "
         "WHERE tenant = $1",
         {tenant, std::to_string(token), std::to_string(microseconds)});
}

bool PgRouting::switch_to_target(const std::string& tenant, std::int64_t token) {
  return !fenced(tenant, token,
                 "UPDATE routing SET store = 'target', state = 'migrated' "
                 "WHERE tenant = $1 AND paused_by = $2 AND paused_until > clock_timestamp() RETURNING store",
                 {tenant, std::to_string(token)})
              .empty();
}

void PgRouting::resume(const std::string& tenant, std::int64_t token) {
  fenced(tenant, token,
         "UPDATE routing SET paused_by = NULL, paused_until = NULL WHERE tenant = $1 AND paused_by = $2",
         {tenant, std::to_string(token)});
}

bool PgRouting::accept(const std::string& tenant, std::int64_t number) {
  return run("SELECT accept_event($1, $2)", {tenant, std::to_string(number)}) == "t";
}

void PgRouting::copy(const std::string& tenant) {
  run("INSERT INTO event (store, tenant, number) SELECT 'target', tenant, number FROM event "
      "WHERE tenant = $1 AND store = 'source' ON CONFLICT DO NOTHING",
      {tenant});
}

std::int64_t PgRouting::missing(const std::string& tenant) {
  return std::stoll(
      run("SELECT count(DISTINCT number) FROM event e WHERE e.tenant = $1 AND NOT EXISTS "
          "(SELECT FROM event f JOIN routing r USING (tenant, store) "
          "WHERE f.tenant = e.tenant AND f.number = e.number)",
          {tenant}));
}

}  // namespace cutover
