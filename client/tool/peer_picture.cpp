#include "tool/peer_picture.hpp"

#include <algorithm>

namespace pgcoord::tool {

namespace {

constexpr const char* healthy = "healthy";
constexpr const char* draining = "draining";
constexpr const char* terminated = "terminated";
constexpr const char* stale = "stale";

using Changes = std::vector<PeerChange>;

void tell_status(const PeerRow& was, const PeerRow& is, Changes& changes) {
  if (was.status != is.status) {
    changes.push_back({is.status, is, was.status});
  } else if (is.status == draining && was.notice != is.notice) {
    changes.push_back({draining, is, draining});
  } else if (is.status == terminated && was.has_session && !is.has_session) {
    changes.push_back({"left", is, terminated});
  }
}

/// A new one counts as healthy until it is seen to be something else.
void tell_joined(const PeerRow& is, std::optional<std::string> previous, Changes& changes) {
  changes.push_back({"joined", is, std::move(previous)});
  PeerRow fresh = is;
  fresh.status = healthy;
  tell_status(fresh, is, changes);
}

// A member that goes by itself is alive until then.
void tell_gone(const PeerRow& was, Changes& changes) {
  const bool was_gone = was.status == stale || was.status == terminated;
  changes.push_back({was_gone ? "removed" : "left", was, was.status});
}

}  // namespace

std::vector<PeerChange> PeerPicture::update(std::vector<PeerRow> rows) {
  std::map<Key, PeerRow> now;
  for (auto& row : rows) now.insert_or_assign(Key(row.group, row.instance), std::move(row));
  Changes changes;
  if (peers_) {
    for (const auto& [key, was] : *peers_) {
      if (now.count(key) == 0) tell_gone(was, changes);
    }
  }
  for (const auto& [key, is] : now) {
    if (!peers_) {
      changes.push_back({"current", is, std::nullopt});
      continue;
    }
    const auto was = peers_->find(key);
    if (was == peers_->end()) {
      tell_joined(is, std::nullopt, changes);
    } else if (was->second.incarnation != is.incarnation) {
      tell_joined(is, was->second.status, changes);
    } else {
      tell_status(was->second, is, changes);
    }
  }
  peers_ = std::move(now);
  return changes;
}

std::optional<milliseconds> PeerPicture::until_next_deadline() const {
  std::optional<milliseconds> next;
  if (!peers_) return next;
  for (const auto& [key, peer] : *peers_) {
    if (peer.status == draining && peer.left) next = std::min(next.value_or(*peer.left), *peer.left);
  }
  return next;
}

}  // namespace pgcoord::tool
