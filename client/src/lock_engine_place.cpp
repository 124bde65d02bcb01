#include <algorithm>
#include <string>

#include "lock_engine.hpp"

namespace pgcoord::detail {

using Kind = LockOp::Kind;

namespace {

bool contains(const std::vector<std::string>& keys, std::string_view key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

bool is_usable(const LockLink& link) { return link.connection.phase() != LockConnection::Phase::broken; }

bool has_wait(const LockLink& link) {
  return link.waits() || std::any_of(link.queue.begin(), link.queue.end(),
                                     [](const LockOp& op) { return op.kind == Kind::wait; });
}

bool is_all_of(const LockLink& link, std::thread::id thread) {
  return std::all_of(link.holds.begin(), link.holds.end(),
                     [thread](const HeldLockPointer& held) { return held->thread.load() == thread; });
}

}  // namespace

bool LockLink::is_concerned_with(std::string_view key) const {
  const auto tries = [key](const LockOp& op) { return op.kind == Kind::try_lock && op.key == key; };
  return contains(keys, key) || (running && tries(*running)) ||
         std::any_of(queue.begin(), queue.end(), tries);
}

bool LockEngine::is_concerned_with(std::string_view key) const {
  return std::any_of(links_.begin(), links_.end(),
                     [key](const LinkPointer& link) { return link->is_concerned_with(key); });
}

LockLink* LockEngine::link_of(const HeldLockPointer& held) const {
  for (const auto& link : links_) {
    if (std::find(link->holds.begin(), link->holds.end(), held) != link->holds.end()) return link.get();
  }
  return nullptr;
}

LockLink& LockEngine::new_link() {
  auto marker =
      std::to_string(++last_marker_) + " " + std::to_string(BootClock::now().time_since_epoch().count());
  links_.push_back(std::make_shared<LockLink>(options, hosts_, std::move(marker)));
  return *links_.back();
}

/// The one that holds most, so that one comes to hold all.
LockLink* LockEngine::link_for_try() const {
  LockLink* best = nullptr;
  for (const auto& link : links_) {
    if (!is_usable(*link) || has_wait(*link)) continue;
    if (!best || link->holds.size() > best->holds.size()) best = link.get();
  }
  return best;
}

/// One that nobody but the waiting thread misses meanwhile; rather one with its locks, since then the server
/// sees whether it waits for itself.
LockLink* LockEngine::link_for_wait(const LockAsk& ask) const {
  LockLink* best = nullptr;
  for (const auto& link : links_) {
    const bool free = is_usable(*link) && link->has_nothing_to_do() && link->cancels == 0;
    if (!free || link->is_concerned_with(ask.key) || !is_all_of(*link, ask.thread)) continue;
    if (!best || link->holds.size() > best->holds.size()) best = link.get();
  }
  return best;
}

void LockEngine::place_try(const AskPointer& ask) {
  // The server's session would say yes to itself.
  if (is_concerned_with(ask->key)) {
    if (ask->waits) return place_wait(ask);
    return finish(*ask);
  }
  LockLink* const found = link_for_try();
  LockLink& link = found ? *found : new_link();
  link.queue.push_back({Kind::try_lock, ask->key, ask, nullptr});
}

void LockEngine::place_wait(const AskPointer& ask) {
  ask->contended = true;
  LockLink* const found = link_for_wait(*ask);
  LockLink& link = found ? *found : new_link();
  link.queue.push_back({Kind::wait, ask->key, ask, nullptr});
}

void LockEngine::place_unlock(LockLink& link, const std::string& key, GiveBackPointer give_back) {
  link.queue.push_back({Kind::unlock, key, nullptr, std::move(give_back)});
}

}  // namespace pgcoord::detail
