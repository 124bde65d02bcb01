#include "pgcoord/pg_coordinator.hpp"

#include <utility>

#include "pg_coordinator_state.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

PgCoordinator::PgCoordinator(Session& session, PgLeaderElector* elector)
    : state_(std::make_shared<State>(session.impl_, elector)) {
  if (elector && elector->identity() != session.instance_id()) {
    throw Error(sqlstate::bad_argument, "elector belongs to another session");
  }
  state_->session->require_usable();
  state_->listener =
      state_->session->callbacks.add([state = state_](const Event& event) { state->hear(event); });
  state_->with_core([&](SessionCore& core, Instant) {
    if (core.incarnation() != 0) state_->picture.set_incarnation(core.incarnation());
  });
}

void PgCoordinator::watch() {
  state_->with_core([&](SessionCore& core, Instant now) {
    if (!state_->watching.exchange(true)) core.watch_peers(now);
  });
}

PgCoordinator::~PgCoordinator() {
  if (state_->session->forked()) return;
  try {
    {
      const std::lock_guard lock(state_->mutex);
      state_->ended = true;
    }
    state_->session->callbacks.remove(state_->listener);
    if (!state_->watching) return;
    state_->with_core([](SessionCore& core, Instant) { core.stop_watching_peers(); });
  } catch (...) {  // one who watches in vain
  }
}

bool PgCoordinator::wait_until_read(Timeout timeout) const {
  state_->session->require_usable();
  return state_->wait_until_read(timeout);
}

void PgCoordinator::set_subscriptions(std::vector<std::string> subscriptions) {
  state_->picture.set_own_subscriptions(subscriptions);
  state_->with_core([&](SessionCore& core, Instant) { core.set_subscriptions(std::move(subscriptions)); });
}

ShutdownNotification PgCoordinator::announce_shutdown(ShutdownIntent intent, Duration drain_timeout,
                                                      int in_flight_count, nlohmann::json metadata,
                                                      Timeout timeout) {
  if (metadata.is_null()) metadata = nlohmann::json::object();
  if (!metadata.is_object()) throw Error(sqlstate::bad_argument, "metadata is not a JSON object");
  const auto text = metadata.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const auto before = state_->picture.shutdown_notification();
  std::vector<std::string> subscriptions;
  const auto request = state_->with_core([&](SessionCore& core, Instant now) {
    subscriptions = core.subscriptions();
    const std::lock_guard lock(state_->mutex);
    state_->shutdown_deadline = now + drain_timeout;
    return core.announce_shutdown(intent, drain_timeout, in_flight_count, text, now);
  });
  try {
    // The stand-in says "shutting down" from now on, whenever the server answers.
    auto notice = state_->picture.create_shutdown_notification(intent, subscriptions, in_flight_count,
                                                               drain_timeout, metadata);
    const auto reply = state_->session->await(request, timeout);
    notice.expected_completion_at = reply.deadline;
    notice.initiated_at = reply.deadline - std::chrono::floor<std::chrono::microseconds>(drain_timeout);
    state_->picture.set_shutdown_notification(notice);
    return notice;
  } catch (const Error& error) {
    if (error.sqlstate().starts_with("22") || error.sqlstate().starts_with("42")) {
      state_->picture.set_shutdown_notification(before);
      const std::lock_guard lock(state_->mutex);
      if (!before) state_->shutdown_deadline.reset();
    }
    throw;
  }
}

WorkAssignment PgCoordinator::assign(const std::string& instance_id, std::vector<std::string> subscriptions,
                                     std::int32_t priority, Timeout timeout) {
  auto work = state_->picture.create_work_assignment(instance_id, std::move(subscriptions), priority);
  const auto token = state_->elector ? state_->elector->token() : std::nullopt;
  if (!token) throw Error(sqlstate::not_leader, "this instance cannot issue work assignments");
  work.election = state_->elector->election();
  work.token = token->value;
  const auto request = state_->with_core([&](SessionCore& core, Instant now) {
    return core.assign(instance_id, work.subscriptions, *work.election, *token, priority, now);
  });
  work.assignment_id = state_->session->await(request, timeout).assignment_id;
  return work;
}

bool PgCoordinator::remove_peer(const std::string& instance_id, Timeout timeout) {
  const auto request =
      state_->with_core([&](SessionCore& core, Instant now) { return core.remove_member(instance_id, now); });
  const bool removed = state_->session->await(request, timeout).flag;
  return state_->picture.remove_peer(instance_id) || removed;
}

bool PgCoordinator::initiate_leadership_handoff(Timeout timeout) {
  state_->session->require_usable();
  if (!state_->elector || !state_->elector->is_leader()) return false;
  try {
    return state_->elector->resign(timeout);
  } catch (const Error&) {
    state_->report_current();
    return false;
  }
}

}  // namespace pgcoord
