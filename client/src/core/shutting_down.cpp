#include <algorithm>
#include <utility>

#include "core/state.hpp"
#include "core/text.hpp"

namespace pgcoord {

using detail::ShutdownWish;

namespace {

/// The server will say the same again: class 22 is about values, 42 about rights and names.
bool is_final(const std::string& sqlstate) {
  return sqlstate.starts_with("22") || sqlstate.starts_with("42");
}

}  // namespace

RequestId SessionCore::State::announce_shutdown(ShutdownIntent intent, Duration drain_timeout, int count,
                                                std::string metadata) {
  const auto id = request(Statement::announce_shutdown, {});
  if (closing) return id;
  shutdown.emplace();
  shutdown->intent = intent;
  shutdown->deadline = now + drain_timeout;
  shutdown->in_flight_count = count;
  shutdown->metadata = std::move(metadata);
  shutdown->retry_at = now;
  return id;
}

SessionCore::State::Due SessionCore::State::announce_due() const {
  return joined && shutdown && !shutdown->placed ? Due(shutdown->retry_at) : std::nullopt;
}

Action SessionCore::State::next_announcement() {
  shutdown->placed = true;
  const auto left = std::max(shutdown->deadline - now, Duration{});
  return send(Statement::announce_shutdown,
              {std::string(to_string(shutdown->intent)), detail::seconds_text(left),
               std::to_string(in_flight_count.value_or(shutdown->in_flight_count)), shutdown->metadata},
              {}, take_requests(Statement::announce_shutdown));
}

void SessionCore::State::on_announced(const Reply& reply) {
  if (!shutdown) return;
  shutdown->told = reply.deadline;
  shutdown->backoff.reset();
}

void SessionCore::State::announcement_failed(const Failure& failure) {
  if (!shutdown || !shutdown->placed) return;  // another one took its place meanwhile
  if (is_final(failure.sqlstate)) {
    shutdown.reset();
  } else {
    shutdown->placed = false;
    shutdown->retry_at = now + shutdown->backoff.next(random);
  }
}

void SessionCore::State::look_for_drain(const PeerRecord& own, Instant sent_at) {
  if (!joined || own.incarnation != incarnation || !own.notice) return;
  if (shutdown && shutdown->told == own.notice->expected_completion_at) return;
  if (shutdown && !shutdown->placed) return;  // about to be replaced by ours
  ShutdownWish wish;
  wish.intent = own.notice->intent;
  wish.deadline = sent_at + own.time_remaining;
  wish.in_flight_count = own.notice->in_flight_count;
  wish.metadata = own.notice->metadata.dump();
  wish.placed = true;
  wish.told = own.notice->expected_completion_at;
  shutdown = std::move(wish);
  events.emplace_back(DrainRequested{*own.notice, shutdown->deadline});
}

bool SessionCore::State::may_campaign() const {
  if (drained || doubted) return false;
  return !shutdown || (shutdown->placed && now < shutdown->deadline);
}

}  // namespace pgcoord
