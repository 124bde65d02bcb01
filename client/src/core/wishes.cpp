#include <algorithm>
#include <utility>

#include "core/state.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

using detail::Election;

RequestId SessionCore::State::request(Statement statement, const std::string& name, Parameters parameters) {
  const auto id = RequestId{++last_request};
  const Request wanted{id, statement, name, false, std::move(parameters)};
  if (closing) {
    complete({wanted}, Failure{std::string(sqlstate::not_usable), "session is closed", {}, {}});
  } else {
    requests.push_back(wanted);
  }
  return id;
}

RequestId SessionCore::State::answer_now(bool flag) {
  const auto id = RequestId{++last_request};
  Reply reply;
  reply.flag = flag;
  completions.push_back({id, reply});
  return id;
}

void SessionCore::State::campaign(const std::string& name, int priority) {
  if (closing) return;
  Election& e = election(name);
  if (e.wish == priority) return;
  e.wish = priority;
  e.placed = e.withdrawing = false;
  e.retry_at = now;
}

void SessionCore::State::withdraw(Election& e) {
  e.wish.reset();
  e.recheck_at.reset();
  e.withdrawing = e.withdrawing || e.placed;
  e.placed = false;
  e.retry_at = now;
}

RequestId SessionCore::State::release(const std::string& name) {
  Election& e = election(name);
  withdraw(e);
  if (!e.held) return answer_now(false);
  lose(e, LossCause::resigned);
  return request(Statement::resign, name);
}

RequestId SessionCore::State::try_acquire(const std::string& name) {
  return election(name).held ? answer_now(true) : request(Statement::try_acquire, name);
}

RequestId SessionCore::State::renew() {
  const auto id = request(Statement::heartbeat, {});
  if (joined || closing) return id;
  complete({requests.back()}, Failure{std::string(sqlstate::connection_lost), "not connected", {}, {}});
  requests.pop_back();
  return id;
}

bool SessionCore::State::abandon(RequestId id) {
  std::erase_if(completions, [id](const Completion& done) { return done.request == id; });
  if (in_flight) {
    for (auto& request : in_flight->requests) request.abandoned |= request.id == id;
  }
  const auto queued = std::find_if(requests.begin(), requests.end(),
                                   [id](const Request& request) { return request.id == id; });
  if (queued == requests.end()) return false;
  if (queued->statement == Statement::resign) election(queued->election).hand_back = joined;
  requests.erase(queued);
  return true;
}

void SessionCore::State::health(bool is_well) {
  asked_health = false;
  health_known = well = is_well;
  if (is_well) return;
  heartbeat_at = now + std::min<Duration>(std::chrono::seconds(1), timeout / 10);
  for (auto& [name, e] : elections) e.named = Token{};
  fail_queued(Statement::heartbeat, {std::string(sqlstate::not_usable), "heartbeat is withheld", {}, {}});
}

std::vector<SessionCore::State::Request> SessionCore::State::take_requests(Statement statement) {
  std::vector<Request> taken;
  for (const auto& request : requests) {
    if (request.statement == statement) taken.push_back(request);
  }
  std::erase_if(requests, [&](const Request& request) { return request.statement == statement; });
  return taken;
}

void SessionCore::State::fail_queued(Statement statement, const Failure& failure) {
  complete(take_requests(statement), failure);
}

}  // namespace pgcoord
