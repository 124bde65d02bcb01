#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "pgcoord/callback_list.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/session_options.hpp"
#include "pgcoord/tracer.hpp"

namespace pgcoord {

/// Everything a PgLockManager is told at construction, where it is checked: Error (22023) names what is
/// wrong.
struct LockOptions {
  /// A libpq connection string or URI. Several hosts are tried in order, the first that is no standby is
  /// taken.
  std::string conninfo;
  /// A label for people: in LockInfo, and in `application_name`, so that coord.locks shows it.
  std::optional<std::string> holder_id;
  /// Default: `pgcoord lock` and the label, cut at 63 bytes.
  std::string application_name;

  /// For each host; name resolution comes on top.
  std::chrono::milliseconds connect_timeout{5'000};
  /// A statement that waits for nothing, unanswered for this long, ends its connection.
  std::chrono::milliseconds answer_timeout{5'000};
  /// A connection that holds locks and is otherwise idle is asked this often whether it lives. Zero: never.
  std::chrono::milliseconds check_interval{5'000};
  /// The network's own signs of life (keepalives, unacknowledged data), on both sides. 1 s to 1 day.
  std::chrono::milliseconds silence_timeout{15'000};
  /// For ending waits in close() and in the destructor.
  std::chrono::milliseconds close_timeout{2'000};

  /// Connections that hold nothing and wait for nothing are kept so long, and at most so many beside one.
  std::chrono::milliseconds spare_lifetime{10'000};
  std::size_t max_spare_connections = 4;

  ProxyCheck proxy_check = ProxyCheck::refuse_any;
  std::shared_ptr<Tracer> tracer;
  /// Exceptions that on_lost callbacks let out. Default: they are dropped.
  CallbackErrorHandler on_callback_error;
};

/// Throws Error (22023) naming the first option that is wrong.
PGCOORD_EXPORT void check(const LockOptions& options);

}  // namespace pgcoord
