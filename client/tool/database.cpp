#include "tool/database.hpp"

#include <poll.h>

#include <algorithm>

#include "pgcoord/error.hpp"

namespace pgcoord::tool {

namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

std::string field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text ? text : "";
}

[[noreturn]] void fail(const PGconn* connection, const PGresult* result) {
  const std::string code = field(result, PG_DIAG_SQLSTATE);
  const std::string message = field(result, PG_DIAG_MESSAGE_PRIMARY);
  if (code.empty() || message.empty()) throw Error(sqlstate::connection_lost, PQerrorMessage(connection));
  throw Error(code, message, field(result, PG_DIAG_MESSAGE_DETAIL), field(result, PG_DIAG_MESSAGE_HINT));
}

Grid grid_of(const PGresult* result) {
  Grid grid;
  const int columns = PQnfields(result);
  for (int i = 0; i < columns; ++i) grid.columns.emplace_back(PQfname(result, i));
  for (int row = 0; row < PQntuples(result); ++row) {
    grid.rows.emplace_back();
    for (int i = 0; i < columns; ++i) {
      const bool null = PQgetisnull(result, row, i) != 0;
      grid.rows.back().push_back(null ? std::nullopt
                                      : std::optional<std::string>(PQgetvalue(result, row, i)));
    }
  }
  return grid;
}

}  // namespace

Database::Database(const Access& access) : connection_(connect(access)) {
  query(
      "SELECT set_config('statement_timeout', '10s', false), set_config('search_path', 'pg_catalog', false)");
}

Grid Database::query(const std::string& sql, const Parameters& parameters) {
  std::vector<const char*> values;
  for (const auto& value : parameters) values.push_back(value ? value->c_str() : nullptr);
  const Result result(PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                                   values.data(), nullptr, nullptr, 0),
                      PQclear);
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) fail(connection_.get(), result.get());
  return grid_of(result.get());
}

void Database::listen(const std::string& channel) {
  const std::unique_ptr<char, decltype(&PQfreemem)> quoted(
      PQescapeIdentifier(connection_.get(), channel.data(), channel.size()), PQfreemem);
  if (!quoted) throw Error(sqlstate::connection_lost, PQerrorMessage(connection_.get()));
  query(std::string("LISTEN ") + quoted.get());
}

bool Database::take_notifications() {
  bool any = false;
  while (PGnotify* const notification = PQnotifies(connection_.get())) {
    PQfreemem(notification);
    any = true;
  }
  return any;
}

bool Database::wait_for_notification(Duration most) {
  if (take_notifications()) return true;  // read along with the last answer
  pollfd entry{PQsocket(connection_.get()), POLLIN, 0};
  const auto bound = std::max<std::int64_t>(std::chrono::ceil<milliseconds>(most).count(), 0);
  if (poll(&entry, 1, static_cast<int>(bound)) <= 0) return false;
  if (PQconsumeInput(connection_.get()) == 0) {
    throw Error(sqlstate::connection_lost, PQerrorMessage(connection_.get()));
  }
  return take_notifications();
}

}  // namespace pgcoord::tool
