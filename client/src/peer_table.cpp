#include "peer_table.hpp"

#include <algorithm>

namespace pgcoord::detail {

namespace {

/// Whether a sender that has sent this heartbeat has outlived that notice. While lives are told apart, only
/// a newer life does: one that drains goes on sending heartbeats, past its deadline too.
bool outlived(const ShutdownNotification& notice, const HeartbeatMessage& heartbeat) {
  if (notice.incarnation && heartbeat.incarnation) return false;
  return heartbeat.timestamp > notice.expected_completion_at;
}

bool is_old(const ShutdownNotification& notice, const PeerInfo& known) {
  if (known.last_heartbeat && outlived(notice, *known.last_heartbeat)) return true;
  const auto& old = known.shutdown_notification;
  if (!old || notice.initiated_at > old->initiated_at) return false;
  return notice.initiated_at < old->initiated_at || notice == *old || notice.truncated;
}

/// One that arrives twice proves nothing about now.
bool is_old(const HeartbeatMessage& heartbeat, const PeerInfo& known) {
  const auto& old = known.last_heartbeat;
  if (!old || heartbeat.timestamp > old->timestamp) return false;
  return heartbeat.timestamp < old->timestamp || heartbeat == *old || heartbeat.truncated;
}

}  // namespace

Instant later(Instant time, Duration span) {
  return time > Instant(Duration::zero()) && span > Instant::max() - time ? Instant::max() : time + span;
}

PeerTable::Peer& PeerTable::meet(std::string_view instance_id) {
  auto found = peers_.find(instance_id);
  if (found == peers_.end()) {
    found = peers_.emplace(instance_id, Peer{}).first;
    found->second.info.instance_id = instance_id;
    found->second.info.timeout = timeout_;
    found->second.order = ++seen_;
  }
  return found->second;
}

void PeerTable::begin_life(Peer& peer, std::int64_t incarnation) const {
  Peer fresh;
  fresh.info.instance_id = peer.info.instance_id;
  fresh.info.incarnation = incarnation;
  fresh.info.timeout = timeout_;
  fresh.order = peer.order;
  fresh.read_at = peer.read_at;
  fresh.listed = peer.listed;
  peer = std::move(fresh);
}

bool PeerTable::same_or_newer_life(Peer& peer, std::optional<std::int64_t> incarnation) const {
  if (!incarnation) return true;
  auto& known = peer.info.incarnation;
  if (known && *incarnation < *known) return false;
  if (known && *incarnation > *known) begin_life(peer, *incarnation);
  known = incarnation;
  return true;
}

bool PeerTable::take_notice(const ShutdownNotification& notice, Instant now, PeerNews& news) {
  Peer& peer = meet(notice.instance_id);
  if (!same_or_newer_life(peer, notice.incarnation) || is_old(notice, peer.info)) return false;
  const auto& old = peer.info.shutdown_notification;
  const bool completes = old && old->truncated && old->initiated_at == notice.initiated_at;
  if (!completes) {
    peer.info.shutdown_deadline = later(now, notice.time_remaining(notice.initiated_at));
    peer.noticed_at = now;
    news.shutdowns.push_back(notice);
  }
  peer.info.shutdown_notification = notice;
  settle(peer, now, news);
  return !completes;
}

bool PeerTable::take_heartbeat(const HeartbeatMessage& heartbeat, Instant now, PeerNews& news) {
  Peer& peer = meet(heartbeat.instance_id);
  if (!same_or_newer_life(peer, heartbeat.incarnation) || is_old(heartbeat, peer.info)) return false;
  auto& info = peer.info;
  if (info.shutdown_notification && outlived(*info.shutdown_notification, heartbeat)) {
    info.shutdown_notification.reset();
    info.shutdown_deadline.reset();
  }
  auto kept = heartbeat;
  if (kept.truncated && kept.subscriptions.empty() && info.last_heartbeat)
    kept.subscriptions = info.last_heartbeat->subscriptions;
  info.last_heartbeat = kept;
  info.heard_at = std::max(info.heard_at, now);
  if (!info.gone) peer.silence_told = false;
  news.heartbeats.push_back(std::move(kept));
  settle(peer, now, news);
  return true;
}

bool PeerTable::remove(std::string_view instance_id, PeerNews& news) {
  const auto found = peers_.find(instance_id);
  if (found == peers_.end()) return false;
  news.removed.push_back(found->first);
  peers_.erase(found);
  return true;
}

}  // namespace pgcoord::detail
