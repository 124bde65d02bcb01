#include "pgcoord/pg_leader_elector.hpp"

#include <utility>

#include "names.hpp"
#include "pgcoord/error.hpp"
#include "pgcoord/session_core.hpp"
#include "session_impl.hpp"

namespace pgcoord {

/// What the elector shares with the session's callbacks, which may run when it is gone.
class PgLeaderElector::State {
 public:
  State(std::shared_ptr<detail::SessionImpl> impl, std::string name)
      : session(std::move(impl)), election(std::move(name)) {}

  void hear(const Event& event) {
    if (const auto* elected = std::get_if<Elected>(&event)) return hear(*elected, event);
    if (const auto* lost = std::get_if<Lost>(&event)) return hear(*lost, event);
    if (const auto* changed = std::get_if<LeaderChanged>(&event)) hear(*changed, event);
  }

  template <typename Function>
  auto with_core(Function action) {
    return session->with_core(std::move(action));
  }

  const std::shared_ptr<detail::SessionImpl> session;
  const std::string election;
  std::shared_ptr<const LeadershipCell> cell;
  CallbackId listener{};
  CallbackList<bool> leader_callbacks;
  CallbackList<Event> event_callbacks;
  CallbackList<std::optional<std::string>> observers;
  std::atomic<int> observing{0};
  std::atomic<int> last_loss{-1};  // a LossCause

 private:
  void hear(const Elected& elected, const Event& event) {
    if (elected.election != election) return;
    tell(event_callbacks, event);
    tell(leader_callbacks, true);
  }

  void hear(const Lost& lost, const Event& event) {
    if (lost.election != election) return;
    last_loss = static_cast<int>(lost.cause);
    tell(event_callbacks, event);
    tell(leader_callbacks, false);
  }

  void hear(const LeaderChanged& changed, const Event& event) {
    if (changed.election != election) return;
    tell(event_callbacks, event);
    tell(observers, changed.leader);
  }

  template <typename List, typename Value>
  void tell(List& list, Value value) {
    list.post(std::move(value));
    list.deliver(session->options.on_callback_error);
  }
};

PgLeaderElector::PgLeaderElector(Session& session, std::string election)
    : state_(std::make_shared<State>(session.impl_, std::move(election))) {
  detail::check_name("election", state_->election);
  if (session.options().participation != Participation::member) {
    throw Error(sqlstate::bad_argument, "session is only an observer");
  }
  state_->cell = state_->with_core([&](SessionCore& core, Instant) { return core.cell(state_->election); });
  state_->listener = session.on_event([weak = std::weak_ptr<State>(state_)](const Event& event) {
    if (const auto state = weak.lock()) state->hear(event);
  });
}

PgLeaderElector::~PgLeaderElector() {
  if (state_->session->forked()) return;
  try {
    state_->session->callbacks.remove(state_->listener);
    state_->with_core([&](SessionCore& core, Instant now) {
      core.abandon(core.release(state_->election, now), now);
      for (int left = state_->observing; left > 0; --left) core.stop_observing(state_->election);
    });
  } catch (...) {  // the session will lose the term by silence at the latest
  }
}

std::string PgLeaderElector::identity() const { return state_->session->options.instance_id; }

const std::string& PgLeaderElector::election() const noexcept { return state_->election; }

bool PgLeaderElector::is_leader() const { return state_->cell->is_leader(BootClock::now()); }

std::optional<Token> PgLeaderElector::token() const { return state_->cell->token(BootClock::now()); }

std::optional<std::string> PgLeaderElector::current_leader() const {
  if (state_->session->forked()) return std::nullopt;
  return state_->with_core(
      [&](SessionCore& core, Instant now) { return core.current_leader(state_->election, now); });
}

std::optional<Leadership> PgLeaderElector::read_leader(Duration timeout) {
  const auto request = state_->with_core(
      [&](SessionCore& core, Instant now) { return core.read_leader(state_->election, now); });
  const auto reply = state_->session->await(request, timeout);
  if (reply.rows.empty()) return std::nullopt;
  return reply.rows.front();
}

bool PgLeaderElector::try_acquire(Duration timeout) {
  const auto request = state_->with_core(
      [&](SessionCore& core, Instant now) { return core.try_acquire(state_->election, now); });
  return state_->session->await(request, timeout).flag;
}

void PgLeaderElector::campaign(int priority) {
  state_->with_core([&](SessionCore& core, Instant now) { core.campaign(state_->election, priority, now); });
}

void PgLeaderElector::withdraw() {
  state_->with_core([&](SessionCore& core, Instant now) { core.withdraw(state_->election, now); });
}

void PgLeaderElector::release() { resign(state_->session->options.heartbeat_timeout); }

bool PgLeaderElector::resign(Duration timeout) {
  const auto request =
      state_->with_core([&](SessionCore& core, Instant now) { return core.release(state_->election, now); });
  return state_->session->await(request, timeout).flag;
}

bool PgLeaderElector::renew() {
  state_->session->require_usable();
  if (!is_leader()) return false;
  const auto request = state_->with_core([](SessionCore& core, Instant now) { return core.renew(now); });
  try {
    state_->session->await(request, state_->session->options.heartbeat_timeout);
  } catch (const Error&) {
    return false;
  }
  return is_leader();
}

CallbackId PgLeaderElector::on_leader_change(LeaderChangeCallback callback) {
  return state_->leader_callbacks.add(std::move(callback));
}

bool PgLeaderElector::remove_leader_change_callback(CallbackId id) {
  return state_->leader_callbacks.remove(id);
}

CallbackId PgLeaderElector::on_event(EventCallback callback) {
  return state_->event_callbacks.add(std::move(callback));
}

bool PgLeaderElector::remove_event_callback(CallbackId id) { return state_->event_callbacks.remove(id); }

std::optional<LossCause> PgLeaderElector::last_loss() const {
  const int cause = state_->last_loss;
  if (cause < 0) return std::nullopt;
  return static_cast<LossCause>(cause);
}

CallbackId PgLeaderElector::observe(std::function<void(const std::optional<std::string>&)> callback) {
  const auto id = state_->observers.add(std::move(callback));
  ++state_->observing;
  state_->with_core([&](SessionCore& core, Instant now) { core.observe(state_->election, now); });
  return id;
}

bool PgLeaderElector::stop_observing(CallbackId id) {
  if (!state_->observers.remove(id)) return false;
  --state_->observing;
  state_->with_core([&](SessionCore& core, Instant) { core.stop_observing(state_->election); });
  return true;
}

}  // namespace pgcoord
