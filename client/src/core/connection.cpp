#include <utility>

#include "core/state.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

namespace {

Duration answer_bound(const SessionOptions& options) {
  return options.answer_timeout.value_or(options.heartbeat_timeout / 2);
}

}  // namespace

SessionCore::State::State(SessionOptions given, const Random& generator)
    : options(std::move(given)),
      timeout(options.heartbeat_timeout),
      third(timeout / 3),
      answer_timeout(answer_bound(options)),
      is_member(options.participation == Participation::member),
      random(generator),
      connect_backoff(options.reconnect_min, options.reconnect_max),
      join_backoff(std::chrono::milliseconds(100), std::chrono::seconds(5)),
      heartbeat_backoff(timeout / 60, timeout / 6),
      subscriptions(options.subscriptions),
      watch(timeout) {}

void SessionCore::State::begin(Instant at) {
  now = std::max(now, at);
  expire();
}

void SessionCore::State::connected(const ServerInfo& to) {
  if (phase != Phase::connecting || dropping) return;
  phase = Phase::connected;
  server = to;
  resyncing = true;
  join_at = heartbeat_at = now;
  read_again_at = now + std::max<Duration>(timeout, std::chrono::seconds(15));
  events.emplace_back(Connected{to});
}

void SessionCore::State::membership_lost() {
  lose_all(LossCause::not_member);
  joined = false;
  confirmed.reset();
  sweep_at.reset();
  doubted = drained = false;
  last_assignment = 0;
  if (shutdown) {
    shutdown->placed = false;
    shutdown->told.reset();
    shutdown->retry_at = now;
  }
  place_again();
}

void SessionCore::State::place_again() {
  for (auto& [name, e] : elections) {
    e.placed = false;
    e.named = Token{};
    e.recheck_at.reset();
  }
}

void SessionCore::State::disconnected(const Failure& reason) {
  if (phase == Phase::idle || phase == Phase::ended) return;
  lose_all(LossCause::disconnected);
  membership_lost();
  phase = closing ? Phase::ended : Phase::idle;
  listening = deaf = false;
  channels_heard = 0;
  watch.reset(now);
  dropping.reset();
  asked_health = health_known = false;
  for (auto& [name, e] : elections) {
    e.stale = true;
    e.hand_back = e.withdrawing = false;
  }
  if (in_flight) complete(std::exchange(in_flight, std::nullopt)->requests, reason);
  fail_queued(Statement::heartbeat, reason);
  fail_queued(Statement::resign, reason);
  connect_at = now + connect_backoff.next(random);
  events.emplace_back(Disconnected{reason});
}

void SessionCore::State::drop(const Failure& reason) {
  // Waiting for the transport to obey must not keep a leadership alive.
  lose_all(LossCause::disconnected);
  dropping = reason;
}

void SessionCore::State::close() {
  if (closing) return;
  closing = true;
  lose_all(LossCause::closed);
  for (auto& [name, e] : elections) e.wish.reset();
  asked_health = false;
  const std::vector<Request> waiting(requests.begin(), requests.end());
  requests.clear();
  complete(waiting, Failure{std::string(sqlstate::not_usable), "session is closed", {}, {}});
  if (phase == Phase::idle) phase = Phase::ended;
}

}  // namespace pgcoord
