#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "pgcoord/pg_coordinator.hpp"
#include "pgcoord/session_core.hpp"
#include "session_impl.hpp"

namespace pgcoord {

/// What the coordinator shares with the session's callbacks, which may run when it is gone.
class PgCoordinator::State {
 public:
  State(std::shared_ptr<detail::SessionImpl> impl, PgLeaderElector* role);

  void hear(const Event& event);
  bool wait_until_read(Timeout timeout);
  void report_current() noexcept;

  template <typename Function>
  auto with_core(Function action) {
    return session->with_core(std::move(action));
  }

  const std::shared_ptr<detail::SessionImpl> session;
  PgLeaderElector* const elector;
  WorkRedistributionCoordinator picture;
  CallbackList<ShutdownNotification> drain_requested;
  CallbackId listener{};
  std::atomic<bool> watching{false};

  std::mutex mutex;  // guards everything below
  std::condition_variable changed;
  bool read = false;
  bool ended = false;
  std::optional<Instant> shutdown_deadline;

 private:
  [[nodiscard]] bool is_over();
};

}  // namespace pgcoord
