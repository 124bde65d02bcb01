#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pgcoord/export.hpp"
#include "pgcoord/heartbeat_message.hpp"
#include "pgcoord/shutdown_notification.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord {

enum class PeerStatus {
  terminated,  ///< said that it stops, and its time is up or its session ended
  draining,    ///< said that it stops
  unknown,     ///< never heard
  stale,       ///< not heard for longer than its timeout, or its session ended
  healthy,
};

[[nodiscard]] PGCOORD_EXPORT std::string_view to_string(PeerStatus status) noexcept;

/// What is known of another instance: a snapshot that nobody else changes.
struct PGCOORD_EXPORT PeerInfo {
  std::string instance_id;
  /// Which life of that name, if known; rises with every join.
  std::optional<std::int64_t> incarnation;
  std::optional<HeartbeatMessage> last_heartbeat;
  /// When that was heard, on this machine's steady clock; without a heartbeat it means nothing.
  Instant heard_at{};
  /// Its own timeout if known, else the coordinator's.
  Duration timeout = std::chrono::seconds(15);
  std::optional<ShutdownNotification> shutdown_notification;
  /// When the notice's time is up, on this machine's steady clock; set with the notice.
  std::optional<Instant> shutdown_deadline;
  /// Its session is known to have ended.
  bool gone = false;
  /// A JSON object as text: what it joined with, if that is known.
  std::string metadata = "{}";

  /// In the order of the enumerators: a notice counts before any heartbeat.
  [[nodiscard]] PeerStatus status(Instant now) const;

  /// What the notice lists; if there is none, or it lists nothing, what the last heartbeat lists.
  [[nodiscard]] const std::vector<std::string>& subscriptions() const;

  bool operator==(const PeerInfo&) const = default;
};

}  // namespace pgcoord
