#include "registry.hpp"

#include <nlohmann/json.hpp>

namespace pgcoord::test {
namespace {

using std::chrono::steady_clock;

Leadership leadership_of(const std::vector<Value>& row) {
  return {.election = row.at(0).value(),
          .leader = row.at(1),
          .is_leader = row.at(2) == "t",
          .epoch = std::stoi(row.at(3).value()),
          .term = std::stoll(row.at(4).value()),
          .token = std::stoll(row.at(5).value())};
}

Value text_or_null(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? Value{} : Value{found->get<std::string>()};
}

Notice notice_of(const std::string& payload) {
  const auto object = nlohmann::json::parse(payload);
  return {.election = object.at("election"),
          .leader = text_or_null(object, "leader"),
          .previous = text_or_null(object, "previous"),
          .successor = text_or_null(object, "successor"),
          .token = object.at("token"),
          .cause = object.at("cause")};
}

constexpr const char* broken_terms = R"(
  SELECT format('%s: event %s, leader %s, token %s after %s, previous %s after %s', election, event_id, leader, token,
                highest, previous, was)
  FROM (SELECT *, row_number() OVER terms AS number, lag(leader) OVER terms AS was,
               max(token) OVER (terms ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS highest
        FROM coord.leadership_log WINDOW terms AS (PARTITION BY election ORDER BY event_id)) AS events
  WHERE number > 1 AND (previous IS DISTINCT FROM was
    OR CASE WHEN leader IS NULL THEN token <> highest ELSE token <= highest END))";

constexpr const char* broken_ends = R"(
  SELECT format('%s: led by %s with %s, journal says %s with %s', e.election, e.leader, e.epoch::bigint << 40 | e.term,
                last.leader, last.token)
  FROM coord._election e
  JOIN (SELECT DISTINCT ON (election) * FROM coord.leadership_log ORDER BY election, event_id DESC) AS last
    USING (election)
  WHERE (e.leader, e.epoch::bigint << 40 | e.term) IS DISTINCT FROM (last.leader, last.token))";

}  // namespace

std::int64_t join(Connection& session, const std::string& name, const std::string& timeout,
                  const std::string& group) {
  return std::stoll(
      session.value("SELECT coord.join($1, $2, heartbeat_timeout => $3::interval)", {name, group, timeout})
          .value());
}

std::vector<Leadership> heartbeat(Connection& session) {
  std::vector<Leadership> led;
  for (const auto& row : session.exec("SELECT * FROM coord.heartbeat()")) led.push_back(leadership_of(row));
  return led;
}

Leadership campaign(Connection& session, const std::string& election, int priority) {
  return leadership_of(
      session.exec("SELECT * FROM coord.campaign($1, $2::int)", {election, std::to_string(priority)}).at(0));
}

Leadership try_acquire(Connection& session, const std::string& election) {
  return leadership_of(session.exec("SELECT * FROM coord.try_acquire($1)", {election}).at(0));
}

bool resign(Connection& session, const std::string& election) {
  return session.value("SELECT coord.resign($1)", {election}) == "t";
}

bool depose(Connection& session, const std::string& election) {
  return session.value("SELECT coord.depose($1)", {election}) == "t";
}

void sweep(Connection& session) { session.exec("SELECT coord.sweep()"); }

Value leader_of(Connection& session, const std::string& election) {
  const Rows rows = session.exec("SELECT leader FROM coord.leader($1)", {election});
  return rows.empty() ? Value{} : rows.at(0).at(0);
}

std::int64_t newest_token(Connection& session, const std::string& election) {
  return std::stoll(
      session.value("SELECT token FROM coord.elections WHERE election = $1", {election}).value());
}

std::string fence_state(Connection& session, const std::string& election, std::int64_t token) {
  try {
    session.exec("SELECT coord.fence($1, $2::bigint)", {election, std::to_string(token)});
    return "00000";
  } catch (const SqlError& error) {
    return error.sqlstate();
  }
}

void listen(Connection& session) { session.exec("LISTEN \"__eventsource_coordination.leader\""); }

std::optional<Notice> next_notice(Connection& session, const std::string& election, Connection::Bound bound) {
  const auto end = steady_clock::now() + bound;
  for (;;) {
    const auto left = std::chrono::duration_cast<Connection::Bound>(end - steady_clock::now());
    const auto heard = session.notification(std::max(left, Connection::Bound{0}));
    if (!heard) return std::nullopt;
    if (Notice notice = notice_of(heard->payload); notice.election == election) return notice;
  }
}

std::vector<std::string> faults_of_journal(Connection& session) {
  std::vector<std::string> faults;
  for (const char* query : {broken_terms, broken_ends})
    for (const auto& row : session.exec(query)) faults.push_back(row.at(0).value());
  return faults;
}

}  // namespace pgcoord::test
