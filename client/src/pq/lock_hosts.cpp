#include "pq/lock_connection.hpp"

namespace pgcoord::detail {

namespace {

std::string application_name(const LockOptions& options) {
  if (!options.application_name.empty()) return options.application_name;
  return "pgcoord lock" + (options.holder_id ? " " + *options.holder_id : std::string());
}

}  // namespace

std::vector<ConnectParameters> lock_hosts(const LockOptions& options) {
  SessionOptions session;
  session.conninfo = options.conninfo;
  session.application_name = application_name(options);
  session.heartbeat_timeout = options.silence_timeout;
  auto hosts = hosts_of(session);
  for (auto& host : hosts) {
    // We tell a standby apart ourselves: libpq has no code for it.
    host["target_session_attrs"] = "any";
    // A wait takes as long as its caller wants.
    host["options"] += " -c statement_timeout=0";
  }
  return hosts;
}

}  // namespace pgcoord::detail
