#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "lock_trace.hpp"
#include "pgcoord/leadership_cell.hpp"
#include "pgcoord/lock_guard.hpp"

namespace pgcoord::detail {

class HeldLock;

/// The manager behind a HeldLock.
class HeldLockOwner {
 public:
  virtual ~HeldLockOwner() = default;
  virtual LockRelease give_back(const std::shared_ptr<HeldLock>& held) = 0;
};

enum class HoldState { held, released, lost };

/// One grant. Its state leaves `held` once, under the manager's mutex; anybody may read it.
class HeldLock final : public LockHold, public std::enable_shared_from_this<HeldLock> {
 public:
  HeldLock(LockInfo info, std::thread::id thread, std::weak_ptr<HeldLockOwner> owner)
      : thread(thread),
        fork_generation_(fork_generation()),
        info_(std::move(info)),
        owner_(std::move(owner)) {}

  [[nodiscard]] const LockInfo& info() const noexcept override { return info_; }
  [[nodiscard]] bool is_held() const override { return state.load() == HoldState::held && !forked(); }
  LockRelease release() override;
  void hand_over() override { thread = std::thread::id(); }

  /// What release() comes to once it is not held any more.
  [[nodiscard]] LockRelease answer() const;

  std::atomic<HoldState> state{HoldState::held};
  /// Who is expected to release it; nobody in particular if empty.
  std::atomic<std::thread::id> thread;

  /// The span of the hold; over at once if the lock is gone already.
  void begin_span(QuietSpan span);
  /// Without a reason it ended well.
  void end_span(std::string_view reason = {});

 private:
  [[nodiscard]] bool forked() const { return fork_generation() != fork_generation_; }

  const std::uint32_t fork_generation_;
  const LockInfo info_;
  std::mutex span_mutex_;
  QuietSpan span_;
  const std::weak_ptr<HeldLockOwner> owner_;
};

using HeldLockPointer = std::shared_ptr<HeldLock>;

/// What one manager holds. Guarded by its mutex.
class HeldLocks {
 public:
  void add(HeldLockPointer held);
  [[nodiscard]] HeldLockPointer find(std::string_view key) const;
  /// Only that very grant.
  void remove(const HeldLock& held);
  /// Remembered as long as its guard lives, so that release() by key can say so.
  void remember_loss(const HeldLockPointer& held);
  /// Whether a loss of that key was remembered; it is not any more.
  bool take_loss(std::string_view key);
  [[nodiscard]] std::vector<HeldLockPointer> by_age() const { return held_; }
  [[nodiscard]] std::size_t size() const { return held_.size(); }

 private:
  std::vector<HeldLockPointer> held_;
  std::map<std::string, HeldLockPointer, std::less<>> by_key_;
  std::map<std::string, std::weak_ptr<HeldLock>, std::less<>> lost_;
};

}  // namespace pgcoord::detail
