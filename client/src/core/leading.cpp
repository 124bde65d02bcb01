#include <utility>

#include "core/state.hpp"

namespace pgcoord {

using detail::Election;

Election& SessionCore::State::election(const std::string& name) {
  const auto found = elections.find(name);
  if (found != elections.end()) return found->second;
  const Backoff retry(std::chrono::milliseconds(100), std::chrono::seconds(5));
  return elections.emplace(name, Election(name, retry)).first->second;
}

Election* SessionCore::State::find(const std::string& name) {
  const auto found = elections.find(name);
  return found == elections.end() ? nullptr : &found->second;
}

Instant SessionCore::State::lead_deadline() const { return confirmed ? *confirmed + timeout : Instant{}; }

bool SessionCore::State::alive() const { return joined && confirmed && well && now < lead_deadline(); }

void SessionCore::State::gain(Election& e, Token token) {
  if (e.named <= token) e.named = Token{};
  if (e.held == token) return;
  if (token <= e.ended || lead_deadline() <= now) return hand_back(e, token);
  if (e.held) lose(e, LossCause::superseded);
  e.held = token;
  e.cell->grant(token, lead_deadline());
  e.placed = false;
  e.recheck_at.reset();
  e.backoff.reset();
  e.hand_back = false;
  events.emplace_back(Elected{e.name, token});
}

void SessionCore::State::lose(Election& e, LossCause cause) {
  if (!e.held) return;
  e.cell->clear();
  e.ended = std::max(e.ended, *e.held);
  events.emplace_back(Lost{e.name, *e.held, cause});
  e.held.reset();
  e.placed = false;
  if (e.leader == options.instance_id) e.leader.reset();
  e.stale = true;
}

void SessionCore::State::lose_all(LossCause cause) {
  for (auto& [name, e] : elections) lose(e, cause);
}

// A cell can have run out before the deadline only by a reader with a fresher clock than ours.
void SessionCore::State::expire() {
  for (auto& [name, e] : elections) {
    const auto until = e.cell->deadline();
    if (!e.held || (until && now < *until)) continue;
    const auto token = *e.held;
    lose(e, well ? LossCause::expired : LossCause::unhealthy);
    hand_back(e, token);
  }
}

void SessionCore::State::hand_back(Election& e, Token token) {
  e.ended = std::max(e.ended, token);
  e.hand_back = true;
  e.retry_at = now;
}

void SessionCore::State::learn(Election& e, const Leadership* row) {
  e.leader = row ? row->leader : std::nullopt;
  const auto token = e.leader ? row->token : Token{};
  if (e.leader == e.told_leader && token == e.told_token) return;
  e.told_leader = e.leader;
  e.told_token = token;
  events.emplace_back(LeaderChanged{e.name, e.leader, token});
}

}  // namespace pgcoord
