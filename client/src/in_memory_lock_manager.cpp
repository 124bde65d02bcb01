#include "pgcoord/in_memory_lock_manager.hpp"

#include <utility>

#include "memory_locks.hpp"
#include "pgcoord/lock_key.hpp"

namespace pgcoord {

namespace {

LockGuard guard_of(detail::HeldLockPointer held, Tracer* tracer) {
  held->begin_span(detail::hold_span(tracer, held->info()));
  return LockGuard(std::move(held));
}

}  // namespace

InMemoryLockManager::InMemoryLockManager(std::shared_ptr<SharedLockState> state,
                                         std::optional<std::string> holder_id, std::shared_ptr<Tracer> tracer)
    : state_(state ? std::move(state) : std::make_shared<SharedLockState>()),
      side_(std::make_shared<detail::MemoryLockSide>(state_->locks_, std::move(holder_id),
                                                     std::move(tracer))) {}

InMemoryLockManager::~InMemoryLockManager() { side_->release_all(); }

LockGuard InMemoryLockManager::acquire(std::string_view key, Timeout timeout, std::stop_token stop) {
  detail::AcquireSpan span(side_->tracer.get(), key, lock_key(key), timeout);
  try {
    auto held = side_->acquire(key, timeout, stop);
    span.granted();
    return guard_of(std::move(held), side_->tracer.get());
  } catch (const LockError& error) {
    span.failed(error.what());
    throw;
  }
}

std::optional<LockGuard> InMemoryLockManager::try_acquire(std::string_view key) {
  detail::AcquireSpan span(side_->tracer.get(), key, lock_key(key), Duration::zero());
  auto held = side_->try_acquire(key);
  if (!held) return std::nullopt;
  span.granted();
  return guard_of(std::move(held), side_->tracer.get());
}

void InMemoryLockManager::release(std::string_view key) { side_->release(key); }

bool InMemoryLockManager::is_held(std::string_view key) const {
  const std::lock_guard lock(side_->locks->mutex);
  return side_->held.find(key) != nullptr;
}

int InMemoryLockManager::release_all() { return side_->release_all(); }

std::size_t InMemoryLockManager::held_lock_count() const {
  const std::lock_guard lock(side_->locks->mutex);
  return side_->held.size();
}

CallbackId InMemoryLockManager::on_lost(LockLostCallback callback) {
  return side_->lost.add(std::move(callback));
}

bool InMemoryLockManager::remove_lost_callback(CallbackId id) { return side_->lost.remove(id); }

}  // namespace pgcoord
