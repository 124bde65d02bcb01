#pragma once

#include <cstdint>
#include <string>

#include "database.hpp"

namespace workers {

using examples::Database;

/// Writes for a subscription, in a transaction that commits only under the term of `token`. SQLSTATE; empty
/// if it went well.
inline std::string deliver(Database& database, const std::string& subscription, const std::string& worker,
                           std::int64_t token) {
  database.run("BEGIN");
  auto failure = database.run("SELECT coord.fence($1, $2)", {"sub:" + subscription, std::to_string(token)});
  if (failure.empty()) {
    failure = database.run("INSERT INTO delivery (subscription, worker, token) VALUES ($1, $2, $3)",
                           {subscription, worker, std::to_string(token)});
  }
  const auto end = database.run(failure.empty() ? "COMMIT" : "ROLLBACK");
  return failure.empty() ? end : failure;
}

}  // namespace workers
