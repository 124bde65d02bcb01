#pragma once

#include <memory>

#include "pgcoord/export.hpp"
#include "pgcoord/lock_info.hpp"

namespace pgcoord {

/// What giving a lock back came to.
enum class LockRelease {
  /// It was held until this call.
  released,
  /// An earlier call gave it back: of this guard, or release(), release_all() or the end of its manager.
  already_released,
  /// It was gone before, or its connection broke before anybody could say. What was done under the lock may
  /// have
  /// met another holder.
  lost,
};

/// One grant of a lock, as a manager keeps it. Of interest only to those who write a LockManager.
class PGCOORD_EXPORT LockHold {
 public:
  LockHold() = default;
  LockHold(const LockHold&) = delete;
  LockHold& operator=(const LockHold&) = delete;
  virtual ~LockHold();

  [[nodiscard]] virtual const LockInfo& info() const noexcept = 0;
  [[nodiscard]] virtual bool is_held() const = 0;
  virtual LockRelease release() = 0;
  virtual void hand_over() = 0;
};

/// Owns one lock and gives it back when it goes. The guard owns it, not the key: a guard whose lock was given
/// back early never touches the next holder's. May outlive its manager. Moves like a unique_ptr; one guard is
/// for one thread at a time.
class PGCOORD_EXPORT LockGuard {
 public:
  explicit LockGuard(std::shared_ptr<LockHold> hold);
  LockGuard(LockGuard&&) noexcept = default;
  LockGuard& operator=(LockGuard&& other) noexcept;
  /// release(); never throws.
  ~LockGuard();

  /// Not of a guard that was moved from.
  [[nodiscard]] const LockInfo& info() const noexcept { return hold_->info(); }
  /// As far as this process knows, without asking the server.
  [[nodiscard]] bool is_held() const { return hold_ && hold_->is_held(); }
  /// Never throws for a lock that is gone: that is an answer.
  LockRelease release();
  /// From now on another thread releases it. Until then a wait without timeout by the thread that acquired it
  /// may be refused as a deadlock (40P01), since nobody else seems to be able to end it.
  void hand_over();

 private:
  std::shared_ptr<LockHold> hold_;
};

}  // namespace pgcoord
