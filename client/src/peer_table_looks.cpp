#include <algorithm>

#include "peer_table.hpp"

namespace pgcoord::detail {

namespace {

bool is_loss(PeerStatus status) {
  return status == PeerStatus::draining || status == PeerStatus::terminated || status == PeerStatus::stale;
}

constexpr Duration an_instant{1};

/// First seen first.
template <typename Peers>
auto in_order(Peers& peers) {
  std::vector<decltype(&peers.begin()->second)> ordered;
  ordered.reserve(peers.size());
  for (auto& [instance_id, peer] : peers) ordered.push_back(&peer);
  std::sort(ordered.begin(), ordered.end(), [](auto* a, auto* b) { return a->order < b->order; });
  return ordered;
}

}  // namespace

PeerTable::Names PeerTable::held(Instant now) const {
  Names names = held_here_;
  for (const auto& [instance_id, peer] : peers_) {
    if (peer.info.status(now) != PeerStatus::healthy) continue;
    const auto& listed = peer.info.subscriptions();
    names.insert(listed.begin(), listed.end());
  }
  return names;
}

std::vector<std::string> PeerTable::left_by(const Peer& peer, const Names& held) {
  std::vector<std::string> left;
  Names taken = held;
  for (const auto& subscription : peer.info.subscriptions())
    if (taken.insert(subscription).second) left.push_back(subscription);
  return left;
}

void PeerTable::settle(Peer& peer, Instant now, PeerNews& news) {
  const auto status = peer.info.status(now);
  if (!is_loss(status)) {
    peer.loss.reset();
    return;
  }
  if (peer.loss == status) return;
  peer.loss = status;
  peer.lost_at = now;
  auto left = left_by(peer, held(now));
  if (!left.empty()) news.orphans.emplace_back(peer.info.instance_id, std::move(left));
}

void PeerTable::look(Instant now, PeerNews& news) {
  const auto peers = in_order(peers_);
  for (Peer* peer : peers) {
    if (peer->silence_told || peer->info.status(now) != PeerStatus::stale) continue;
    peer->silence_told = true;
    news.timeouts.push_back(peer->info.instance_id);
  }
  for (Peer* peer : peers) settle(*peer, now, news);
  forget_long_gone(now, news);
}

void PeerTable::forget_long_gone(Instant now, PeerNews& news) {
  std::erase_if(peers_, [&](const auto& entry) {
    const Peer& peer = entry.second;
    const bool lost = peer.loss && peer.loss != PeerStatus::draining;
    if (peer.listed || !lost || now - peer.lost_at <= retention_) return false;
    news.removed.push_back(entry.first);
    return true;
  });
}

std::optional<Instant> PeerTable::due(const Peer& peer) const {
  const auto& info = peer.info;
  if (peer.loss && peer.loss != PeerStatus::draining) {
    if (peer.listed) return std::nullopt;
    return later(later(peer.lost_at, retention_), an_instant);
  }
  if (info.shutdown_notification) return info.gone ? peer.noticed_at : info.shutdown_deadline;
  if (!info.last_heartbeat) return std::nullopt;
  return info.gone ? info.heard_at : later(later(info.heard_at, info.timeout), an_instant);
}

std::optional<Instant> PeerTable::next_deadline() const {
  std::optional<Instant> next;
  for (const auto& [instance_id, peer] : peers_) {
    const auto when = due(peer);
    if (when && (!next || *when < *next)) next = when;
  }
  return next;
}

std::map<std::string, PeerInfo> PeerTable::all() const {
  std::map<std::string, PeerInfo> infos;
  for (const auto& [instance_id, peer] : peers_) infos.emplace(instance_id, peer.info);
  return infos;
}

const PeerInfo* PeerTable::find(std::string_view instance_id) const {
  const auto found = peers_.find(instance_id);
  return found == peers_.end() ? nullptr : &found->second.info;
}

std::vector<PeerInfo> PeerTable::with_status(PeerStatus status, Instant now) const {
  std::vector<PeerInfo> infos;
  for (const Peer* peer : in_order(peers_))
    if (peer->info.status(now) == status) infos.push_back(peer->info);
  return infos;
}

std::map<std::string, OrphanedSubscriptions> PeerTable::orphans(Instant now) const {
  std::map<std::string, OrphanedSubscriptions> orphans;
  const auto names = held(now);
  for (const auto& [instance_id, peer] : peers_) {
    const auto status = peer.info.status(now);
    if (!is_loss(status)) continue;
    auto left = left_by(peer, names);
    if (left.empty()) continue;
    const bool draining = status == PeerStatus::draining && peer.info.shutdown_deadline;
    const auto available_in = draining ? *peer.info.shutdown_deadline - now : Duration::zero();
    orphans.emplace(instance_id, OrphanedSubscriptions{std::move(left), status, available_in});
  }
  return orphans;
}

}  // namespace pgcoord::detail
