#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "pgcoord/callback_list.hpp"
#include "pgcoord/event.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/lock_error.hpp"
#include "pgcoord/lock_guard.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord {

/// Hears which lock was lost, and why.
using LockLostCallback = std::function<void(const LockInfo& lock, const Failure& reason)>;

/// Mutual exclusion by key. Each grant excludes every other, also one of the same manager or thread: nothing
/// is re-entrant. All members may be called from any thread, and from on_lost callbacks.
///
/// Not promised: that work under a lock ends when the lock is lost. Whoever writes under it should look at
/// is_held(), or better fence (see PgLeaderElector).
class PGCOORD_EXPORT LockManager {
 public:
  using Timeout = std::optional<Duration>;

  LockManager() = default;
  LockManager(const LockManager&) = delete;
  LockManager& operator=(const LockManager&) = delete;
  virtual ~LockManager();

  /// Waits for the lock, first come first served, for at most `timeout`; the time to connect counts. None:
  /// until it is granted or `stop` is requested. Zero or less: one attempt, as try_acquire(). Throws
  /// LockError: contended or unavailable; at once if the wait has no timeout and this thread itself is what
  /// would have to end it (40P01).
  [[nodiscard]] virtual LockGuard acquire(std::string_view key, Timeout timeout = {},
                                          std::stop_token stop = {}) = 0;

  /// One attempt; none if anybody has the lock, this manager included. Throws LockError (unavailable).
  [[nodiscard]] virtual std::optional<LockGuard> try_acquire(std::string_view key) = 0;

  /// Gives back what this manager holds by that key, whoever has the guard. Throws LockError: not_held, or
  /// lost (once for each loss, as long as its guard lives).
  virtual void release(std::string_view key) = 0;

  /// As far as this process knows, without asking the server.
  [[nodiscard]] virtual bool is_held(std::string_view key) const = 0;

  /// Gives back everything, in the order of acquisition; how many locks were held until then.
  virtual int release_all() = 0;

  [[nodiscard]] virtual std::size_t held_lock_count() const = 0;

  /// Told once for each lock that is lost; never under a lock of ours.
  virtual CallbackId on_lost(LockLostCallback callback) = 0;

  /// False if there is no such registration (any more).
  virtual bool remove_lost_callback(CallbackId id) = 0;
};

}  // namespace pgcoord
