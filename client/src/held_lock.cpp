#include "held_lock.hpp"

#include <algorithm>
#include <utility>

namespace pgcoord::detail {

LockRelease HeldLock::release() {
  if (!is_held()) return answer();
  const auto owner = owner_.lock();
  return owner ? owner->give_back(shared_from_this()) : answer();
}

LockRelease HeldLock::answer() const {
  return forked() || state.load() == HoldState::lost ? LockRelease::lost : LockRelease::already_released;
}

void HeldLock::begin_span(QuietSpan span) {
  const std::lock_guard lock(span_mutex_);
  if (is_held()) {
    span_ = std::move(span);
  } else if (state.load() == HoldState::lost) {
    span.error("the lock was lost");
  }
}

void HeldLock::end_span(std::string_view reason) {
  const std::lock_guard lock(span_mutex_);
  if (!reason.empty()) span_.error(reason);
  span_.end();
}

void HeldLocks::add(HeldLockPointer held) {
  lost_.erase(held->info().key);
  by_key_[held->info().key] = held;
  held_.push_back(std::move(held));
}

HeldLockPointer HeldLocks::find(std::string_view key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : found->second;
}

void HeldLocks::remove(const HeldLock& held) {
  const auto found = by_key_.find(held.info().key);
  if (found != by_key_.end() && found->second.get() == &held) by_key_.erase(found);
  std::erase_if(held_, [&](const HeldLockPointer& other) { return other.get() == &held; });
}

void HeldLocks::remember_loss(const HeldLockPointer& held) {
  std::erase_if(lost_, [](const auto& entry) { return entry.second.expired(); });
  lost_[held->info().key] = held;
}

bool HeldLocks::take_loss(std::string_view key) {
  const auto found = lost_.find(key);
  if (found == lost_.end()) return false;
  const bool alive = !found->second.expired();
  lost_.erase(found);
  return alive;
}

}  // namespace pgcoord::detail
