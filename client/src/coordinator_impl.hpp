#pragma once

#include <mutex>
#include <utility>

#include "peer_table.hpp"
#include "pgcoord/work_redistribution_coordinator.hpp"
#include "seen_assignments.hpp"

namespace pgcoord {

struct WorkRedistributionCoordinator::Impl {
  Impl(std::string name, LeaderElector* leader_elector, CoordinatorOptions given)
      : instance_id(std::move(name)),
        elector(leader_elector),
        options(std::move(given)),
        table(options.heartbeat_timeout, options.peer_retention) {}

  [[nodiscard]] Instant now() const { return options.clocks.monotonic(); }

  /// Makes a change under the lock, then tells what it gave to tell. `apply` gets the time and the news.
  template <typename Apply>
  auto change(Apply apply) {
    const Instant at = now();
    detail::PeerNews news;
    std::unique_lock lock(mutex);
    auto result = apply(at, news);
    post(news);
    lock.unlock();
    deliver();
    return result;
  }

  /// Whether a message is from this instance's own name; notes another life of it. deliver() afterwards.
  bool is_own(const std::string& id, const std::optional<std::int64_t>& other_incarnation);
  void post(const detail::PeerNews& news);
  void deliver();
  void update_held_here() {
    table.set_held_here(own_notice ? std::vector<std::string>{} : own_subscriptions);
  }

  const std::string instance_id;
  LeaderElector* const elector;
  const CoordinatorOptions options;

  mutable std::mutex mutex;  // guards everything up to the callbacks; nobody else's code runs under it
  detail::PeerTable table;
  std::optional<std::int64_t> incarnation;
  std::optional<ShutdownNotification> own_notice;
  std::vector<std::string> own_subscriptions;
  detail::SeenAssignments seen_assignments;
  std::optional<std::int64_t> last_conflict;

  CallbackList<ShutdownNotification> peer_shutdown;
  CallbackList<HeartbeatMessage> heartbeat;
  CallbackList<std::string> peer_timeout;
  CallbackList<WorkAssignment> work_assignment;
  CallbackList<std::string> peer_removed;
  CallbackList<std::string, std::vector<std::string>> orphans;
  CallbackList<std::int64_t> identity_conflict;
};

}  // namespace pgcoord
