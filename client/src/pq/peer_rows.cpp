#include "pq/peer_rows.hpp"

#include <algorithm>
#include <limits>

#include "pq/fields.hpp"

namespace pgcoord::detail {

namespace {

using std::chrono::microseconds;

#define PGCOORD_MICROSECONDS(time) "(extract(epoch FROM " time ") * 1000000)::bigint"

// One that left after its notice has no heartbeat any more.
#define PGCOORD_PEERS \
  "SELECT instance_id, incarnation, coalesce(to_json(subscriptions), '[]'), "             \
  "coalesce(in_flight_count, 0), coalesce(load_factor, 0), leads, "                       \
  "coalesce(" PGCOORD_MICROSECONDS("clock_timestamp() - last_heartbeat_at") ", 86400000000), " \
  "coalesce(" PGCOORD_MICROSECONDS("last_heartbeat_at") ", 0), "                          \
  "coalesce(" PGCOORD_MICROSECONDS("heartbeat_timeout") ", 15000000), "                   \
  "session_pid IS NOT NULL, metadata, shutdown_intent, "                                  \
  PGCOORD_MICROSECONDS("shutdown_initiated_at") ", "                                      \
  PGCOORD_MICROSECONDS("shutdown_deadline") ", "                                          \
  "coalesce(" PGCOORD_MICROSECONDS("time_remaining") ", 0), shutdown_metadata "           \
  "FROM coord.peers WHERE member_group = $1"

enum PeerColumn {
  instance_id,
  incarnation,
  subscriptions,
  in_flight_count,
  load_factor,
  leads,
  heartbeat_age,
  last_heartbeat_at,
  heartbeat_timeout,
  session_alive,
  metadata,
  shutdown_intent,
  shutdown_initiated_at,
  shutdown_deadline,
  time_remaining,
  shutdown_metadata
};

enum AssignmentColumn {
  assignment_id,
  target_instance_id,
  source_instance_id,
  assigned_subscriptions,
  priority,
  election,
  token,
  assigned_at,
  target_incarnation
};

bool flag(const PGresult* result, int row, int column) { return text(result, row, column) == "t"; }

std::int32_t small(const PGresult* result, int row, int column) {
  using Limits = std::numeric_limits<std::int32_t>;
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(number(result, row, column), Limits::min(), Limits::max()));
}

UtcTime moment(const PGresult* result, int row, int column) {
  return UtcTime(microseconds(number(result, row, column)));
}

// jsonb holds numbers that no JSON library here does.
nlohmann::json object(const PGresult* result, int row, int column) {
  auto value = nlohmann::json::parse(text(result, row, column), nullptr, false);
  return value.is_object() ? value : nlohmann::json::object();
}

std::optional<ShutdownNotification> notice(const PGresult* result, int row, const PeerRecord& peer) {
  const auto intent = shutdown_intent_from(text(result, row, shutdown_intent));
  if (!intent) return std::nullopt;
  ShutdownNotification read;
  read.instance_id = peer.instance_id;
  read.intent = *intent;
  read.initiated_at = moment(result, row, shutdown_initiated_at);
  read.expected_completion_at = moment(result, row, shutdown_deadline);
  read.subscriptions = peer.subscriptions;
  read.in_flight_count = peer.in_flight_count;
  read.metadata = object(result, row, shutdown_metadata);
  read.incarnation = peer.incarnation;
  return read;
}

}  // namespace

const char* peers_sql() { return PGCOORD_PEERS; }

const char* peer_sql() { return PGCOORD_PEERS " AND instance_id = ANY ($2::text[])"; }

const char* assignments_sql() {
  return "SELECT assignment_id, target_instance_id, source_instance_id, to_json(subscriptions), priority, "
         "election, token, " PGCOORD_MICROSECONDS("assigned_at") ", target_incarnation "
         "FROM coord.assignments WHERE member_group = $1 AND target_instance_id = $2 "
         "AND target_incarnation = $3::bigint AND assignment_id > $4::bigint ORDER BY assignment_id";
}

PeerRecord peer_record(const PGresult* result, int row) {
  PeerRecord peer;
  peer.instance_id = text(result, row, instance_id);
  peer.incarnation = number(result, row, incarnation);
  peer.subscriptions = list(result, row, subscriptions);
  peer.in_flight_count = small(result, row, in_flight_count);
  peer.load_factor = real(result, row, load_factor);
  peer.is_leader = flag(result, row, leads);
  // The row's own clock may have been read a little earlier than ours.
  peer.heartbeat_age = std::max(span(result, row, heartbeat_age, microseconds(1)), Duration(0));
  peer.last_heartbeat_at = moment(result, row, last_heartbeat_at);
  peer.heartbeat_timeout = span(result, row, heartbeat_timeout, microseconds(1));
  peer.session_alive = flag(result, row, session_alive);
  peer.metadata = text(result, row, metadata);
  peer.notice = notice(result, row, peer);
  if (peer.notice) peer.time_remaining = span(result, row, time_remaining, microseconds(1));
  return peer;
}

WorkAssignment work_assignment(const PGresult* result, int row) {
  WorkAssignment work;
  work.assignment_id = number(result, row, assignment_id);
  work.target_instance_id = text(result, row, target_instance_id);
  work.source_instance_id = text(result, row, source_instance_id);
  work.subscriptions = list(result, row, assigned_subscriptions);
  work.priority = small(result, row, priority);
  work.election = std::string(text(result, row, election));
  work.token = number(result, row, token);
  work.assigned_at = moment(result, row, assigned_at);
  work.target_incarnation = number(result, row, target_incarnation);
  return work;
}

}  // namespace pgcoord::detail
