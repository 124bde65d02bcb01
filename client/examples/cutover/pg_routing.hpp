#pragma once

#include <string>
#include <vector>

#include "cutover/routing.hpp"
#include "database.hpp"

namespace cutover {

/// Routing in a table. The stores are one more table here, elsewhere they would be two databases.
class PgRouting final : public Routing {
 public:
  explicit PgRouting(const std::string& conninfo);

  /// Tables `routing` and `event`, function `accept_event`; a tenant in state dual_write. Once.
  void set_up(const std::string& tenant);
  void drop();

  RoutingState state(const std::string& tenant) override;
  std::int64_t lag(const std::string& tenant) override;
  void pause(const std::string& tenant, std::int64_t token, pgcoord::Duration budget) override;
  bool switch_to_target(const std::string& tenant, std::int64_t token) override;
  void resume(const std::string& tenant, std::int64_t token) override;

  /// What a program does for each event: false while the tenant's writes rest.
  bool accept(const std::string& tenant, std::int64_t number);
  /// What the replicator does all the time: copies what the target lacks.
  void copy(const std::string& tenant);
  /// Events that were accepted and are not where routing points.
  std::int64_t missing(const std::string& tenant);

 private:
  std::string run(const char* sql, const std::vector<std::string>& values = {});
  std::string fenced(const std::string& tenant, std::int64_t token, const char* sql,
                     const std::vector<std::string>& values);

  examples::Database database_;
};

}  // namespace cutover
