#include <algorithm>
#include <utility>

#include "core/state.hpp"

namespace pgcoord {

using detail::Election;

namespace {

/// How long those who were not named leave the field to the one who was.
constexpr Duration courtesy = std::chrono::seconds(1);
constexpr Duration most_courtesy_jitter = std::chrono::milliseconds(500);
/// Beside one for each election, before the pace of the questions counts.
constexpr std::size_t most_questions = 20;

}  // namespace

void SessionCore::State::notified(std::string_view channel, std::string_view payload) {
  if (channel != server.leader_channel) return rung(channel, payload);
  const auto notice = parse_leader_notice(payload);
  if (!notice) {
    ++malformed;
    return;
  }
  Election* e = find(notice->election);
  if (!e) return;
  if (notice->leader == options.instance_id) {
    announced_ours(*e, notice->token);
  } else {
    announced_others(*e, *notice);
  }
}

Instant SessionCore::State::next_question() const {
  return questions.next(most_questions + elections.size());
}

void SessionCore::State::announced_ours(Election& e, Token token) {
  const bool known = token <= e.ended || (e.held && token <= *e.held);
  if (known || !is_member) return;
  e.named = std::max(e.named, token);
}

void SessionCore::State::announced_others(Election& e, const LeaderNotice& notice) {
  const bool is_news = notice.leader != e.told_leader || notice.token != e.told_token;
  if (is_news || !notice.leader) {
    e.rung = e.rung || !e.stale;
    e.stale = true;
  }
  if (e.held && notice.token >= *e.held) e.named = std::max(e.named, notice.token);
  if (!e.wish || e.held) return;
  if (notice.leader) {
    e.recheck_at.reset();
  } else if (notice.successor == options.instance_id) {
    if (!std::exchange(e.placed, false)) return;
    e.retry_at = std::max({now, e.retry_at, next_question()});
    questions.spend(now);
  } else if (!e.recheck_at) {
    e.recheck_at = now + courtesy + jitter(random, Duration{}, most_courtesy_jitter);
  }
}

}  // namespace pgcoord
