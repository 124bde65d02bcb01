#pragma once

#include <libpq-fe.h>

#include <string>
#include <vector>

namespace examples {

/// A connection for the work itself; sessions and lock managers of the library keep their own. For one thread
/// at a time.
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
    std::string failure = state ? state : well ? "" : "08006";
    if (answer && PQntuples(result) > 0) *answer = PQgetvalue(result, 0, 0);
    PQclear(result);
    return failure;
  }

  /// What the server, or the library, said of the last failure.
  [[nodiscard]] std::string why() const { return PQerrorMessage(connection_); }

 private:
  PGconn* connection_;
};

}  // namespace examples
