#include <algorithm>

#include "peer_table.hpp"

namespace pgcoord::detail {

namespace {

HeartbeatMessage heartbeat_of(const PeerRecord& record) {
  HeartbeatMessage heartbeat;
  heartbeat.instance_id = record.instance_id;
  heartbeat.timestamp = record.last_heartbeat_at;
  heartbeat.subscriptions = record.subscriptions;
  heartbeat.in_flight_count = record.in_flight_count;
  heartbeat.is_leader = record.is_leader;
  heartbeat.load_factor = record.load_factor;
  heartbeat.incarnation = record.incarnation;
  return heartbeat;
}

bool same_but_for_time(HeartbeatMessage one, const HeartbeatMessage& other) {
  one.timestamp = other.timestamp;
  one.truncated = other.truncated;
  return one == other;
}

/// What else it carries may change while its sender drains.
bool same_announcement(const ShutdownNotification& one, const ShutdownNotification& other) {
  return one.initiated_at == other.initiated_at && one.intent == other.intent &&
         one.expected_completion_at == other.expected_completion_at;
}

/// Longer ago makes no difference, and could not be counted.
constexpr Duration longest_age = std::chrono::hours(24 * 36500);

}  // namespace

void PeerTable::take_record(const PeerRecord& record, Instant read_at, Instant now, PeerNews& news) {
  if (read_at < full_reading_at_) return;
  Peer& peer = meet(record.instance_id);
  if (read_at < peer.read_at) return;
  peer.read_at = read_at;
  peer.listed = true;
  // What was heard since the reading counts for more; else the registry is right, even if it went back.
  if (peer.info.incarnation && peer.info.incarnation != record.incarnation) {
    const bool heard_since = read_at < std::max(peer.info.heard_at, peer.noticed_at);
    if (heard_since && record.incarnation < *peer.info.incarnation) return;
    begin_life(peer, record.incarnation);
  }
  peer.info.incarnation = record.incarnation;
  peer.info.timeout = record.heartbeat_timeout;
  peer.info.metadata = record.metadata;
  peer.info.gone = !record.session_alive;
  take_recorded_heartbeat(peer, record, read_at, now, news);
  take_recorded_notice(peer, record, read_at, news);
}

void PeerTable::take_recorded_heartbeat(Peer& peer, const PeerRecord& record, Instant read_at, Instant now,
                                        PeerNews& news) {
  auto& info = peer.info;
  if (info.last_heartbeat && read_at < info.heard_at) return;
  const auto heartbeat = heartbeat_of(record);
  const Instant heard_at = read_at - std::min(record.heartbeat_age, longest_age);
  info.heard_at = info.last_heartbeat ? std::max(info.heard_at, heard_at) : heard_at;
  const bool changed = !info.last_heartbeat || !same_but_for_time(heartbeat, *info.last_heartbeat);
  info.last_heartbeat = heartbeat;
  const bool alive = !info.gone && now - info.heard_at <= info.timeout;
  if (alive && (changed || peer.silence_told)) news.heartbeats.push_back(heartbeat);
  if (alive) peer.silence_told = false;
}

void PeerTable::take_recorded_notice(Peer& peer, const PeerRecord& record, Instant read_at, PeerNews& news) {
  auto& known = peer.info.shutdown_notification;
  if (read_at < peer.noticed_at) return;
  if (!record.notice) {
    known.reset();
    peer.info.shutdown_deadline.reset();
    return;
  }
  auto notice = *record.notice;
  notice.incarnation = record.incarnation;
  const Instant deadline = later(read_at, record.time_remaining);
  const bool same = known && same_announcement(*known, notice);
  // Readings differ by their way here; the earliest is the nearest to the truth.
  peer.info.shutdown_deadline = same ? std::min(*peer.info.shutdown_deadline, deadline) : deadline;
  peer.noticed_at = read_at;
  known = std::move(notice);
  if (!same) news.shutdowns.push_back(*known);
}

void PeerTable::take_missing(std::string_view instance_id, Instant read_at, PeerNews& news) {
  const auto found = peers_.find(instance_id);
  if (found == peers_.end()) return;
  const Peer& peer = found->second;
  const bool heard_since = read_at < std::max({peer.read_at, peer.noticed_at, peer.info.heard_at});
  if (!heard_since) remove(instance_id, news);
}

bool PeerTable::begin_full_reading(Instant read_at) {
  if (read_at < full_reading_at_) return false;
  full_reading_at_ = read_at;
  return true;
}

void PeerTable::end_full_reading(const std::set<std::string, std::less<>>& listed, Instant read_at,
                                 PeerNews& news) {
  std::vector<std::string> missing;
  for (const auto& [instance_id, peer] : peers_)
    if (!listed.contains(instance_id)) missing.push_back(instance_id);
  for (const auto& instance_id : missing) take_missing(instance_id, read_at, news);
}

}  // namespace pgcoord::detail
