#include "pgcoord/session_core.hpp"

#include <cmath>
#include <utility>

#include "core/state.hpp"
#include "core/text.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

SessionCore::SessionCore(SessionOptions options, const Random& random)
    : state_(std::make_unique<State>(std::move(options), random)) {}

SessionCore::~SessionCore() = default;

void SessionCore::connected(const ServerInfo& server, Instant now) {
  state_->begin(now);
  state_->connected(server);
}

void SessionCore::disconnected(const Failure& reason, Instant now) {
  state_->begin(now);
  state_->disconnected(reason);
}

void SessionCore::reply(const Reply& reply, Instant now) {
  state_->begin(now);
  state_->reply(reply);
}

void SessionCore::notified(std::string_view channel, std::string_view payload, Instant now) {
  state_->begin(now);
  state_->notified(channel, payload);
}

void SessionCore::health(bool well, Instant now) {
  state_->begin(now);
  state_->health(well);
}

void SessionCore::tick(Instant now) { state_->begin(now); }

void SessionCore::campaign(const std::string& election, int priority, Instant now) {
  state_->begin(now);
  state_->campaign(election, priority);
}

void SessionCore::withdraw(const std::string& election, Instant now) {
  state_->begin(now);
  state_->withdraw(state_->election(election));
}

RequestId SessionCore::release(const std::string& election, Instant now) {
  state_->begin(now);
  return state_->release(election);
}

void SessionCore::observe(const std::string& election, Instant now) {
  state_->begin(now);
  ++state_->election(election).observers;
}

void SessionCore::stop_observing(const std::string& election) {
  auto* e = state_->find(election);
  if (e && e->observers > 0) --e->observers;
}

std::optional<std::string> SessionCore::current_leader(const std::string& election, Instant now) {
  state_->begin(now);
  auto& e = state_->election(election);
  if (e.stale) e.wanted = true;
  return e.held ? state_->options.instance_id : e.leader;
}

RequestId SessionCore::try_acquire(const std::string& election, Instant now) {
  state_->begin(now);
  return state_->try_acquire(election);
}

RequestId SessionCore::renew(Instant now) {
  state_->begin(now);
  return state_->renew();
}

RequestId SessionCore::read_leader(const std::string& election, Instant now) {
  state_->begin(now);
  state_->election(election);
  return state_->request(Statement::leader, election);
}

bool SessionCore::abandon(RequestId request, Instant now) {
  state_->begin(now);
  return state_->abandon(request);
}

void SessionCore::set_load(std::optional<int> in_flight_count, std::optional<double> load_factor) {
  const bool sound = in_flight_count.value_or(0) >= 0 && std::isfinite(load_factor.value_or(0));
  if (!sound) {
    throw Error(sqlstate::bad_argument, "invalid load",
                "The count must not be negative, and the factor must be finite.");
  }
  state_->in_flight_count = in_flight_count;
  if (load_factor) load_factor = std::round(*load_factor * 100) / 100;
  state_->load_factor = load_factor;
}

void SessionCore::set_subscriptions(std::vector<std::string> subscriptions) {
  state_->subscriptions = std::move(subscriptions);
  state_->subscriptions_changed = true;
  if (state_->joined) state_->heartbeat_at = state_->now;
}

void SessionCore::watch_peers(Instant now) {
  state_->begin(now);
  state_->watch.start(now);
}

void SessionCore::stop_watching_peers() { state_->watch.stop(); }

RequestId SessionCore::announce_shutdown(ShutdownIntent intent, Duration drain_timeout, int in_flight_count,
                                         std::string metadata, Instant now) {
  state_->begin(now);
  return state_->announce_shutdown(intent, drain_timeout, in_flight_count, std::move(metadata));
}

RequestId SessionCore::assign(const std::string& instance_id, const std::vector<std::string>& subscriptions,
                              const std::string& election, Token token, int priority, Instant now) {
  state_->begin(now);
  return state_->request(Statement::assign, {},
                         {instance_id, detail::array_literal(subscriptions), election,
                          std::to_string(token.value), std::to_string(priority)});
}

RequestId SessionCore::remove_member(const std::string& instance_id, Instant now) {
  state_->begin(now);
  return state_->request(Statement::remove_member, {}, {instance_id, state_->options.member_group});
}

void SessionCore::close(Instant now) {
  state_->begin(now);
  state_->close();
}

bool SessionCore::closed() const { return state_->phase == State::Phase::ended; }

std::optional<Action> SessionCore::next_action(Instant now) {
  state_->begin(now);
  return state_->next_action();
}

std::vector<Event> SessionCore::take_events() { return std::exchange(state_->events, {}); }

std::vector<Completion> SessionCore::take_completions() { return std::exchange(state_->completions, {}); }

std::optional<Instant> SessionCore::deadline() const { return state_->deadline(); }

bool SessionCore::is_connected() const { return state_->phase == State::Phase::connected; }

bool SessionCore::is_ready() const {
  if (!is_connected() || state_->dropping) return false;
  return state_->is_member ? state_->joined && state_->confirmed : state_->listening;
}

const std::vector<std::string>& SessionCore::subscriptions() const { return state_->subscriptions; }

std::int64_t SessionCore::incarnation() const { return state_->joined ? state_->incarnation : 0; }

std::shared_ptr<const LeadershipCell> SessionCore::cell(const std::string& election) {
  return state_->election(election).cell;
}

std::uint64_t SessionCore::malformed_notifications() const { return state_->malformed; }

}  // namespace pgcoord
