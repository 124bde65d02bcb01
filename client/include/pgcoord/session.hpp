#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pgcoord/callback_list.hpp"
#include "pgcoord/event.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/session_options.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord {

namespace detail {
class SessionImpl;
}

using EventCallback = std::function<void(const Event&)>;

/// One member of one group, on one database connection of its own: joins, listens, heartbeats,
/// connects again to whichever host is read-write, and reads everything again after each gap.
///
/// Construction does no I/O and does not wait for a server; wait_until_ready() does. With
/// Pump::own_thread any member may be called from any thread and from callbacks. With
/// Pump::event_loop all of them belong to the thread of the loop, and those that wait run the
/// session themselves meanwhile.
///
/// Events are told one after another. Closing the session from a callback works. After fork() the
/// child's copy is dead: calls throw Error (55000), nothing is sent, and destroying it leaves the
/// parent's connection alone.
///
/// Not promised: name resolution is done by libpq and may block the session's thread.
class PGCOORD_EXPORT Session {
 public:
  explicit Session(SessionOptions options);
  /// close() with the option's `close_timeout`; never throws.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const std::string& instance_id() const noexcept;
  [[nodiscard]] const SessionOptions& options() const noexcept;

  /// A connection stands and this session is a member (an observer: is listening).
  [[nodiscard]] bool is_ready() const;
  /// False if it is not within `timeout`.
  bool wait_until_ready(Duration timeout);
  /// The same, but throws an Error with the last failure.
  void require_ready(Duration timeout);
  /// None while there is no connection.
  [[nodiscard]] std::optional<ServerInfo> server() const;
  /// Why the last attempt failed; none after a success.
  [[nodiscard]] std::optional<Failure> last_failure() const;

  CallbackId on_event(EventCallback callback);
  bool remove_event_callback(CallbackId id);

  /// Told to the peers with the next heartbeat; the factor is rounded to two decimals, so that noise is
  /// nothing to tell. Throws Error (22023) for a negative count and a factor that is not finite.
  void set_load(std::optional<int> in_flight_count, std::optional<double> load_factor);
  /// Told to the peers at once.
  void set_subscriptions(std::vector<std::string> subscriptions);

  /// Waits for so long, less if the session ends; with Pump::event_loop by moving the session on and telling
  /// the events. Not to be called from a callback.
  void run_for(Duration duration);

  /// Gives up every leadership, leaves the group, and ends the connection properly, all within the
  /// timeout; then waits for a running callback, unless called from it. A second call does nothing.
  void close();
  void close(Duration timeout);
  [[nodiscard]] bool is_closed() const;

  /// Notifications on our channels that could not be understood.
  [[nodiscard]] std::uint64_t malformed_notifications() const;

  // For an event loop (Pump::event_loop). Ask all four anew after each on_ready().
  /// -1 while there is no socket: then wait for the deadline only.
  [[nodiscard]] int socket() const;
  [[nodiscard]] bool wants_read() const;
  [[nodiscard]] bool wants_write() const;
  /// On BootClock. Call on_ready() then, or when the socket is ready, or at any other time.
  [[nodiscard]] std::optional<Instant> next_deadline() const;
  /// Moves on without waiting, then tells the events.
  void on_ready();

 private:
  friend class PgCoordinator;
  friend class PgLeaderElector;
  std::shared_ptr<detail::SessionImpl> impl_;
};

}  // namespace pgcoord
