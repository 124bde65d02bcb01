#include <fmt/format.h>

#include <set>

#include "pgcoord/lock_key.hpp"
#include "tool/database.hpp"
#include "tool/exit_code.hpp"
#include "tool/looks.hpp"
#include "tool/print.hpp"

namespace pgcoord::tool {

namespace {

const char* const waited = "round(extract(epoch FROM longest_wait)::numeric, 1)";

std::string columns() {
  return std::string(
             "key, lock_id, instance_id AS instance, session_pid AS pid, application_name AS application,") +
         " host(client_addr) AS address, waiters, " + waited + " || 's' AS longest_wait";
}

/// By number, so that it also finds holders that took the number and not the key.
std::set<std::string> numbers_of(const std::vector<std::string>& keys) {
  std::set<std::string> numbers;
  for (const auto& key : keys) numbers.insert(std::to_string(lock_key(key)));
  return numbers;
}

/// With the number in the second column of every row, whatever the output.
std::string sql_for(Output output) {
  const std::string from =
      "coord.locks WHERE $1::text IS NULL OR lock_id = ANY (string_to_array($1, ',')::bigint[])"
      " ORDER BY key, lock_id, session_pid";
  const std::string more = std::string(waited) + " AS longest_wait_seconds";
  std::string sql = look_sql(output, columns(), from, more);
  if (output != Output::json) return sql;
  return "SELECT l.to_json, l.to_json ->> 'lock_id' FROM (" + sql + ") l";
}

}  // namespace

int show_locks(const Access& access, const LocksPlan& plan) {
  Database database(access);
  const auto wanted = numbers_of(plan.keys);
  std::optional<std::string> list;
  if (!wanted.empty()) list = fmt::format("{}", fmt::join(wanted, ","));
  const Grid grid = database.query(sql_for(plan.output), {list});
  const int printed = print(grid, plan.output);
  if (printed != exit_code::success) return printed;
  std::set<std::string> held;
  for (const auto& row : grid.rows) held.insert(row[1].value_or(""));
  return held.size() < wanted.size() ? exit_code::nobody : exit_code::success;
}

}  // namespace pgcoord::tool
