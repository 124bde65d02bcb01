#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pgcoord/export.hpp"
#include "pgcoord/message_error.hpp"
#include "pgcoord/time.hpp"
#include "pgcoord/utc_time.hpp"

namespace pgcoord {

/// Why an instance stops. The words on the wire are the enumerators' names.
enum class ShutdownIntent { graceful, preemption, health_failure, maintenance };

[[nodiscard]] PGCOORD_EXPORT std::string_view to_string(ShutdownIntent intent) noexcept;

/// None for any other word.
[[nodiscard]] PGCOORD_EXPORT std::optional<ShutdownIntent> shutdown_intent_from(std::string_view word);

/// An instance says that it stops, and until when it expects to be done. A value; nothing is shared.
struct PGCOORD_EXPORT ShutdownNotification {
  std::string instance_id;
  ShutdownIntent intent = ShutdownIntent::graceful;
  /// Both by the sender's clock, or the server's if it came from the registry.
  UtcTime initiated_at{};
  UtcTime expected_completion_at{};
  /// What the sender still runs, in its order.
  std::vector<std::string> subscriptions;
  std::int32_t in_flight_count = 0;
  /// A JSON object.
  nlohmann::json metadata = nlohmann::json::object();
  /// Which life of that name said so, if known; rises with every join.
  std::optional<std::int64_t> incarnation;
  /// Something was left out because the message was too long.
  bool truncated = false;

  /// Zero once `now` has reached expected_completion_at. `now` is to be of the same clock.
  [[nodiscard]] Duration time_remaining(UtcTime now) const;
  /// Exactly at the deadline it is expired.
  [[nodiscard]] bool is_expired(UtcTime now) const;

  /// One JSON object with every key up to `metadata`; `incarnation` and `truncated` only if set. Throws Error
  /// (22023) for what cannot be said in JSON: text that is not UTF-8, metadata that is no object.
  [[nodiscard]] std::string to_json() const;

  /// Throws MessageError unless `text` is such an object: `instance_id`, `intent`, `initiated_at` and
  /// `expected_completion_at` are required, the others optional; unknown keys are ignored.
  [[nodiscard]] static ShutdownNotification from_json(std::string_view text);

  bool operator==(const ShutdownNotification&) const = default;
};

}  // namespace pgcoord
