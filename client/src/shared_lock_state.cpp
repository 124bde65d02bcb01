#include "pgcoord/shared_lock_state.hpp"

#include "memory_locks.hpp"

namespace pgcoord {

SharedLockState::SharedLockState() : locks_(std::make_shared<detail::MemoryLocks>()) {}
SharedLockState::~SharedLockState() = default;

bool SharedLockState::lose(std::string_view key) {
  std::shared_ptr<detail::MemoryLockSide> side;
  {
    const std::lock_guard lock(locks_->mutex);
    const auto place = locks_->places.find(key);
    if (place == locks_->places.end() || !place->second.holder) return false;
    side = place->second.side;
    side->lose(place->second.holder);
    locks_->pass_on(key);
  }
  side->lost.deliver();
  return true;
}

int SharedLockState::waiters(std::string_view key) const {
  const std::lock_guard lock(locks_->mutex);
  const auto place = locks_->places.find(key);
  return place == locks_->places.end() ? 0 : static_cast<int>(place->second.queue.size());
}

}  // namespace pgcoord
