#include "coordinator_impl.hpp"

namespace pgcoord {

std::map<std::string, PeerInfo> WorkRedistributionCoordinator::known_peers() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->table.all();
}

std::optional<PeerStatus> WorkRedistributionCoordinator::peer_status(std::string_view instance_id) const {
  const Instant at = impl_->now();
  const std::lock_guard lock(impl_->mutex);
  const auto* info = impl_->table.find(instance_id);
  return info ? std::optional(info->status(at)) : std::nullopt;
}

std::size_t WorkRedistributionCoordinator::healthy_peer_count() const {
  const Instant at = impl_->now();
  const std::lock_guard lock(impl_->mutex);
  return impl_->table.with_status(PeerStatus::healthy, at).size();
}

std::vector<PeerInfo> WorkRedistributionCoordinator::draining_peers() const {
  const Instant at = impl_->now();
  const std::lock_guard lock(impl_->mutex);
  return impl_->table.with_status(PeerStatus::draining, at);
}

std::map<std::string, OrphanedSubscriptions> WorkRedistributionCoordinator::get_orphaned_subscriptions()
    const {
  const Instant at = impl_->now();
  const std::lock_guard lock(impl_->mutex);
  return impl_->table.orphans(at);
}

std::optional<Instant> WorkRedistributionCoordinator::next_deadline() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->table.next_deadline();
}

}  // namespace pgcoord
