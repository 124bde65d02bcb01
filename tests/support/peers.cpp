#include "peers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

#include "wait.hpp"

namespace pgcoord::test {
namespace {

using std::chrono::steady_clock;

constexpr const char* member_channel = "__eventsource_coordination.member";

Connection::Bound left_until(steady_clock::time_point end) {
  const auto left = std::chrono::duration_cast<Connection::Bound>(end - steady_clock::now());
  return std::max(left, Connection::Bound{0});
}

}  // namespace

Value status_of(Connection& by, const std::string& name) {
  const Rows rows =
      by.exec("SELECT status FROM coord.peers WHERE member_group = 'default' AND instance_id = $1", {name});
  return rows.empty() ? Value{} : rows[0][0];
}

bool becomes(Connection& by, const std::string& name, const std::string& status,
             std::chrono::milliseconds bound) {
  return wait_until([&] { return status_of(by, name) == status; }, bound);
}

std::int64_t incarnation_of(Connection& by, const std::string& name) {
  const Value found = by.value(
      "SELECT incarnation FROM coord.peers WHERE member_group = 'default' AND instance_id = $1", {name});
  return std::stoll(found.value());
}

void announce_shutdown(Connection& member, const std::string& drain_timeout) {
  member.exec("SELECT coord.announce_shutdown('graceful', $1::interval)", {drain_timeout});
}

std::int64_t assign(Connection& leader, const std::string& target, const std::string& election,
                    std::int64_t token, const std::string& subscriptions) {
  const Value id = leader.value("SELECT coord.assign($1, $2::text[], $3, $4::bigint)",
                                {target, subscriptions, election, std::to_string(token)});
  return std::stoll(id.value());
}

void listen_to_members(Connection& session) {
  session.exec(std::string{"LISTEN \""} + member_channel + "\"");
}

void listen_to_all(Connection& session) {
  for (const char* what : {"leader", "shutdown", "heartbeat", "work_assignment", "member"})
    session.exec(std::string{"LISTEN \"__eventsource_coordination."} + what + "\"");
}

std::optional<MemberBell> next_bell(Connection& session, Connection::Bound bound) {
  const auto end = steady_clock::now() + bound;
  for (;;) {
    const auto heard = session.notification(left_until(end));
    if (!heard) return std::nullopt;
    if (heard->channel != member_channel) continue;
    const auto ring = nlohmann::json::parse(heard->payload);
    return MemberBell{ring.at("instance_id"), ring.at("incarnation"), ring.at("event")};
  }
}

std::optional<MemberBell> next_bell(Connection& session, const std::string& instance,
                                    Connection::Bound bound) {
  const auto end = steady_clock::now() + bound;
  for (;;) {
    auto bell = next_bell(session, left_until(end));
    if (!bell || bell->instance == instance) return bell;
  }
}

std::vector<std::string> bells_until_now(Connection& session) {
  session.exec("SELECT");  // whatever was committed before this has arrived with its answer
  std::vector<std::string> events;
  while (const auto bell = next_bell(session, Connection::Bound{0}))
    events.push_back(bell->instance + " " + bell->event);
  return events;
}

std::vector<std::string> bells_until_now(Connection& session, const std::string& instance) {
  std::vector<std::string> events;
  for (const std::string& bell : bells_until_now(session))
    if (bell.rfind(instance + " ", 0) == 0) events.push_back(bell.substr(instance.size() + 1));
  return events;
}

}  // namespace pgcoord::test
