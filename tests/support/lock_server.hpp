#pragma once

#include <string>
#include <vector>

#include "pgcoord/lock_key.hpp"
#include "pgcoord/pg_lock_manager.hpp"
#include "support/client.hpp"

namespace pgcoord::test {

inline LockOptions lock_options(const std::string& holder, const Server& server = shared_server()) {
  LockOptions options;
  options.conninfo = server.conninfo();
  options.holder_id = holder;
  return options;
}

/// A key that no other test uses.
inline std::string fresh_key() {
  static int count = 0;
  return "lock test " + std::to_string(++count);
}

/// Looks at locks with the server's own eyes.
class Observer : public Connection {
 public:
  explicit Observer(const Server& server = shared_server()) : Connection(server.conninfo()) {}

  int holders(const std::string& key) { return count_locks(key, "granted"); }
  int waiters(const std::string& key) { return count_locks(key, "NOT granted"); }
  int sessions_of(const std::string& holder) {
    return number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgcoord lock ' || $1",
                  {holder});
  }
  int locks_of(const std::string& holder) {
    return number(
        "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'"
        " AND granted AND application_name = 'pgcoord lock ' || $1",
        {holder});
  }
  /// Ends every session that has the lock, or waits for it.
  void terminate(const std::string& key, const std::string& which = "granted") {
    exec("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE " + of_key() + " AND " + which,
         {std::to_string(lock_key(key))});
  }
  int number(const std::string& sql, const std::vector<std::string>& parameters = {}) {
    return std::stoi(value(sql, parameters).value());
  }

 private:
  static std::string of_key() {
    return "locktype = 'advisory' AND objsubid = 1 AND (classid::bigint << 32 | objid::bigint) = $1::bigint"
           " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
  }
  int count_locks(const std::string& key, const std::string& which) {
    return number("SELECT count(*) FROM pg_locks WHERE " + of_key() + " AND " + which,
                  {std::to_string(lock_key(key))});
  }
};

}  // namespace pgcoord::test
