#include "pg_coordinator_state.hpp"

#include <random>

namespace pgcoord {

namespace {

/// An observer has no name of its own, and must not be taken for one that has.
std::string name_for(const SessionOptions& options) {
  if (options.participation == Participation::member) return options.instance_id;
  std::random_device device;
  return "observer " + std::to_string(device()) + std::to_string(device());
}

CoordinatorOptions coordinator_options(const SessionOptions& options) {
  CoordinatorOptions made;
  made.heartbeat_timeout = options.heartbeat_timeout;
  made.on_error = options.on_callback_error;
  return made;
}

}  // namespace

PgCoordinator::State::State(std::shared_ptr<detail::SessionImpl> impl, PgLeaderElector* role)
    : session(std::move(impl)),
      elector(role),
      picture(name_for(session->options), role, coordinator_options(session->options)) {
  picture.set_own_subscriptions(session->options.subscriptions);
}

bool PgCoordinator::State::is_over() {
  const std::lock_guard lock(mutex);
  return ended;
}

void PgCoordinator::State::hear(const Event& event) {
  if (is_over()) return;
  if (const auto* joined = std::get_if<Joined>(&event)) {
    picture.set_incarnation(joined->incarnation);
  } else if (const auto* all = std::get_if<PeersRead>(&event)) {
    picture.handle_registry(all->peers, all->read_at);
    const std::lock_guard lock(mutex);
    read = true;
    changed.notify_all();
  } else if (const auto* one = std::get_if<PeerRead>(&event)) {
    picture.handle_peer(one->instance_id, one->peer, one->read_at);
  } else if (const auto* work = std::get_if<WorkAssigned>(&event)) {
    picture.handle_work_assignment(work->assignment);
  } else if (const auto* drain = std::get_if<DrainRequested>(&event)) {
    picture.set_shutdown_notification(drain->notice);
    {
      const std::lock_guard lock(mutex);
      shutdown_deadline = drain->deadline;
    }
    drain_requested.post(drain->notice);
    drain_requested.deliver(session->options.on_callback_error);
  }
}

bool PgCoordinator::State::wait_until_read(Timeout timeout) {
  if (session->options.pump == Pump::event_loop) {
    const auto end = BootClock::now() + timeout;
    const auto is_read = [this] {
      const std::lock_guard lock(mutex);
      return read;
    };
    while (!is_read() && BootClock::now() < end) session->run_for(std::chrono::milliseconds(10));
    return is_read();
  }
  std::unique_lock lock(mutex);
  return changed.wait_for(lock, timeout, [this] { return read; });
}

void PgCoordinator::State::report_current() noexcept {
  try {
    const auto& handler = session->options.on_callback_error;
    if (handler) handler(std::current_exception());
  } catch (...) {  // a handler that throws has had its chance
  }
}

}  // namespace pgcoord
