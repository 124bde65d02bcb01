#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "held_lock.hpp"
#include "pgcoord/lock_manager.hpp"
#include "pq/lock_connection.hpp"

namespace pgcoord::detail {

/// What one call of acquire() or try_acquire() wants, and what came of it.
struct LockAsk {
  std::string key;
  std::int64_t id = 0;
  std::thread::id thread;
  /// Of the wait; none if it has none.
  std::optional<Instant> deadline;
  bool waits = false;

  /// Nobody listens any more: what is granted goes back.
  bool abandoned = false;
  /// Somebody else was seen to have it.
  bool contended = false;
  bool done = false;
  HeldLockPointer held;
  std::optional<LockFailure> kind;  ///< none and nothing held: somebody else has it, and we do not wait
  Failure reason;
  std::condition_variable changed;
};
using AskPointer = std::shared_ptr<LockAsk>;

/// One lock on its way back.
struct LockGiveBack {
  HeldLockPointer held;
  std::optional<LockRelease> outcome;
  std::condition_variable changed;
};
using GiveBackPointer = std::shared_ptr<LockGiveBack>;

/// One statement.
struct LockOp {
  enum class Kind { try_lock, wait, unlock, check };
  Kind kind = Kind::check;
  std::string key;
  AskPointer ask;             ///< try_lock, wait
  GiveBackPointer give_back;  ///< unlock; none if nobody wants to know
  /// wait: its connection is needed for something else.
  bool interrupted = false;
  int failures = 0;
};

/// One connection with what is to be done on it. Guarded by the engine's mutex; the connection is touched by
/// the engine's thread only.
struct LockLink {
  LockLink(const LockOptions& options, const std::vector<ConnectParameters>& hosts, std::string marker)
      : connection(options, hosts, std::move(marker)) {}

  /// Whether the server's session has, or may have in a moment, the lock of that key.
  [[nodiscard]] bool is_concerned_with(std::string_view key) const;
  [[nodiscard]] bool has_nothing_to_do() const { return !running && queue.empty(); }
  [[nodiscard]] bool is_spare() const { return has_nothing_to_do() && keys.empty() && cancels == 0; }
  [[nodiscard]] bool waits() const { return running && running->kind == LockOp::Kind::wait; }

  LockConnection connection;
  std::deque<LockOp> queue;
  std::optional<LockOp> running;
  std::optional<Instant> answer_by;
  /// What the server's session holds, or may hold: also while it is on its way back, and without a hold if it
  /// was granted to nobody.
  std::vector<std::string> keys;
  std::vector<HeldLockPointer> holds;
  CancelPointer cancel;  ///< set once the connection stands
  /// Cancel requests under way: nothing new is sent meanwhile, since they would hit it.
  int cancels = 0;
  Instant last_used{};
};
using LinkPointer = std::shared_ptr<LockLink>;

}  // namespace pgcoord::detail
