#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pgcoord/export.hpp"
#include "pgcoord/message_error.hpp"
#include "pgcoord/time.hpp"
#include "pgcoord/utc_time.hpp"

namespace pgcoord {

/// An instance says that it lives and what it runs. A value; nothing is shared.
struct PGCOORD_EXPORT HeartbeatMessage {
  std::string instance_id;
  /// By the sender's clock, or the server's if it came from the registry.
  UtcTime timestamp{};
  std::vector<std::string> subscriptions;
  std::int32_t in_flight_count = 0;
  bool is_leader = false;
  /// Meant to be 0 to 1, which is not enforced; finite.
  double load_factor = 0.0;
  /// Which life of that name said so, if known; rises with every join.
  std::optional<std::int64_t> incarnation;
  /// Something was left out because the message was too long.
  bool truncated = false;

  /// Whether it is older than `max_age` by the receiver's wall clock. One from the future is never stale.
  /// The coordinator does not use this: it goes by when it heard, on its own steady clock.
  [[nodiscard]] bool is_stale(UtcTime now, Duration max_age = std::chrono::seconds(15)) const;

  /// One JSON object with every key up to `load_factor`; `incarnation` and `truncated` only if set. Throws
  /// Error (22023) for what cannot be said in JSON: text that is not UTF-8, a load that is not finite.
  [[nodiscard]] std::string to_json() const;

  /// Throws MessageError unless `text` is such an object: `instance_id` and `timestamp` are required, the
  /// others optional; unknown keys are ignored.
  [[nodiscard]] static HeartbeatMessage from_json(std::string_view text);

  bool operator==(const HeartbeatMessage&) const = default;
};

}  // namespace pgcoord
