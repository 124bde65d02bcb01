#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <string>
#include <vector>

namespace workers {

/// A connection for the work itself; the session keeps its own.
class Database {
 public:
  explicit Database(const std::string& conninfo) : connection_(PQconnectdb(conninfo.c_str())) {}
  ~Database() { PQfinish(connection_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// SQLSTATE of the statement; empty if it went well.
  std::string run(const char* sql, const std::vector<std::string>& values = {},
                  std::string* answer = nullptr) {
    std::vector<const char*> texts;
    for (const auto& value : values) texts.push_back(value.c_str());
    PGresult* result = PQexecParams(connection_, sql, static_cast<int>(texts.size()), nullptr, texts.data(),
                                    nullptr, nullptr, 0);
    const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const bool well = PQresultStatus(result) == PGRES_TUPLES_OK || PQresultStatus(result) == PGRES_COMMAND_OK;
    const std::string failure = state ? state : well ? "" : "08006";
    if (answer && PQntuples(result) > 0) *answer = PQgetvalue(result, 0, 0);
    PQclear(result);
    return failure;
  }
  /// A write that commits only under the term of `token`.
  std::string fenced(const std::string& subscription, const std::string& worker, std::int64_t token) {
    run("BEGIN");
    auto failure = run("SELECT coord.fence($1, $2)", {"sub:" + subscription, std::to_string(token)});
    if (failure.empty()) {
      failure = run("INSERT INTO delivery (subscription, worker, token) VALUES ($1, $2, $3)",
                    {subscription, worker, std::to_string(token)});
    }
    const auto end = run(failure.empty() ? "COMMIT" : "ROLLBACK");
    return failure.empty() ? end : failure;
  }

 private:
  PGconn* connection_;
};

}  // namespace workers
