#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace pgcoord {

/// What is known of one lock since it was granted; nothing of it changes.
struct LockInfo {
  std::string key;
  /// lock_key() of it.
  std::int64_t lock_id = 0;
  /// By this machine's clock, after the grant.
  std::chrono::system_clock::time_point acquired_at;
  /// The manager's label, for people.
  std::optional<std::string> holder_id;

  friend bool operator==(const LockInfo&, const LockInfo&) = default;
};

}  // namespace pgcoord
