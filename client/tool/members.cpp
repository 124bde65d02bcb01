#include <fmt/format.h>

#include "tool/database.hpp"
#include "tool/looks.hpp"
#include "tool/print.hpp"

namespace pgcoord::tool {

namespace {

// Ages by the server's clock, which wrote the times; never below zero, should that clock be set back.
const char* const age =
    "greatest(round(extract(epoch FROM clock_timestamp() - last_heartbeat_at)::numeric, 1), 0.0)";
const char* const left = "round(extract(epoch FROM time_remaining)::numeric, 1)";

std::string columns() {
  return std::string(
             "member_group AS \"group\", instance_id AS instance, status, CASE WHEN leads THEN 'yes'") +
         " ELSE 'no' END AS leads, " + age + " || 's' AS heard, heartbeat_timeout AS timeout," +
         " shutdown_intent AS intent, " + left + " || 's' AS \"left\", in_flight_count AS in_flight," +
         " load_factor AS load, session_pid AS pid, host(client_addr) AS address";
}

std::string more_for_programs() {
  return std::string(age) + " AS heartbeat_age_seconds, " + left + " AS remaining_seconds";
}

}  // namespace

int show_members(const Access& access, const MembersPlan& plan) {
  Database database(access);
  std::optional<std::string> statuses;
  if (!plan.statuses.empty()) statuses = fmt::format("{}", fmt::join(plan.statuses, ","));
  const std::string from =
      "coord.peers WHERE ($1::text IS NULL OR member_group = $1)"
      " AND ($2::text IS NULL OR status = ANY (string_to_array($2, ','))) ORDER BY member_group, instance_id";
  const std::string sql = look_sql(plan.output, columns(), from, more_for_programs());
  return print(database.query(sql, {plan.group, statuses}), plan.output);
}

}  // namespace pgcoord::tool
