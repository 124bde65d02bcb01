#include <algorithm>
#include <utility>

#include "core/state.hpp"
#include "core/text.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

using detail::Election;

namespace {

using Due = std::optional<Instant>;

/// At most one look per this long, so that forged announcements cost little.
constexpr Duration between_looks = std::chrono::milliseconds(10);
/// So many at once, before the pace of the looks counts.
constexpr std::size_t most_looks = 20;

Due earlier(const Due& a, const Due& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

Due SessionCore::State::join_due() const { return is_member && !joined ? Due(join_at) : std::nullopt; }

Due SessionCore::State::heartbeat_due() const {
  if (!joined || asked_health) return std::nullopt;
  Due due = heartbeat_at;
  const auto look = look_sent_at ? *look_sent_at + between_looks : now;
  for (const auto& [name, e] : elections) {
    if (e.named > Token{}) due = earlier(due, std::max(look, looks.next(most_looks)));
  }
  const bool asked = std::any_of(requests.begin(), requests.end(), [](const Request& request) {
    return request.statement == Statement::heartbeat;
  });
  return asked ? earlier(due, look) : due;
}

bool SessionCore::State::can_send(const Request& request) const {
  switch (request.statement) {
    case Statement::leader:
      return listening;
    case Statement::resign:
    case Statement::assign:
      return joined;
    case Statement::remove_member:
      return listening && (joined || !is_member);
    case Statement::try_acquire:
      return alive() && !doubted && !announce_due();
    default:
      return false;
  }
}

Due SessionCore::State::request_due() const {
  const bool any = std::any_of(requests.begin(), requests.end(),
                               [this](const Request& request) { return can_send(request); });
  return any ? Due(now) : std::nullopt;
}

Due SessionCore::State::hand_back_due(const Election& e) const {
  return joined && e.hand_back ? Due(e.retry_at) : std::nullopt;
}

Due SessionCore::State::withdraw_due(const Election& e) const {
  return joined && e.withdrawing ? Due(e.retry_at) : std::nullopt;
}

Due SessionCore::State::campaign_due(const Election& e) const {
  if (!e.wish || e.held || e.hand_back || !alive() || !may_campaign()) return std::nullopt;
  if (!e.placed) return e.retry_at;
  return e.recheck_at ? Due(std::max(*e.recheck_at, e.retry_at)) : std::nullopt;
}

Due SessionCore::State::sweep_due() const {
  if (!alive()) return std::nullopt;
  const bool candidate = std::any_of(elections.begin(), elections.end(), [](const auto& entry) {
    return entry.second.wish && entry.second.placed && !entry.second.held;
  });
  return candidate ? sweep_at : std::nullopt;
}

Due SessionCore::State::read_due(const Election& e) const {
  const bool ready = is_member ? joined && confirmed : listening;
  if (!ready || !e.stale || (!e.wanted && e.observers == 0)) return std::nullopt;
  return e.rung ? std::max(e.read_at, next_question()) : e.read_at;
}

// An observer has no heartbeat, and would else not notice a dead connection.
Due SessionCore::State::ping_due() const {
  return listening && !is_member ? Due(heartbeat_at) : std::nullopt;
}

Due SessionCore::State::deadline() const {
  if (dropping) return now;
  Due due;
  for (const auto& [name, e] : elections) {
    if (e.held) due = earlier(due, e.cell->deadline());
  }
  if (phase == Phase::idle) return earlier(due, connect_at);
  if (phase != Phase::connected) return due;
  if (in_flight) return earlier(due, in_flight->sent_at + answer_timeout);
  if (!listening || closing) return earlier(due, now);
  due = earlier(earlier(due, join_due()), earlier(heartbeat_due(), request_due()));
  due = earlier(earlier(due, sweep_due()), ping_due());
  due = earlier(earlier(due, announce_due()), earlier(peers_due(), work_due()));
  due = earlier(due, listen_again_due());
  for (const auto& [name, e] : elections) {
    due = earlier(earlier(due, hand_back_due(e)), withdraw_due(e));
    due = earlier(earlier(due, campaign_due(e)), read_due(e));
  }
  return due;
}

std::optional<Action> SessionCore::State::next_action() {
  if (phase == Phase::ended) return std::nullopt;
  if (in_flight && now >= in_flight->sent_at + answer_timeout) {
    drop({std::string(sqlstate::connection_lost), "no answer from the server", {}, {}});
  }
  if (phase == Phase::idle && now >= connect_at) {
    phase = Phase::connecting;
    return OpenConnection{std::exchange(skip_last_host, false)};
  }
  if (closing && phase == Phase::connecting) {
    drop({std::string(sqlstate::not_usable), "session is closed", {}, {}});
  }
  if (dropping) {
    const auto reason = *dropping;
    disconnected(reason);
    return CloseConnection{reason};
  }
  if (phase != Phase::connected || in_flight) return std::nullopt;
  return closing ? next_closing() : next_statement();
}

std::optional<Action> SessionCore::State::next_closing() {
  if (!joined) {
    phase = Phase::ended;
    return CloseConnection{{std::string(sqlstate::not_usable), "session is closed", {}, {}}};
  }
  return send(Statement::leave, {});
}

std::optional<Action> SessionCore::State::next_statement() {
  if (!listening) return next_listen();
  if (is_due(join_due())) {
    return send(Statement::join,
                {options.instance_id, options.member_group, detail::array_literal(subscriptions),
                 options.metadata, detail::seconds_text(timeout)});
  }
  if (is_due(heartbeat_due())) {
    if (auto action = next_heartbeat()) return action;
  }
  if (is_due(announce_due())) return next_announcement();
  if (auto action = next_request()) return action;
  if (auto action = next_for_elections()) return action;
  if (is_due(sweep_due())) return send(Statement::sweep, {});
  if (is_due(ping_due())) return send(Statement::ping, {});
  if (is_due(listen_again_due())) return next_listen();
  return next_for_peers();
}

std::optional<Action> SessionCore::State::next_heartbeat() {
  if (options.healthy && !health_known) {
    asked_health = true;
    return AskHealth{};
  }
  health_known = false;
  look_sent_at = now;
  bool rung = false;
  for (auto& [name, e] : elections) rung = std::exchange(e.named, Token{}) > Token{} || rung;
  if (rung) looks.spend(now);
  auto answers = take_requests(Statement::heartbeat);
  Parameters parameters(4);
  if (subscriptions_changed) parameters[0] = detail::array_literal(subscriptions);
  if (in_flight_count) parameters[1] = std::to_string(*in_flight_count);
  if (load_factor) parameters[2] = detail::number_text(*load_factor);
  parameters[3] = options.publish_heartbeats ? "true" : "false";
  subscriptions_changed = false;
  return send(Statement::heartbeat, std::move(parameters), {}, std::move(answers));
}

std::optional<Action> SessionCore::State::next_request() {
  const auto found = std::find_if(requests.begin(), requests.end(),
                                  [this](const Request& request) { return can_send(request); });
  if (found == requests.end()) return std::nullopt;
  const Request request = *found;
  requests.erase(found);
  const auto parameters = request.parameters.empty() ? Parameters{request.election} : request.parameters;
  return send(request.statement, parameters, request.election, {request});
}

std::optional<Action> SessionCore::State::next_for_elections() {
  for (auto& [name, e] : elections) {
    if (is_due(hand_back_due(e))) return send(Statement::resign, {name}, name);
    if (is_due(withdraw_due(e))) return send(Statement::withdraw, {name}, name);
    if (is_due(campaign_due(e))) {
      e.recheck_at.reset();
      e.retry_at = now + between_looks;
      return send(Statement::campaign, {name, std::to_string(*e.wish)}, name);
    }
    if (is_due(read_due(e))) {
      e.read_at = now + between_looks;
      if (std::exchange(e.rung, false)) questions.spend(now);
      return send(Statement::leader, {name}, name);
    }
  }
  return std::nullopt;
}

Action SessionCore::State::send(Statement statement, Parameters parameters, const std::string& name,
                                std::vector<Request> answers) {
  // From here on the answer is new; what is announced meanwhile makes it old again.
  if (Election* e = find(name)) e->stale = e->wanted = false;
  Execute command{++last_tag, statement, std::move(parameters)};
  in_flight = InFlight{command, name, now, std::move(answers)};
  return command;
}

}  // namespace pgcoord
