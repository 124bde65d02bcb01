#include "pq/statements.hpp"

#include <exception>

#include "pgcoord/error.hpp"
#include "pq/fields.hpp"
#include "pq/peer_rows.hpp"

namespace pgcoord::detail {

namespace {

#define PGCOORD_LEADERSHIP                      \
  "SELECT election, leader, is_leader, token, " \
  "(extract(epoch FROM elected_at) * 1000000)::bigint FROM coord."

enum LeadershipColumn { election, leader, is_leader, token, elected_at };

Leadership leadership(const PGresult* result, int row) {
  Leadership read;
  read.election = text(result, row, election);
  if (PQgetisnull(result, row, leader)) return read;
  read.leader = text(result, row, leader);
  read.is_leader = text(result, row, is_leader) == "t";
  read.token = Token{number(result, row, token)};
  if (!PQgetisnull(result, row, elected_at)) {
    read.elected_at =
        std::chrono::system_clock::time_point(span(result, row, elected_at, std::chrono::microseconds(1)));
  }
  return read;
}

void fill(Reply& reply, Statement statement, const PGresult* result) {
  const int rows = PQntuples(result);
  switch (statement) {
    case Statement::heartbeat:
    case Statement::campaign:
    case Statement::try_acquire:
    case Statement::leader:
      for (int row = 0; row < rows; ++row) {
        if (!PQgetisnull(result, row, election)) reply.rows.push_back(leadership(result, row));
      }
      break;
    case Statement::join:
      reply.incarnation = number(result, 0, 0);
      break;
    case Statement::sweep:
      reply.wait = span(result, 0, 0, std::chrono::milliseconds(1));
      break;
    case Statement::resign:
    case Statement::withdraw:
    case Statement::leave:
    case Statement::remove_member:
      reply.flag = rows > 0 && text(result, 0, 0) == "t";
      break;
    case Statement::peers:
    case Statement::peer:
      for (int row = 0; row < rows; ++row) reply.peers.push_back(peer_record(result, row));
      break;
    case Statement::assignments:
      for (int row = 0; row < rows; ++row) reply.assignments.push_back(work_assignment(result, row));
      break;
    case Statement::announce_shutdown:
      reply.deadline = UtcTime(std::chrono::microseconds(number(result, 0, 0)));
      break;
    case Statement::assign:
      reply.assignment_id = number(result, 0, 0);
      break;
    case Statement::listen:
    case Statement::ping:
      break;
  }
}

std::string field(const PGresult* result, int code) {
  const char* value = PQresultErrorField(result, code);
  return value ? value : "";
}

}  // namespace

const char* sql_of(Statement statement) {
  switch (statement) {
    case Statement::join:
      return "SELECT coord.join($1, $2, $3::text[], $4::jsonb, ($5::text || ' s')::interval)";
    case Statement::heartbeat:
      return PGCOORD_LEADERSHIP "heartbeat($1::text[], $2::int, $3::float8, $4::boolean)";
    case Statement::sweep:
      return "SELECT ceil(extract(epoch FROM coord.sweep()) * 1000)::bigint";
    case Statement::campaign:
      return PGCOORD_LEADERSHIP "campaign($1, $2::int)";
    case Statement::try_acquire:
      return PGCOORD_LEADERSHIP "try_acquire($1)";
    case Statement::resign:
      return "SELECT coord.resign($1)";
    case Statement::withdraw:
      return "SELECT coord.withdraw($1)";
    case Statement::leader:
      return PGCOORD_LEADERSHIP "leader($1)";
    case Statement::leave:
      return "SELECT coord.leave()";
    case Statement::ping:
      return "SELECT 1";
    case Statement::peers:
      return peers_sql();
    case Statement::peer:
      return peer_sql();
    case Statement::assignments:
      return assignments_sql();
    case Statement::announce_shutdown:
      return "SELECT (extract(epoch FROM coord.announce_shutdown($1, ($2::text || ' s')::interval, $3::int, "
             "$4::jsonb)) * 1000000)::bigint";
    case Statement::assign:
      return "SELECT coord.assign($1, $2::text[], $3, $4::bigint, $5::int)";
    case Statement::remove_member:
      return "SELECT coord.remove_member($1, $2)";
    case Statement::listen:
      break;  // takes no parameters, so the channel is quoted into it
  }
  return "";
}

bool is_repeated(Statement statement) {
  switch (statement) {
    case Statement::heartbeat:
    case Statement::sweep:
    case Statement::leader:
    case Statement::peers:
    case Statement::peer:
    case Statement::assignments:
      return true;
    default:
      return false;
  }
}

Failure failure_of(const PGresult* result) {
  Failure failure{field(result, PG_DIAG_SQLSTATE), field(result, PG_DIAG_MESSAGE_PRIMARY),
                  field(result, PG_DIAG_MESSAGE_DETAIL), field(result, PG_DIAG_MESSAGE_HINT)};
  if (failure.sqlstate.empty()) failure.sqlstate = sqlstate::connection_lost;
  if (failure.message.empty()) failure.message = trimmed(PQresultErrorMessage(result));
  return failure;
}

Reply reply_of(Statement statement, const PGresult* result) {
  Reply reply;
  const auto status = PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    reply.failure = failure_of(result);
    return reply;
  }
  try {
    fill(reply, statement, result);
  } catch (const std::exception& error) {
    reply.failure = Failure{"08P01", error.what(), {}, {}};
  }
  return reply;
}

}  // namespace pgcoord::detail
