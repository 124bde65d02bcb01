#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pgcoord/shutdown_notification.hpp"
#include "pgcoord/time.hpp"
#include "pgcoord/utc_time.hpp"

namespace pgcoord {

/// One member as a registry tells it. Spans of time are relative to the moment of the reading, so no clock
/// of another host is ever compared with ours.
struct PeerRecord {
  std::string instance_id;
  std::int64_t incarnation = 0;
  std::vector<std::string> subscriptions;
  std::int32_t in_flight_count = 0;
  double load_factor = 0.0;
  bool is_leader = false;
  /// How long ago it was last heard.
  Duration heartbeat_age{};
  /// The same by the registry's clock; for people.
  UtcTime last_heartbeat_at{};
  Duration heartbeat_timeout = std::chrono::seconds(15);
  bool session_alive = true;
  std::optional<ShutdownNotification> notice;
  /// How much of the notice's time is left; without one it means nothing.
  Duration time_remaining{};
  /// A JSON object as text.
  std::string metadata = "{}";

  bool operator==(const PeerRecord&) const = default;
};

}  // namespace pgcoord
