#include "connection.hpp"

#include <libpq-fe.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <utility>

namespace pgcoord::test {
namespace {

using std::chrono::steady_clock;

struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, Clear>;

struct FreeMemory {
  void operator()(void* memory) const { PQfreemem(memory); }
};

Rows rows_of(const PGresult* result) {
  Rows rows;
  for (int row = 0; row < PQntuples(result); ++row) {
    rows.emplace_back();
    for (int column = 0; column < PQnfields(result); ++column)
      rows.back().push_back(
          PQgetisnull(result, row, column) != 0
              ? Value{}
              : Value{std::string{PQgetvalue(result, row, column),
                                  static_cast<std::size_t>(PQgetlength(result, row, column))}});
  }
  return rows;
}

bool failed(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_FATAL_ERROR || status == PGRES_BAD_RESPONSE || status == PGRES_NONFATAL_ERROR;
}

SqlError error_of(const PGresult* result) {
  const char* sqlstate = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  return {sqlstate != nullptr ? sqlstate : "08006", PQresultErrorMessage(result)};
}

}  // namespace

void Connection::Close::operator()(pg_conn* connection) const { PQfinish(connection); }

Connection::Connection(const std::string& conninfo)
    : connection_{PQconnectdb(("connect_timeout=10 application_name=test " + conninfo).c_str())} {
  if (PQstatus(connection_.get()) != CONNECTION_OK)
    throw SqlError{"08001", PQerrorMessage(connection_.get())};
  PQsetNoticeProcessor(
      connection_.get(), [](void*, const char*) {}, nullptr);
}

Rows Connection::exec(const std::string& sql, const std::vector<std::string>& parameters, Bound bound) {
  send(sql, parameters);
  return finish(bound);
}

Value Connection::value(const std::string& sql, const std::vector<std::string>& parameters) {
  Rows rows = exec(sql, parameters);
  if (rows.empty() || rows.front().empty()) throw std::runtime_error{"no row from: " + sql};
  return std::move(rows.front().front());
}

std::string Connection::sqlstate_of(const std::string& sql) {
  try {
    exec(sql);
    return "00000";
  } catch (const SqlError& error) {
    return error.sqlstate();
  }
}

void Connection::send(const std::string& sql, const std::vector<std::string>& parameters) {
  std::vector<const char*> values;
  for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
  const int sent = parameters.empty()
                       ? PQsendQuery(native(), sql.c_str())
                       : PQsendQueryParams(native(), sql.c_str(), static_cast<int>(values.size()), nullptr,
                                           values.data(), nullptr, nullptr, 0);
  if (sent == 0) fail_lost();
}

bool Connection::busy() { return PQconsumeInput(native()) != 0 && PQisBusy(native()) != 0; }

Rows Connection::finish(Bound bound) {
  const auto end = steady_clock::now() + bound;
  Rows rows;
  std::optional<SqlError> error;
  for (;;) {
    while (busy())
      if (!wait_readable(end)) give_up();
    const Result result{PQgetResult(native())};
    if (!result) break;
    if (failed(result.get()) && !error) error = error_of(result.get());
    if (!failed(result.get())) rows = rows_of(result.get());
  }
  if (error) throw *error;
  return rows;
}

void Connection::cancel() {
  const std::unique_ptr<PGcancel, decltype(&PQfreeCancel)> handle{PQgetCancel(native()), &PQfreeCancel};
  char message[256] = {};
  if (handle) PQcancel(handle.get(), message, sizeof message);
}

std::optional<Notification> Connection::notification(Bound bound) {
  const auto end = steady_clock::now() + bound;
  for (;;) {
    if (PQconsumeInput(native()) == 0) return std::nullopt;
    if (const std::unique_ptr<PGnotify, FreeMemory> found{PQnotifies(native())})
      return Notification{found->relname, found->extra, found->be_pid};
    if (!wait_readable(end)) return std::nullopt;
  }
}

int Connection::backend_pid() const { return PQbackendPID(connection_.get()); }

bool Connection::alive() { return PQconsumeInput(native()) != 0 && PQstatus(native()) == CONNECTION_OK; }

void Connection::sever() { ::shutdown(PQsocket(native()), SHUT_RDWR); }

// False when the bound has passed.
bool Connection::wait_readable(steady_clock::time_point end) {
  const auto left = std::chrono::duration_cast<Bound>(end - steady_clock::now()).count();
  if (left <= 0) return false;
  pollfd entry{.fd = PQsocket(native()), .events = POLLIN, .revents = 0};
  poll(&entry, 1, static_cast<int>(std::min<long long>(left + 1, 60'000)));
  return true;
}

void Connection::fail_lost() { throw SqlError{"08006", PQerrorMessage(native())}; }

void Connection::give_up() {
  sever();
  throw std::runtime_error{"a statement ran longer than its bound"};
}

}  // namespace pgcoord::test
