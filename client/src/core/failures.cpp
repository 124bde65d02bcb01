#include "core/state.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

using detail::Election;

namespace {

bool ends_connection(const std::string& sqlstate) {
  return sqlstate.starts_with("08") || sqlstate == "57P01" || sqlstate == "57P02" || sqlstate == "57P03" ||
         sqlstate == "57P05";
}

/// Refused as no member: also to one whose notice has run out, or on account of another instance.
bool proves_nothing(Statement statement) {
  return statement == Statement::campaign || statement == Statement::try_acquire ||
         statement == Statement::assign;
}

}  // namespace

void SessionCore::State::fail(const InFlight& done, const Failure& failure) {
  const Statement statement = done.command.statement;
  if (failure.sqlstate == sqlstate::read_only) skip_last_host = true;
  if (failure.sqlstate == sqlstate::read_only || ends_connection(failure.sqlstate)) drop(failure);
  if (failure.sqlstate == sqlstate::not_member && proves_nothing(statement) && alive()) {
    doubted = doubted || statement != Statement::assign;
    heartbeat_at = now;
  } else if (failure.sqlstate == sqlstate::not_member) {
    join_at = confirmed ? now : now + join_backoff.next(random);
    membership_lost();
    events.emplace_back(NotMember{});
  } else if (statement == Statement::join && failure.sqlstate == sqlstate::instance_in_use) {
    events.emplace_back(InstanceInUse{failure});
  } else if (done.requests.empty()) {
    events.emplace_back(Failed{std::string(to_string(statement)), done.election, failure});
  }
  if (statement == Statement::announce_shutdown) announcement_failed(failure);
  retry_later(done);
}

// One case for each statement.  NOLINTNEXTLINE(readability-function-size)
void SessionCore::State::retry_later(const InFlight& done) {
  Election* e = find(done.election);
  if (e) e->stale = true;
  switch (done.command.statement) {
    case Statement::join:
      join_at = now + join_backoff.next(random);
      break;
    case Statement::heartbeat:
      heartbeat_at = now + heartbeat_backoff.next(random);
      subscriptions_changed = subscriptions_changed || done.command.parameters.front().has_value();
      break;
    case Statement::sweep:
      sweep_at = now + std::chrono::seconds(1) + jitter(random, Duration{}, std::chrono::milliseconds(300));
      break;
    case Statement::resign:
      e->hand_back = joined;
      e->retry_at = now + e->backoff.next(random);
      break;
    case Statement::campaign:
    case Statement::withdraw:
      e->retry_at = now + e->backoff.next(random);
      break;
    case Statement::leader:
      if (!e) break;
      e->wanted = done.requests.empty();
      e->read_at = now + e->backoff.next(random);
      break;
    case Statement::leave:
      joined = false;
      break;
    case Statement::ping:
      heartbeat_at = now + third;
      break;
    case Statement::peers:
    case Statement::peer:
      watch.failed(now, random);
      break;
    case Statement::assignments:
      watch.work_failed(now, random);
      break;
    case Statement::listen:
      listen_refused();
      break;
    case Statement::try_acquire:
    case Statement::announce_shutdown:
    case Statement::assign:
    case Statement::remove_member:
      break;
  }
}

}  // namespace pgcoord
