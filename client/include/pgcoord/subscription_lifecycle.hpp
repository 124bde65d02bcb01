#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "pgcoord/callback_list.hpp"
#include "pgcoord/error.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/leader_elector.hpp"

namespace pgcoord {

enum class SubscriptionState {
  idle,     ///< not started yet
  running,  ///< its start function has returned
  failed,   ///< not allowed to start, or its start function threw
};

/// Pieces of work by name, each started only while an elector proves its lead (verify_leadership_lease()).
/// The lead is looked at once, right before the start: what has to end with a lead listens to
/// LeaderElector::on_leader_change(), and what it writes it fences.
///
/// Any thread may call anything; the start functions and the elector are called without a lock.
class PGCOORD_EXPORT SubscriptionLifecycle {
 public:
  using Start = std::function<void()>;

  /// `elector` must outlive this object; without one everything may start.
  explicit SubscriptionLifecycle(LeaderElector* elector = nullptr, CallbackErrorHandler on_error = {});

  /// Replaces the one of that name, whatever its state.
  void add(const std::string& name, Start start);
  /// Throws Error (PC005) naming the contender if the lead is not proved, Error (22023) for an unknown name,
  /// and what the start function throws. A running one is not started again.
  void start(const std::string& name);
  /// Starts all that are not running, each for itself: what went wrong by name, none where nothing did.
  std::map<std::string, std::optional<Error>> start_all();
  /// None if there is no such name.
  [[nodiscard]] std::optional<SubscriptionState> state(const std::string& name) const;

 private:
  struct Entry {
    Start start;
    SubscriptionState state = SubscriptionState::idle;
  };
  void set_state(const std::string& name, SubscriptionState state);

  LeaderElector* const elector_;
  const CallbackErrorHandler on_error_;
  mutable std::mutex mutex_;  // guards the entries
  std::map<std::string, Entry> entries_;
};

}  // namespace pgcoord
