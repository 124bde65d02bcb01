#include <algorithm>
#include <utility>

#include "core/state.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

using detail::Election;

namespace {

/// Keeps the candidates of one election from sweeping together.
constexpr Duration most_sweep_jitter = std::chrono::milliseconds(300);
constexpr Duration least_sweep_wait = std::chrono::milliseconds(100);

const Leadership* row_of(const std::vector<Leadership>& rows, const std::string& name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const Leadership& row) { return row.election == name; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace

void SessionCore::State::reply(const Reply& reply) {
  if (!in_flight || in_flight->command.tag != reply.tag) return;
  const InFlight done = *std::exchange(in_flight, std::nullopt);
  if (reply.failure) {
    fail(done, *reply.failure);
    complete(done.requests, *reply.failure);
  } else {
    succeed(done, reply);
  }
  resync_if_complete();
}

// One case for each statement.  NOLINTNEXTLINE(readability-function-size)
void SessionCore::State::succeed(const InFlight& done, const Reply& reply) {
  Election* e = find(done.election);
  switch (done.command.statement) {
    case Statement::listen:
      on_listening();
      break;
    case Statement::join:
      return on_joined(reply);
    case Statement::heartbeat:
      on_heartbeat(done, reply);
      break;
    case Statement::sweep:
      return on_sweep(reply);
    case Statement::campaign:
      return on_campaign(reply, *e);
    case Statement::try_acquire:
      return on_try_acquire(done, reply, *e);
    case Statement::resign:
      e->hand_back = false;
      e->stale = true;
      break;
    case Statement::withdraw:
      e->withdrawing = false;
      break;
    case Statement::leader:
      if (e) on_leader(reply, *e);
      break;
    case Statement::leave:
      joined = false;
      break;
    case Statement::ping:
      heartbeat_at = now + third;
      read_again();
      break;
    case Statement::peers:
    case Statement::peer:
      return on_peers(done, reply);
    case Statement::assignments:
      return on_assignments(reply);
    case Statement::announce_shutdown:
      on_announced(reply);
      break;
    case Statement::assign:
    case Statement::remove_member:
      break;
  }
  complete(done.requests, reply);
}

void SessionCore::State::on_joined(const Reply& reply) {
  joined = true;
  incarnation = reply.incarnation;
  watch.work();
  heartbeat_at = now;
  subscriptions_changed = false;
  events.emplace_back(Joined{reply.incarnation});
}

void SessionCore::State::on_heartbeat(const InFlight& done, const Reply& reply) {
  // The server may have dropped us from its queues while we were silent.
  const bool was_silent = !confirmed || done.sent_at - *confirmed >= timeout;
  confirmed = done.sent_at;
  heartbeat_at = done.sent_at + third;
  heartbeat_backoff.reset();
  connect_backoff.reset();
  join_backoff.reset();
  drained = drained || std::exchange(doubted, false);
  read_again();
  for (const auto& row : reply.rows) election(row.election);
  for (auto& [name, e] : elections) {
    if (was_silent) e.placed = false;
    on_standing(e, row_of(reply.rows, name));
    const bool followed = e.wish || e.leader || e.told_leader;
    if (e.stale && followed) e.wanted = true;
  }
}

void SessionCore::State::on_standing(Election& e, const Leadership* row) {
  if (!row) {
    lose(e, LossCause::superseded);
    e.hand_back = false;
  } else if (e.held == row->token) {
    if (e.named <= row->token) e.named = Token{};
    if (e.cell->extend(lead_deadline())) return;
    lose(e, LossCause::expired);
    hand_back(e, row->token);
  } else if (!e.wish) {
    hand_back(e, row->token);
  } else {
    gain(e, row->token);
    learn(e, row);
    e.stale = false;
  }
}

void SessionCore::State::on_campaign(const Reply& reply, Election& e) {
  const Leadership* row = row_of(reply.rows, e.name);
  e.backoff.reset();
  if (row && row->is_leader) {
    if (e.wish) {
      gain(e, row->token);
    } else {
      hand_back(e, row->token);
    }
  } else {
    e.placed = e.wish.has_value();
    e.withdrawing = !e.placed;
    if (e.withdrawing) e.retry_at = now;
    if (!sweep_at) sweep_at = now + jitter(random, Duration{}, most_sweep_jitter);
  }
  learn(e, row);
}

void SessionCore::State::on_try_acquire(const InFlight& done, const Reply& reply, Election& e) {
  const Leadership* row = row_of(reply.rows, e.name);
  const bool unwanted = !e.wish && std::all_of(done.requests.begin(), done.requests.end(),
                                               [](const Request& r) { return r.abandoned; });
  if (row && row->is_leader) {
    if (unwanted) {
      hand_back(e, row->token);
    } else {
      gain(e, row->token);
    }
  }
  learn(e, row);
  Reply answer = reply;
  answer.flag = row && row->is_leader && e.held == row->token;
  complete(done.requests, answer);
}

void SessionCore::State::on_leader(const Reply& reply, Election& e) {
  e.backoff.reset();
  learn(e, row_of(reply.rows, e.name));
}

void SessionCore::State::on_sweep(const Reply& reply) {
  sweep_at = now + std::max(reply.wait, least_sweep_wait) + jitter(random, Duration{}, most_sweep_jitter);
}

void SessionCore::State::complete(const std::vector<Request>& done, const Reply& reply) {
  for (const auto& request : done) {
    if (!request.abandoned) completions.push_back({request.id, reply});
  }
}

void SessionCore::State::complete(const std::vector<Request>& done, const Failure& failure) {
  Reply reply;
  reply.failure = failure;
  complete(done, reply);
}

void SessionCore::State::resync_if_complete() {
  if (!resyncing || (is_member ? !(joined && confirmed) : !listening)) return;
  Resync resync;
  for (const auto& [name, e] : elections) {
    if (e.observers == 0) continue;
    if (e.stale) return;
    resync.observed.push_back({name, e.leader, e.held.has_value(), e.told_token, std::nullopt});
  }
  if (watch.watching() && !watch.complete()) return;
  resyncing = false;
  events.emplace_back(std::move(resync));
}

}  // namespace pgcoord
