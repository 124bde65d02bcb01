#include "tool/looks.hpp"

#include "tool/database.hpp"
#include "tool/exit_code.hpp"
#include "tool/print.hpp"

namespace pgcoord::tool {

int show_leader(const Access& access, const LeaderPlan& plan) {
  Database database(access);
  const std::string columns = "election, leader, token, epoch, term, elected_at";
  if (plan.is) {
    const Grid grid =
        database.query("SELECT 1 FROM coord.leader($1) WHERE leader = $2", {plan.election, plan.is});
    return grid.rows.empty() ? exit_code::nobody : exit_code::success;
  }
  const std::string from = "(SELECT " + columns + " FROM coord.leader($1)) l";
  const Grid grid = database.query(look_sql(plan.output, columns, from), {plan.election});
  if (grid.rows.empty()) return exit_code::nobody;
  if (plan.output != Output::json) return print(grid, plan.output);
  const bool printed = print(grid.rows.front().front().value_or("null") + "\n");
  return printed ? exit_code::success : exit_code::own_failure;
}

int show_log(const Access& access, const LogPlan& plan) {
  Database database(access);
  const std::string columns =
      "date_trunc('milliseconds', at) AS at, election, cause, previous, leader, token";
  const std::string from =
      "(SELECT * FROM coord.leadership_log WHERE $1::text IS NULL OR election = $1"
      " ORDER BY event_id DESC LIMIT $2::int) l ORDER BY event_id";
  const std::string sql = look_sql(plan.output, columns, from);
  return print(database.query(sql, {plan.election, std::to_string(plan.count)}), plan.output);
}

int show_orphans(const Access& access, const OrphansPlan& plan) {
  Database database(access);
  const std::string columns =
      "member_group AS \"group\", subscription, instance_id AS instance, status,"
      " date_trunc('milliseconds', available_at) AS available_at";
  const std::string from =
      "coord.orphaned_subscriptions WHERE $1::text IS NULL OR member_group = $1"
      " ORDER BY member_group, subscription, instance_id";
  return print(database.query(look_sql(plan.output, columns, from), {plan.group}), plan.output);
}

int show_assignments(const Access& access, const AssignmentsPlan& plan) {
  Database database(access);
  const std::string columns =
      "assignment_id AS id, member_group AS \"group\", target_instance_id AS target,"
      " source_instance_id AS source, array_to_string(subscriptions, ', ') AS subscriptions, priority, "
      "election,"
      " token, date_trunc('milliseconds', assigned_at) AS at";
  const std::string from =
      "coord.assignments WHERE ($1::text IS NULL OR target_instance_id = $1)"
      " AND ($2::text IS NULL OR member_group = $2) ORDER BY assignment_id";
  const std::string sql = look_sql(plan.output, columns, from);
  return print(database.query(sql, {plan.instance, plan.group}), plan.output);
}

}  // namespace pgcoord::tool
