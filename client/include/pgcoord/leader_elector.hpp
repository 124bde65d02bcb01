#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "pgcoord/callback_list.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord {

/// Hears `true` when its elector begins to lead and `false` when it stops, for whatever reason.
using LeaderChangeCallback = std::function<void(bool is_leader)>;

/// One contender for one role. At most one contender leads at a time; what "at most" is worth
/// depends on the implementation, and none of them replaces fencing: between is_leader() and the
/// write it was asked for, any amount of time can pass.
///
/// All members may be called from any thread and from inside callbacks. Callbacks are called once
/// per change, in registration order, never under a lock; one that throws does not keep the next
/// from running.
class PGCOORD_EXPORT LeaderElector {
 public:
  LeaderElector() = default;
  LeaderElector(const LeaderElector&) = delete;
  LeaderElector& operator=(const LeaderElector&) = delete;
  virtual ~LeaderElector();

  /// Who this contender is: not empty, the same for its whole life.
  [[nodiscard]] virtual std::string identity() const = 0;

  /// Cheap: no I/O, no waiting.
  [[nodiscard]] virtual bool is_leader() const = 0;

  /// The last known leader, or none. No I/O, no waiting; may be out of date.
  [[nodiscard]] virtual std::optional<std::string> current_leader() const = 0;

  /// One attempt. True if this contender leads afterwards (also if it led before), false at once if
  /// another leads. `timeout` bounds the call; it does not wait for the other to stop.
  /// Throws Error if the answer could not be had within `timeout`.
  virtual bool try_acquire(Duration timeout = std::chrono::seconds(10)) = 0;

  /// Stops leading; nothing happens if it does not lead. is_leader() is false on return, whatever
  /// else happens. Throws Error if the backend could not be told.
  virtual void release() = 0;

  /// Proves the lead to the backend. False if this contender does not lead, or could not prove it.
  virtual bool renew() = 0;

  /// Registering a function twice makes it be called twice.
  virtual CallbackId on_leader_change(LeaderChangeCallback callback) = 0;

  /// False if there is no such registration (any more).
  virtual bool remove_leader_change_callback(CallbackId id) = 0;
};

}  // namespace pgcoord
