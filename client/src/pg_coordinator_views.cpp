#include <utility>

#include "pg_coordinator_state.hpp"

namespace pgcoord {

std::map<std::string, PeerInfo> PgCoordinator::known_peers() const { return state_->picture.known_peers(); }

std::optional<PeerStatus> PgCoordinator::peer_status(std::string_view instance_id) const {
  return state_->picture.peer_status(instance_id);
}

std::size_t PgCoordinator::healthy_peer_count() const { return state_->picture.healthy_peer_count(); }

std::vector<PeerInfo> PgCoordinator::draining_peers() const { return state_->picture.draining_peers(); }

std::map<std::string, OrphanedSubscriptions> PgCoordinator::orphaned_subscriptions() const {
  return state_->picture.get_orphaned_subscriptions();
}

bool PgCoordinator::is_shutting_down() const { return state_->picture.is_shutting_down(); }

std::optional<ShutdownNotification> PgCoordinator::shutdown_notification() const {
  return state_->picture.shutdown_notification();
}

std::optional<Instant> PgCoordinator::shutdown_deadline() const {
  const std::lock_guard lock(state_->mutex);
  return state_->shutdown_deadline;
}

CallbackId PgCoordinator::on_peer_shutdown(PeerShutdownCallback callback) {
  return state_->picture.on_peer_shutdown(std::move(callback));
}

CallbackId PgCoordinator::on_heartbeat(HeartbeatCallback callback) {
  return state_->picture.on_heartbeat(std::move(callback));
}

CallbackId PgCoordinator::on_peer_timeout(PeerTimeoutCallback callback) {
  return state_->picture.on_peer_timeout(std::move(callback));
}

CallbackId PgCoordinator::on_peer_removed(PeerRemovedCallback callback) {
  return state_->picture.on_peer_removed(std::move(callback));
}

CallbackId PgCoordinator::on_work_assignment(WorkAssignmentCallback callback) {
  return state_->picture.on_work_assignment(std::move(callback));
}

CallbackId PgCoordinator::on_orphans(OrphansCallback callback) {
  return state_->picture.on_orphans(std::move(callback));
}

CallbackId PgCoordinator::on_drain_requested(PeerShutdownCallback callback) {
  return state_->drain_requested.add(std::move(callback));
}

bool PgCoordinator::remove_peer_shutdown_callback(CallbackId id) {
  return state_->picture.remove_peer_shutdown_callback(id);
}

bool PgCoordinator::remove_heartbeat_callback(CallbackId id) {
  return state_->picture.remove_heartbeat_callback(id);
}

bool PgCoordinator::remove_peer_timeout_callback(CallbackId id) {
  return state_->picture.remove_peer_timeout_callback(id);
}

bool PgCoordinator::remove_peer_removed_callback(CallbackId id) {
  return state_->picture.remove_peer_removed_callback(id);
}

bool PgCoordinator::remove_work_assignment_callback(CallbackId id) {
  return state_->picture.remove_work_assignment_callback(id);
}

bool PgCoordinator::remove_orphans_callback(CallbackId id) {
  return state_->picture.remove_orphans_callback(id);
}

bool PgCoordinator::remove_drain_requested_callback(CallbackId id) {
  return state_->drain_requested.remove(id);
}

}  // namespace pgcoord
