#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pgcoord/event.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/leadership.hpp"
#include "pgcoord/peer_record.hpp"
#include "pgcoord/time.hpp"
#include "pgcoord/utc_time.hpp"
#include "pgcoord/work_assignment.hpp"

namespace pgcoord {

/// What a session asks of the server; each is one statement, a call of the function of that name.
enum class Statement {
  listen,             ///< channel
  join,               ///< instance, group, subscriptions, metadata, timeout in seconds
  heartbeat,          ///< subscriptions, in-flight count, load factor, each may be null; whether to publish
  sweep,              ///< none
  campaign,           ///< election, priority
  try_acquire,        ///< election
  resign,             ///< election
  withdraw,           ///< election
  leader,             ///< election
  leave,              ///< none
  ping,               ///< none
  peers,              ///< group
  peer,               ///< group, some instances as an array
  assignments,        ///< group, instance, incarnation, greatest assignment already known
  announce_shutdown,  ///< intent, drain timeout in seconds, in-flight count, metadata
  assign,             ///< instance, subscriptions, election, token, priority
  remove_member,      ///< instance, group
};

[[nodiscard]] PGCOORD_EXPORT std::string_view to_string(Statement statement) noexcept;

using Parameters = std::vector<std::optional<std::string>>;

/// Run this now and answer with SessionCore::reply(). Only one is out at a time.
struct Execute {
  std::uint64_t tag = 0;
  Statement statement = Statement::ping;
  Parameters parameters;
};

/// Connect and answer with connected() or disconnected(). Start with the next host if asked to.
struct OpenConnection {
  bool skip_last_host = false;
};

/// Drop the connection without further words. Answer with nothing.
struct CloseConnection {
  Failure reason;
};

/// Find out whether the program is well and answer with health().
struct AskHealth {};

using Action = std::variant<Execute, OpenConnection, CloseConnection, AskHealth>;

/// The server's answer to one Execute.
struct Reply {
  std::uint64_t tag = 0;
  /// Set if the statement failed; then nothing else is.
  std::optional<Failure> failure;
  /// heartbeat: what this session leads; campaign, try_acquire, leader: the election, or nothing.
  std::vector<Leadership> rows;
  /// resign, withdraw, leave, remove_member.
  bool flag = false;
  /// join.
  std::int64_t incarnation = 0;
  /// sweep: when to sweep again.
  Duration wait{};
  /// peers, peer.
  std::vector<PeerRecord> peers;
  /// assignments, by rising assignment_id.
  std::vector<WorkAssignment> assignments;
  /// announce_shutdown: the end of the notice by the server's clock.
  UtcTime deadline{};
  /// assign.
  std::int64_t assignment_id = 0;
};

}  // namespace pgcoord
