#include "pgcoord/peer_info.hpp"

namespace pgcoord {

std::string_view to_string(PeerStatus status) noexcept {
  switch (status) {
    case PeerStatus::terminated:
      return "terminated";
    case PeerStatus::draining:
      return "draining";
    case PeerStatus::unknown:
      return "unknown";
    case PeerStatus::stale:
      return "stale";
    case PeerStatus::healthy:
      return "healthy";
  }
  return "invalid";
}

PeerStatus PeerInfo::status(Instant now) const {
  if (shutdown_notification) {
    const bool over = gone || (shutdown_deadline && now >= *shutdown_deadline);
    return over ? PeerStatus::terminated : PeerStatus::draining;
  }
  if (!last_heartbeat) return PeerStatus::unknown;
  return gone || now - heard_at > timeout ? PeerStatus::stale : PeerStatus::healthy;
}

const std::vector<std::string>& PeerInfo::subscriptions() const {
  static const std::vector<std::string> none;
  const bool noticed = shutdown_notification && !shutdown_notification->subscriptions.empty();
  if (noticed) return shutdown_notification->subscriptions;
  return last_heartbeat ? last_heartbeat->subscriptions : none;
}

}  // namespace pgcoord
