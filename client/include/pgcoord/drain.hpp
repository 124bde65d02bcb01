#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pgcoord/export.hpp"
#include "pgcoord/pg_coordinator.hpp"
#include "pgcoord/session.hpp"
#include "pgcoord/shutdown_notification.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord {

/// How an instance takes its leave.
struct DrainOptions {
  ShutdownIntent intent = ShutdownIntent::graceful;
  /// From the announcement on: 0 s to 1 day. Keep it below the time that your supervisor allows.
  std::chrono::milliseconds timeout{30'000};
  int in_flight_count = 0;
  nlohmann::json metadata = nlohmann::json::object();
  /// Between two calls of the drain function.
  std::chrono::milliseconds poll_interval{50};
  /// How long to wait for the server's answer when announcing and when resigning, each.
  std::chrono::milliseconds answer_timeout{5'000};
};

/// Finishes work; called again and again until it says true, that nothing is left to do, or the time is up.
/// It must return soon, and may give subscriptions up one by one as they are done with.
using DrainFunction = std::function<bool(Duration time_left)>;

/// What happened, in this order.
struct DrainReport {
  /// The peers were told, by us or by who asked for it.
  bool announced = false;
  /// The coordinator's elector led, and the server handed the role over.
  bool handed_over = false;
  /// The drain function was done before the time was up.
  bool drained = false;
  /// The session was closed with leave taken of the server.
  bool left = false;
  Duration took{};
  /// What went wrong; each step is tried all the same.
  std::vector<std::string> problems;
};

/// Announces, resigns the coordinator's role, drains until done or the time is up, and closes the session,
/// which hands over whatever else it leads. If a notice stands already (drain requested), that one's time
/// counts and nothing is announced. Throws nothing but std::bad_alloc; an exception from `drain` ends the
/// draining. The session goes on heartbeating meanwhile, also with Pump::event_loop. Not to be called from a
/// callback.
PGCOORD_EXPORT DrainReport drain(Session& session, PgCoordinator& coordinator, const DrainOptions& options,
                                 const DrainFunction& drain_function);

/// While it exists, SIGTERM (or other signals) does not end the process but asks for a drain. One at a time
/// in a process. The handler only sets a flag and writes to a descriptor; a child of fork() that has not
/// exec'ed yet dies of the signal as ever. The former handlers come back with the destructor.
class PGCOORD_EXPORT DrainGuard {
 public:
  /// Throws Error: 55000 if there is one already, 22023 for a signal that cannot be caught.
  explicit DrainGuard(const std::vector<int>& signals = {SIGTERM});
  DrainGuard(const DrainGuard&) = delete;
  DrainGuard& operator=(const DrainGuard&) = delete;
  ~DrainGuard();

  /// As a signal would, for instance from on_drain_requested(). Any thread, any signal handler.
  void request() noexcept;
  [[nodiscard]] bool requested() const noexcept;
  /// The first signal; 0 if it was request(), or nothing yet.
  [[nodiscard]] int signal() const noexcept;
  /// Readable once it was asked for: for an event loop. Do not read from it.
  [[nodiscard]] int descriptor() const noexcept;
  /// False if nobody asks within `timeout`.
  [[nodiscard]] bool wait(std::chrono::milliseconds timeout) const;

 private:
  struct Handlers;
  std::unique_ptr<Handlers> handlers_;
};

}  // namespace pgcoord
