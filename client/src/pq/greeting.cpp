#include "pq/greeting.hpp"

#include <utility>
#include <vector>

#include "core/text.hpp"
#include "pgcoord/error.hpp"
#include "pgcoord/topics.hpp"
#include "pq/fields.hpp"
#include "pq/hosts.hpp"
#include "pq/statements.hpp"

namespace pgcoord::detail {

namespace {

// Joined with pg_settings, so that a server which lacks one is no error. Those of the startup packet again: a
// proxy may have dropped them.
constexpr const char* pin_sql = R"(
SELECT pg_catalog.pg_backend_pid(), pg_catalog.set_config('pgcoord.session', $1, false),
       (SELECT pg_catalog.count(pg_catalog.set_config(s.name, v.value, false))
          FROM (VALUES ('idle_in_transaction_session_timeout', $2),
                       ('statement_timeout', $5),
                       ('lock_timeout', '0'),
                       ('transaction_timeout', '0'),
                       ('idle_session_timeout', '0'),
                       ('default_transaction_isolation', 'read committed'),
                       ('default_transaction_read_only', 'off'),
                       ('default_transaction_deferrable', 'off'),
                       ('client_min_messages', 'warning'),
                       ('row_security', 'on'),
                       ('jit', 'off'),
                       ('plan_cache_mode', 'force_generic_plan'),
                       ('tcp_keepalives_idle', $3),
                       ('tcp_keepalives_interval', $3),
                       ('tcp_keepalives_count', '3'),
                       ('tcp_user_timeout', $4),
                       ('search_path', '')) AS v (name, value)
          JOIN pg_catalog.pg_settings AS s ON s.name OPERATOR(pg_catalog.=) v.name))";

constexpr const char* look_sql = R"(
SELECT pg_backend_pid(), current_setting('pgcoord.session', true), current_database(),
       current_setting('server_version_num'),
       (SELECT json_agg(CASE WHEN $1 = 'default' THEN base
                             WHEN octet_length(base || '.' || $1) <= 63 THEN base || '.' || $1
                             ELSE base || '.' || left(encode(sha256(convert_to($1, 'UTF8')), 'hex'),
                                                      least(24, 62 - octet_length(base))) END
                        ORDER BY position)
          FROM unnest($2::text[]) WITH ORDINALITY AS c (base, position)))";

constexpr const char* identify_sql = "SELECT system_identifier::text FROM pg_control_system()";

/// In the order in which on_looked() takes them.
const std::vector<std::string> channels{std::string(leader_topic), std::string(member_topic),
                                        std::string(shutdown_notifications_topic),
                                        std::string(heartbeat_topic), std::string(work_assignment_topic)};

std::string value(const PGresult* result, int column) { return PQgetvalue(result, 0, column); }

void refuse(const char* detail) {
  throw Error(sqlstate::pooled_connection, "connection goes through a proxy that shares sessions", detail,
              "Connect to the server itself, or to a pool of whole sessions (see ProxyCheck).");
}

}  // namespace

Greeting::Greeting(const SessionOptions& options, std::string marker)
    : options_(options), marker_(std::move(marker)) {}

const char* Greeting::sql() const {
  switch (step_) {
    case Step::pin:
      return pin_sql;
    case Step::look:
      return look_sql;
    case Step::identify:
      return identify_sql;
    case Step::done:
      break;
  }
  return "";
}

Parameters Greeting::parameters() const {
  const auto timeout = options_.heartbeat_timeout;
  const auto third = std::chrono::ceil<std::chrono::seconds>(timeout / 3);
  const auto bound = options_.answer_timeout.value_or(timeout / 2);
  switch (step_) {
    case Step::pin:
      return {marker_, std::to_string(bound.count()), std::to_string(third.count()),
              std::to_string(timeout.count()), std::to_string(statement_timeout(options_))};
    case Step::look:
      return {options_.member_group, array_literal(channels)};
    default:
      return {};
  }
}

void Greeting::answer(const PGconn* connection, const PGresult* result) {
  const bool failed = PQresultStatus(result) != PGRES_TUPLES_OK;
  if (failed && step_ != Step::identify) {
    const auto failure = failure_of(result);
    throw Error(failure.sqlstate, failure.message, failure.detail, failure.hint);
  }
  switch (step_) {
    case Step::pin:
      on_pinned(connection, result);
      break;
    case Step::look:
      on_looked(result);
      break;
    default:
      if (!failed) server_.system_identifier = value(result, 0);
      break;
  }
  step_ = static_cast<Step>(static_cast<int>(step_) + 1);
}

void Greeting::on_pinned(const PGconn* connection, const PGresult* result) {
  server_.backend_pid = std::stoi(value(result, 0));
  const bool direct = server_.backend_pid == PQbackendPID(connection);
  if (!direct && options_.proxy_check == ProxyCheck::refuse_any) {
    refuse("The server session is not the one that the connection was told of.");
  }
}

void Greeting::on_looked(const PGresult* result) {
  if (std::stoi(value(result, 0)) != server_.backend_pid || value(result, 1) != marker_) {
    refuse("Two transactions ran in different server sessions.");
  }
  server_.database = value(result, 2);
  server_.server_version = std::stoi(value(result, 3));
  const auto names = list(result, 0, 4);
  server_.leader_channel = names.at(0);
  server_.member_channel = names.at(1);
  server_.shutdown_channel = names.at(2);
  server_.heartbeat_channel = names.at(3);
  server_.work_assignment_channel = names.at(4);
}

}  // namespace pgcoord::detail
