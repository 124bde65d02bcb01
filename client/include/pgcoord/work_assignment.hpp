#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pgcoord/export.hpp"
#include "pgcoord/message_error.hpp"
#include "pgcoord/utc_time.hpp"

namespace pgcoord {

/// A leader tells an instance to take work. A value; nothing is shared.
struct PGCOORD_EXPORT WorkAssignment {
  std::string target_instance_id;
  std::vector<std::string> subscriptions;
  /// Who assigns.
  std::string source_instance_id;
  /// By the sender's clock, or the server's if it came from the registry.
  UtcTime assigned_at{};
  /// Higher is more urgent. Carried, never interpreted here.
  std::int32_t priority = 0;
  /// Which life of the target is meant; another one ignores it.
  std::optional<std::int64_t> target_incarnation;
  /// Names this assignment, so that one that arrives twice is taken once.
  std::optional<std::int64_t> assignment_id;
  /// Under which term it was made: fence with these before acting on it.
  std::optional<std::string> election;
  std::optional<std::int64_t> token;
  /// Something was left out because the message was too long: read the assignment from the registry.
  bool truncated = false;

  /// One JSON object with every key up to `priority`; the others only if set. Throws Error (22023) for text
  /// that is not UTF-8.
  [[nodiscard]] std::string to_json() const;

  /// Throws MessageError unless `text` is such an object: all keys up to `assigned_at` are required, the
  /// others optional; `subscriptions` may be missing when `truncated` is true; unknown keys are ignored.
  [[nodiscard]] static WorkAssignment from_json(std::string_view text);

  bool operator==(const WorkAssignment&) const = default;
};

}  // namespace pgcoord
