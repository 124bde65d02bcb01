#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "process.hpp"
#include "server.hpp"

namespace pgcoord::test {

/// A PgBouncer before a server, in a folder of its own, without passwords. Stopped by the destructor.
class PgBouncer {
 public:
  /// Whether the program is there; PGCOORD_PGBOUNCER names it, else it is looked for where Debian puts it.
  static bool installed();

  /// `mode` is session, transaction or statement; `settings` are further lines for [pgbouncer].
  PgBouncer(const Server& server, const std::string& mode, const std::vector<std::string>& settings = {});
  PgBouncer(const PgBouncer&) = delete;
  PgBouncer& operator=(const PgBouncer&) = delete;
  ~PgBouncer();

  std::string conninfo(const std::string& dbname = "postgres") const;
  Connection connect(const std::string& dbname = "postgres") const { return Connection{conninfo(dbname)}; }
  int port() const { return port_; }
  std::string log() const;

 private:
  std::filesystem::path folder_;
  int port_;
  std::unique_ptr<Child> process_;
};

}  // namespace pgcoord::test
