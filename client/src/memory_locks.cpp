#include "memory_locks.hpp"

#include <algorithm>

#include "lock_failures.hpp"
#include "pgcoord/lock_key.hpp"

namespace pgcoord::detail {

std::thread::id MemoryLocks::thread_of(std::string_view key) const {
  const auto place = places.find(key);
  return place != places.end() && place->second.holder ? place->second.holder->thread.load()
                                                       : std::thread::id();
}

void MemoryLocks::grant(std::string_view key, Waiter& waiter) {
  auto& place = places[std::string(key)];
  waiter.granted = waiter.side->make_held(key, waiter.thread);
  waiter.side->held.add(waiter.granted);
  place.holder = waiter.granted;
  place.side = waiter.side;
}

void MemoryLocks::pass_on(std::string_view key) {
  auto& place = places.find(key)->second;
  place.holder.reset();
  place.side.reset();
  if (!place.queue.empty()) {
    grant(key, *place.queue.front());
    place.queue.pop_front();
    changed.notify_all();
  }
  forget_if_empty(key);
}

void MemoryLocks::forget_if_empty(std::string_view key) {
  const auto place = places.find(key);
  if (!place->second.holder && place->second.queue.empty()) places.erase(place);
}

MemoryLockSide::MemoryLockSide(std::shared_ptr<MemoryLocks> given, std::optional<std::string> holder_id,
                               std::shared_ptr<Tracer> given_tracer)
    : locks(std::move(given)), tracer(std::move(given_tracer)), holder_id_(std::move(holder_id)) {}

HeldLockPointer MemoryLockSide::make_held(std::string_view key, std::thread::id thread) {
  LockInfo info{std::string(key), lock_key(key), std::chrono::system_clock::now(), holder_id_};
  return std::make_shared<HeldLock>(std::move(info), thread, weak_from_this());
}

HeldLockPointer MemoryLockSide::try_acquire(std::string_view key) {
  const std::lock_guard lock(locks->mutex);
  if (locks->places.contains(key)) return nullptr;
  MemoryLocks::Waiter us{shared_from_this(), std::this_thread::get_id(), nullptr};
  locks->grant(key, us);
  return us.granted;
}

HeldLockPointer MemoryLockSide::acquire(std::string_view key, LockManager::Timeout timeout,
                                        const std::stop_token& stop) {
  if (auto granted = try_acquire(key)) return granted;
  if (timeout && *timeout <= Duration::zero()) fail(key, timeout, timeout_failure(*timeout));
  // Through the mutex, so that the waiting thread cannot miss it between looking and sleeping.
  const std::stop_callback wake(stop, [this] {
    { const std::lock_guard lock(locks->mutex); }
    locks->changed.notify_all();
  });
  std::unique_lock lock(locks->mutex);
  return wait(lock, key, timeout, stop);
}

HeldLockPointer MemoryLockSide::wait(std::unique_lock<std::mutex>& lock, std::string_view key,
                                     LockManager::Timeout timeout, const std::stop_token& stop) {
  const auto thread = std::this_thread::get_id();
  const auto holder = [this](std::string_view of) { return locks->thread_of(of); };
  if (!timeout && locks->waits.would_close(thread, key, holder)) fail(key, timeout, deadlock_failure());
  MemoryLocks::Waiter us{shared_from_this(), thread, nullptr};
  auto& place = locks->places[std::string(key)];
  if (!place.holder) {  // released since we tried
    locks->grant(key, us);
    return us.granted;
  }
  place.queue.push_back(&us);
  locks->waits.begin(thread, key);
  const auto over = [&] { return us.granted || stop.stop_requested(); };
  if (timeout) {
    locks->changed.wait_for(lock, std::min<Duration>(*timeout, std::chrono::hours(24 * 365)), over);
  } else {
    locks->changed.wait(lock, over);
  }
  locks->waits.end(thread);
  if (us.granted) return us.granted;
  std::erase(locks->places.find(key)->second.queue, &us);
  locks->forget_if_empty(key);
  fail(key, timeout, stop.stop_requested() ? stopped_failure() : timeout_failure(*timeout));
}

void MemoryLockSide::fail(std::string_view key, LockManager::Timeout timeout, const Failure& reason) {
  throw LockError(LockFailure::contended, std::string(key), reason, timeout);
}

LockRelease MemoryLockSide::give_back(const HeldLockPointer& given) {
  auto span = release_span(tracer.get(), given->info());
  const std::lock_guard lock(locks->mutex);
  auto expected = HoldState::held;
  if (!given->state.compare_exchange_strong(expected, HoldState::released)) {
    const auto answer = given->answer();
    if (answer == LockRelease::lost) set_outcome(span, answer);
    return answer;
  }
  held.remove(*given);
  locks->pass_on(given->info().key);
  given->end_span();
  set_outcome(span, LockRelease::released);
  return LockRelease::released;
}

void MemoryLockSide::release(std::string_view key) {
  HeldLockPointer found;
  {
    const std::lock_guard lock(locks->mutex);
    found = held.find(key);
    if (!found && held.take_loss(key)) throw_lost(key);
  }
  if (!found || give_back(found) != LockRelease::released) throw_not_held(key);
}

int MemoryLockSide::release_all() {
  std::vector<HeldLockPointer> all;
  {
    const std::lock_guard lock(locks->mutex);
    all = held.by_age();
  }
  int released = 0;
  for (const auto& each : all) released += give_back(each) == LockRelease::released ? 1 : 0;
  return released;
}

void MemoryLockSide::lose(const HeldLockPointer& gone) {
  held.remove(*gone);
  held.remember_loss(gone);
  gone->state = HoldState::lost;
  gone->end_span("the lock was lost");
  lost.post(gone->info(), Failure{std::string(sqlstate::connection_lost), "the lock was taken away", {}, {}});
}

}  // namespace pgcoord::detail
