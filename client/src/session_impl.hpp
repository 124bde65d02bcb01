#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "pgcoord/session.hpp"
#include "pgcoord/session_core.hpp"
#include "pq/transport.hpp"
#include "waiter.hpp"

namespace pgcoord::detail {

/// Joins the core to a libpq connection and to threads. The transport belongs to the thread that
/// pumps; the core is shared, under `mutex_`, which is never held while anything waits or while
/// foreign code runs.
class SessionImpl final : public TransportSink, public std::enable_shared_from_this<SessionImpl> {
 public:
  explicit SessionImpl(SessionOptions options);
  SessionImpl(const SessionImpl&) = delete;
  SessionImpl& operator=(const SessionImpl&) = delete;
  ~SessionImpl();

  void start();
  void close(Duration timeout);
  /// Lets go of the threads; they end by themselves if they have not yet.
  void detach();

  [[nodiscard]] bool forked() const noexcept { return fork_generation() != fork_generation_; }
  /// In a child of fork().
  void abandon() noexcept;
  /// Throws Error (55000) in a child of fork().
  void require_usable() const;

  /// Runs `action(core, now)` under the lock, then sees to what follows from it.
  template <typename Function>
  auto with_core(Function action) {
    require_usable();
    struct Follow {
      SessionImpl& self;
      ~Follow() { self.follow_up(); }
    } const follow{*this};
    const std::lock_guard lock(mutex_);
    return action(core_, BootClock::now());
  }

  /// Waits for the answer; throws Error for a failed statement and when time is up.
  Reply await(RequestId request, Duration timeout);
  bool wait_until_ready(Duration timeout);

  [[nodiscard]] bool is_ready() const;
  [[nodiscard]] bool is_closed() const;
  [[nodiscard]] std::optional<ServerInfo> server() const;
  [[nodiscard]] std::optional<Failure> last_failure() const;

  // For the thread that pumps.
  void on_ready();
  /// Waits; without a thread of its own by moving on and telling the events.
  void run_for(Duration duration);
  [[nodiscard]] int socket() const { return transport_.socket(); }
  [[nodiscard]] bool wants_read() const { return transport_.wants_read(); }
  [[nodiscard]] bool wants_write() const { return transport_.wants_write(); }
  [[nodiscard]] std::optional<Instant> next_deadline() const;

  const SessionOptions options;
  CallbackList<Event> callbacks;

 private:
  void on_connected(const ServerInfo& server) override;
  void on_disconnected(const Failure& reason) override;
  void on_reply(const Reply& reply) override;
  void on_notified(std::string_view channel, std::string_view payload) override;

  void step();
  std::optional<Action> next_action();
  void perform(const Action& action);
  [[nodiscard]] bool ask_health() const noexcept;
  void collect();
  void note(const Event& event);
  void follow_up() noexcept;
  void run_pump();
  void run_callbacks();
  void join();
  template <typename Condition>
  bool wait_for(Duration timeout, Condition condition);
  [[nodiscard]] bool pumps_itself() const { return options.pump == Pump::own_thread; }

  const std::uint32_t fork_generation_;
  Waiter waiter_;
  Transport transport_;  // only on the thread that pumps

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  SessionCore core_;
  std::map<RequestId, Reply> answers_;
  std::optional<ServerInfo> server_;
  std::optional<Failure> last_failure_;
  bool untold_ = false;
  bool stop_ = false;
  bool pump_ended_ = false;

  std::mutex threads_mutex_;  // guards the two below
  std::thread pump_thread_;
  std::thread callback_thread_;
  std::atomic<std::thread::id> callback_thread_id_{};
};

}  // namespace pgcoord::detail
