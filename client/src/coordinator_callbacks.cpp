#include "coordinator_impl.hpp"

namespace pgcoord {

CallbackId WorkRedistributionCoordinator::on_peer_shutdown(PeerShutdownCallback callback) {
  return impl_->peer_shutdown.add(std::move(callback));
}

CallbackId WorkRedistributionCoordinator::on_heartbeat(HeartbeatCallback callback) {
  return impl_->heartbeat.add(std::move(callback));
}

CallbackId WorkRedistributionCoordinator::on_peer_timeout(PeerTimeoutCallback callback) {
  return impl_->peer_timeout.add(std::move(callback));
}

CallbackId WorkRedistributionCoordinator::on_work_assignment(WorkAssignmentCallback callback) {
  return impl_->work_assignment.add(std::move(callback));
}

CallbackId WorkRedistributionCoordinator::on_peer_removed(PeerRemovedCallback callback) {
  return impl_->peer_removed.add(std::move(callback));
}

CallbackId WorkRedistributionCoordinator::on_orphans(OrphansCallback callback) {
  return impl_->orphans.add(std::move(callback));
}

CallbackId WorkRedistributionCoordinator::on_identity_conflict(IdentityConflictCallback callback) {
  return impl_->identity_conflict.add(std::move(callback));
}

bool WorkRedistributionCoordinator::remove_peer_shutdown_callback(CallbackId id) {
  return impl_->peer_shutdown.remove(id);
}

bool WorkRedistributionCoordinator::remove_heartbeat_callback(CallbackId id) {
  return impl_->heartbeat.remove(id);
}

bool WorkRedistributionCoordinator::remove_peer_timeout_callback(CallbackId id) {
  return impl_->peer_timeout.remove(id);
}

bool WorkRedistributionCoordinator::remove_work_assignment_callback(CallbackId id) {
  return impl_->work_assignment.remove(id);
}

bool WorkRedistributionCoordinator::remove_peer_removed_callback(CallbackId id) {
  return impl_->peer_removed.remove(id);
}

bool WorkRedistributionCoordinator::remove_orphans_callback(CallbackId id) {
  return impl_->orphans.remove(id);
}

bool WorkRedistributionCoordinator::remove_identity_conflict_callback(CallbackId id) {
  return impl_->identity_conflict.remove(id);
}

}  // namespace pgcoord
