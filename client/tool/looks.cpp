#include "tool/looks.hpp"

#include <cstdio>

#include "tool/database.hpp"
#include "tool/exit_code.hpp"

namespace pgcoord::tool {

namespace {

/// `columns` for people, everything of `from` for programs.
std::string sql(Output output, const char* columns, const std::string& from) {
  if (output == Output::json) return "SELECT to_json(q) FROM (SELECT * FROM " + from + ") q";
  return std::string("SELECT ") + columns + " FROM " + from;
}

std::string as_json_array(const Grid& grid) {
  std::string out = "[";
  for (const auto& row : grid.rows) {
    out += (&row == &grid.rows.front() ? "\n" : ",\n") + row.front().value_or("null");
  }
  return out + (grid.rows.empty() ? "]\n" : "\n]\n");
}

int print(const std::string& text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return written ? exit_code::success : exit_code::own_failure;
}

int print(const Grid& grid, Output output) {
  if (output == Output::json) return print(as_json_array(grid));
  return print(output == Output::tsv ? as_tsv(grid) : as_table(grid));
}

}  // namespace

int show_leader(const Access& access, const LeaderPlan& plan) {
  Database database(access);
  const char* const columns = "election, leader, token, epoch, term, elected_at";
  if (plan.is) {
    const Grid grid =
        database.query("SELECT 1 FROM coord.leader($1) WHERE leader = $2", {plan.election, plan.is});
    return grid.rows.empty() ? exit_code::nobody_leads : exit_code::success;
  }
  const std::string from = std::string("(SELECT ") + columns + " FROM coord.leader($1)) l";
  const Grid grid = database.query(sql(plan.output, columns, from), {plan.election});
  if (grid.rows.empty()) return exit_code::nobody_leads;
  return plan.output == Output::json ? print(grid.rows.front().front().value_or("null") + "\n")
                                     : print(grid, plan.output);
}

int show_members(const Access& access, const MembersPlan& plan) {
  Database database(access);
  const char* const columns =
      "member_group AS \"group\", instance_id AS instance, status, in_flight_count AS in_flight, load_factor "
      "AS load,"
      " date_trunc('milliseconds', last_heartbeat_at) AS last_heartbeat, heartbeat_timeout AS timeout,"
      " session_pid AS pid, host(client_addr) AS address";
  const std::string from =
      "coord.peers WHERE $1::text IS NULL OR member_group = $1 ORDER BY member_group, instance_id";
  return print(database.query(sql(plan.output, columns, from), {plan.group}), plan.output);
}

int show_log(const Access& access, const LogPlan& plan) {
  Database database(access);
  const char* const columns =
      "date_trunc('milliseconds', at) AS at, election, cause, previous, leader, token";
  const std::string from =
      "(SELECT * FROM coord.leadership_log WHERE $1::text IS NULL OR election = $1"
      " ORDER BY event_id DESC LIMIT $2::int) l ORDER BY event_id";
  return print(database.query(sql(plan.output, columns, from), {plan.election, std::to_string(plan.count)}),
               plan.output);
}

}  // namespace pgcoord::tool
