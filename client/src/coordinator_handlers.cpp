#include "coordinator_impl.hpp"
#include "pgcoord/topics.hpp"

namespace pgcoord {

bool WorkRedistributionCoordinator::Impl::is_own(const std::string& id,
                                                 const std::optional<std::int64_t>& other_incarnation) {
  if (id != instance_id) return false;
  const std::lock_guard lock(mutex);
  const bool conflict = incarnation && other_incarnation && *incarnation != *other_incarnation;
  if (!conflict || last_conflict == other_incarnation) return true;
  last_conflict = other_incarnation;
  identity_conflict.post(*other_incarnation);
  return true;
}

void WorkRedistributionCoordinator::Impl::post(const detail::PeerNews& news) {
  for (const auto& notice : news.shutdowns) peer_shutdown.post(notice);
  for (const auto& message : news.heartbeats) heartbeat.post(message);
  for (const auto& id : news.timeouts) peer_timeout.post(id);
  for (const auto& [id, subscriptions] : news.orphans) orphans.post(id, subscriptions);
  for (const auto& id : news.removed) peer_removed.post(id);
}

void WorkRedistributionCoordinator::Impl::deliver() {
  peer_shutdown.deliver(options.on_error);
  heartbeat.deliver(options.on_error);
  peer_timeout.deliver(options.on_error);
  orphans.deliver(options.on_error);
  peer_removed.deliver(options.on_error);
  work_assignment.deliver(options.on_error);
  identity_conflict.deliver(options.on_error);
}

bool WorkRedistributionCoordinator::handle_peer_shutdown(const ShutdownNotification& notice) {
  if (impl_->is_own(notice.instance_id, notice.incarnation)) {
    impl_->deliver();
    return false;
  }
  return impl_->change(
      [&](Instant at, detail::PeerNews& news) { return impl_->table.take_notice(notice, at, news); });
}

bool WorkRedistributionCoordinator::handle_heartbeat(const HeartbeatMessage& heartbeat) {
  if (impl_->is_own(heartbeat.instance_id, heartbeat.incarnation)) {
    impl_->deliver();
    return false;
  }
  return impl_->change(
      [&](Instant at, detail::PeerNews& news) { return impl_->table.take_heartbeat(heartbeat, at, news); });
}

bool WorkRedistributionCoordinator::handle_work_assignment(const WorkAssignment& assignment) {
  if (assignment.target_instance_id != impl_->instance_id) return false;
  std::unique_lock lock(impl_->mutex);
  const auto& meant = assignment.target_incarnation;
  if (meant && impl_->incarnation && *meant != *impl_->incarnation) return false;
  if (impl_->own_notice && !impl_->options.accept_assignments_while_draining) return false;
  if (assignment.assignment_id && !impl_->seen_assignments.add(*assignment.assignment_id)) return false;
  impl_->work_assignment.post(assignment);
  lock.unlock();
  impl_->deliver();
  return true;
}

bool WorkRedistributionCoordinator::handle_message(std::string_view topic, std::string_view payload) {
  if (topic == shutdown_notifications_topic)
    return handle_peer_shutdown(ShutdownNotification::from_json(payload));
  if (topic == heartbeat_topic) return handle_heartbeat(HeartbeatMessage::from_json(payload));
  if (topic == work_assignment_topic) return handle_work_assignment(WorkAssignment::from_json(payload));
  return false;
}

void WorkRedistributionCoordinator::handle_registry(const std::vector<PeerRecord>& peers, Instant read_at) {
  impl_->change([&](Instant at, detail::PeerNews& news) {
    if (!impl_->table.begin_full_reading(read_at)) return false;
    std::set<std::string, std::less<>> listed;
    for (const auto& peer : peers) {
      if (peer.instance_id == impl_->instance_id) continue;
      listed.insert(peer.instance_id);
      impl_->table.take_record(peer, read_at, at, news);
    }
    impl_->table.end_full_reading(listed, read_at, news);
    impl_->table.look(at, news);
    return true;
  });
  for (const auto& peer : peers)
    if (impl_->is_own(peer.instance_id, peer.incarnation)) impl_->deliver();
}

void WorkRedistributionCoordinator::handle_peer(const std::string& instance_id,
                                                const std::optional<PeerRecord>& peer, Instant read_at) {
  const auto& about = peer ? peer->instance_id : instance_id;
  if (impl_->is_own(about, peer ? std::optional(peer->incarnation) : std::nullopt)) {
    impl_->deliver();
    return;
  }
  impl_->change([&](Instant at, detail::PeerNews& news) {
    if (peer)
      impl_->table.take_record(*peer, read_at, at, news);
    else
      impl_->table.take_missing(about, read_at, news);
    impl_->table.look(at, news);
    return true;
  });
}

std::vector<std::string> WorkRedistributionCoordinator::check_peer_timeouts() {
  return impl_->change([&](Instant at, detail::PeerNews& news) {
    impl_->table.look(at, news);
    return news.timeouts;
  });
}

bool WorkRedistributionCoordinator::remove_peer(std::string_view instance_id) {
  return impl_->change(
      [&](Instant, detail::PeerNews& news) { return impl_->table.remove(instance_id, news); });
}

}  // namespace pgcoord
