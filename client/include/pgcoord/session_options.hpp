#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "pgcoord/callback_list.hpp"
#include "pgcoord/export.hpp"

namespace pgcoord {

/// Who moves a session on.
enum class Pump {
  /// A thread of its own; callbacks run on a second one, so that a slow callback does not delay a
  /// heartbeat.
  own_thread,
  /// The caller's event loop, by Session::on_ready(); callbacks run inside it.
  event_loop,
};

/// What a session is in its group.
enum class Participation {
  /// Joins under `instance_id`, heartbeats, may lead.
  member,
  /// Only looks: needs no more than the right to read.
  observer,
};

/// What to do about a proxy between client and server. Behind one that shares server sessions a
/// leadership would belong to whoever gets the session next.
enum class ProxyCheck {
  /// Refuse as soon as the server session is not the one that the connection was told of.
  refuse_any,
  /// Refuse only when two transactions are seen on different server sessions. For proxies that
  /// are known to pool whole sessions; a lightly used transaction pool can pass for one.
  refuse_shared_sessions,
};

/// Everything a Session is told at construction, where it is checked: Error (22023) names what is
/// wrong.
struct SessionOptions {
  /// A libpq connection string or URI. Several hosts are tried in order, the first read-write one is
  /// taken. `target_session_attrs` and timeouts in it are replaced by those below.
  std::string conninfo;

  /// Unique among the living in `member_group`. 1 to 200 bytes, no control characters; so is the group.
  /// Not used by an observer.
  std::string instance_id;
  std::string member_group = "default";
  std::vector<std::string> subscriptions;
  /// A JSON object.
  std::string metadata = "{}";
  Participation participation = Participation::member;

  /// Silence for this long costs every leadership, on both sides. 1 s to 1 day. A heartbeat is sent
  /// every third of it.
  std::chrono::milliseconds heartbeat_timeout{15'000};
  /// Announces every heartbeat on the group's `.heartbeat` channel, for listeners that do not read the
  /// registry. Every session that watches peers then reads this member again each time; without it only
  /// changes are announced.
  bool publish_heartbeats = false;
  /// A statement unanswered for this long ends the connection; after four fifths of it the server
  /// cancels the statement. At most half of `heartbeat_timeout`, which is also the default.
  std::optional<std::chrono::milliseconds> answer_timeout;
  /// For each host; name resolution comes on top.
  std::chrono::milliseconds connect_timeout{5'000};
  /// For taking leave of the server in close() and in the destructor.
  std::chrono::milliseconds close_timeout{2'000};
  /// The first and the longest wait before connecting again.
  std::chrono::milliseconds reconnect_min{100};
  std::chrono::milliseconds reconnect_max{5'000};

  /// Shown by the server's views. Default: `pgcoord ` and the instance id, cut at 63 bytes.
  std::string application_name;
  ProxyCheck proxy_check = ProxyCheck::refuse_any;
  Pump pump = Pump::own_thread;

  /// Asked before each heartbeat, on the session's thread; must not block. While it answers false
  /// (or throws) the heartbeat is withheld, so that leadership is lost when the timeout is over.
  std::function<bool()> healthy;
  /// Exceptions that callbacks let out. Default: they are dropped.
  CallbackErrorHandler on_callback_error;
  /// Makes the jitter repeatable. Default: from the system.
  std::optional<std::uint64_t> random_seed;
};

/// Throws Error (22023) naming the first option that is wrong.
PGCOORD_EXPORT void check(const SessionOptions& options);

}  // namespace pgcoord
