#pragma once

#include <string>
#include <vector>

#include "pgcoord/peer_info.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord {

/// What one peer leaves behind.
struct OrphanedSubscriptions {
  /// Not empty, in the peer's order, each once.
  std::vector<std::string> subscriptions;
  /// draining, terminated or stale.
  PeerStatus status = PeerStatus::stale;
  /// How long the peer may still run them: until the end of its notice while it drains, else zero.
  Duration available_in{};

  bool operator==(const OrphanedSubscriptions&) const = default;
};

}  // namespace pgcoord
