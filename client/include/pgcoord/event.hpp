#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pgcoord/leadership.hpp"
#include "pgcoord/peer_record.hpp"
#include "pgcoord/shutdown_notification.hpp"
#include "pgcoord/time.hpp"
#include "pgcoord/work_assignment.hpp"

namespace pgcoord {

/// What an error of the server, or of the way there, looks like as a value.
struct Failure {
  std::string sqlstate;
  std::string message;
  std::string detail;
  std::string hint;

  bool operator==(const Failure&) const = default;
};

/// Whom we are connected to, so that two clients in different databases can be told apart.
struct ServerInfo {
  int backend_pid = 0;
  std::string database;
  /// Empty if the role may not read it.
  std::string system_identifier;
  int server_version = 0;
  /// Where the group's leader notices are sent.
  std::string leader_channel;
  /// Where the group's members are told of: coming and going, shutdown notices, heartbeats, work.
  std::string member_channel;
  std::string shutdown_channel;
  std::string heartbeat_channel;
  std::string work_assignment_channel;

  bool operator==(const ServerInfo&) const = default;
};

/// A connection stands; nothing is known yet.
struct Connected {
  ServerInfo server;
};

/// The connection ended, or could not be made. Every leadership is lost by then.
struct Disconnected {
  Failure reason;
};

/// This session is a member now. The incarnation rises with every join of the name.
struct Joined {
  std::int64_t incarnation = 0;
};

/// After a gap everything was read again: from here on changes are told as they come.
/// `observed` has the state of every observed election; if peers are watched, PeersRead came before.
struct Resync {
  std::vector<Leadership> observed;
};

/// This session leads.
struct Elected {
  std::string election;
  Token token;
};

/// This session led and does so no more. A term that was reported lost is never reported again.
struct Lost {
  std::string election;
  Token token;
  LossCause cause = LossCause::expired;
};

/// The server named another leader than before, or none. Told for elections that are observed, and
/// for others when the change happened to be seen.
struct LeaderChanged {
  std::string election;
  std::optional<std::string> leader;
  Token token;
};

/// The server does not know this session as a member (any more); it joins again.
struct NotMember {};

/// Another living session has this instance_id; tried again with back-off.
struct InstanceInUse {
  Failure reason;
};

/// A statement failed; tried again with back-off where it has to be.
struct Failed {
  /// What was tried: "heartbeat", "campaign", …
  std::string action;
  std::string election;
  Failure reason;
};

/// The whole group as the registry tells it: who is not in it is no member. Told while peers are watched.
struct PeersRead {
  std::vector<PeerRecord> peers;
  Instant read_at;
};

/// One of the group, or none if the registry does not list it. Told while peers are watched.
struct PeerRead {
  std::string instance_id;
  std::optional<PeerRecord> peer;
  Instant read_at;
};

/// Work for this incarnation of this session, read from the registry; each assignment once, in order. Told
/// while peers are watched.
struct WorkAssigned {
  WorkAssignment assignment;
};

/// Somebody else announced that this session's member shuts down (`coord.drain()`). From here on the notice
/// stands as if announce_shutdown() had been called. Told while peers are watched.
struct DrainRequested {
  ShutdownNotification notice;
  Instant deadline;
};

using Event = std::variant<Connected, Disconnected, Joined, Resync, Elected, Lost, LeaderChanged, NotMember,
                           InstanceInUse, Failed, PeersRead, PeerRead, WorkAssigned, DrainRequested>;

}  // namespace pgcoord
