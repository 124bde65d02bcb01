#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "held_lock.hpp"
#include "lock_waits.hpp"
#include "pgcoord/lock_manager.hpp"

namespace pgcoord::detail {

class MemoryLockSide;

/// What stands for the server: who holds what, and who waits in which order.
class MemoryLocks {
 public:
  struct Waiter {
    std::shared_ptr<MemoryLockSide> side;
    std::thread::id thread;
    HeldLockPointer granted;
  };
  struct Place {
    HeldLockPointer holder;
    std::shared_ptr<MemoryLockSide> side;
    std::deque<Waiter*> queue;
  };

  /// Both want the mutex held.
  [[nodiscard]] std::thread::id thread_of(std::string_view key) const;
  void grant(std::string_view key, Waiter& waiter);
  /// Takes it from its holder, for the next in the queue.
  void pass_on(std::string_view key);
  void forget_if_empty(std::string_view key);

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Place, std::less<>> places;
  LockWaits waits;
};

/// One manager's part in it.
class MemoryLockSide final : public HeldLockOwner, public std::enable_shared_from_this<MemoryLockSide> {
 public:
  MemoryLockSide(std::shared_ptr<MemoryLocks> locks, std::optional<std::string> holder_id,
                 std::shared_ptr<Tracer> tracer);

  /// None only if there is to be no wait.
  HeldLockPointer acquire(std::string_view key, LockManager::Timeout timeout, const std::stop_token& stop);
  HeldLockPointer try_acquire(std::string_view key);
  LockRelease give_back(const HeldLockPointer& held) override;
  void release(std::string_view key);
  int release_all();
  void lose(const HeldLockPointer& held);
  [[nodiscard]] HeldLockPointer make_held(std::string_view key, std::thread::id thread);

  HeldLocks held;  ///< guarded by the mutex of the locks
  CallbackList<LockInfo, Failure> lost;
  const std::shared_ptr<MemoryLocks> locks;
  const std::shared_ptr<Tracer> tracer;

 private:
  HeldLockPointer wait(std::unique_lock<std::mutex>& lock, std::string_view key, LockManager::Timeout timeout,
                       const std::stop_token& stop);
  [[noreturn]] void fail(std::string_view key, LockManager::Timeout timeout, const Failure& reason);

  const std::optional<std::string> holder_id_;
};

}  // namespace pgcoord::detail
