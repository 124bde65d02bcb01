#include "lock_program.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

#include "pgcoord/lock_key.hpp"
#include "process.hpp"
#include "registry_model.hpp"
#include "wait.hpp"

namespace pgcoord::test {
namespace {

using namespace std::chrono_literals;

std::string answer(Connection& connection) {
  try {
    const Rows rows = connection.finish(10s);
    return rows.empty() || rows[0].empty() ? "" : rows[0][0].value_or("");
  } catch (const SqlError& error) {
    return error.sqlstate();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

Value text(bool value) { return value ? "t" : "f"; }

}  // namespace

LockProgram::LockProgram(std::string conninfo, int keys)
    : conninfo_{std::move(conninfo)}, keys_{keys}, root_{conninfo_} {
  for (int key = 1; key <= keys; ++key) root_.exec("SELECT coord.try_lock(" + name(key) + ")");
  root_.exec("SELECT coord.unlock_all()");
}

std::string LockProgram::number(int key) { return std::to_string(lock_key(key_of(key))); }

int LockProgram::open() {
  model_.add(++last_session_);
  clients_.emplace(last_session_, conninfo_);
  return last_session_;
}

std::vector<int> LockProgram::idle() const {
  std::vector<int> some;
  for (const auto& [session, connection] : clients_)
    if (!model_.is_waiting(session)) some.push_back(session);
  return some;
}

std::vector<int> LockProgram::waiting() const {
  std::vector<int> some;
  for (const auto& [session, connection] : clients_)
    if (model_.is_waiting(session)) some.push_back(session);
  return some;
}

void LockProgram::note(int session, const std::string& step) {
  steps_.push_back(std::to_string(session) + ": " + step);
  if (steps_.size() > 25) steps_.pop_front();
}

void LockProgram::ask(int session, const std::string& statement, const std::string& wanted) {
  note(session, statement + "  -- " + wanted);
  client(session).send(statement);
  if (wanted == LockModel::waits) return;
  EXPECT_EQ(answer(client(session)), wanted) << statement;
}

/// The server looks for deadlocks only when told to, or anybody of a circle, or near it, might hear of it.
void LockProgram::wait_for(int session, int key, LockModel::Kind kind, const std::string& bound) {
  const bool circle = model_.closes_circle(session, key);
  const std::string wanted = model_.lock(session, key, kind);
  const bool deadlock = circle && wanted == LockModel::waits;
  if (deadlock) client(session).exec("SET deadlock_timeout = '10ms'");
  ask(session,
      kind == LockModel::Kind::named ? "CALL coord.lock(" + name(key) + ", " + bound + ")"
                                     : "SELECT pg_advisory_lock(" + number(key) + ")",
      wanted);
  if (!deadlock) return;
  note(session, "closes a circle");
  EXPECT_EQ(answer(client(session)), "40P01");
  model_.fail_wait(session);
  if (!model_.in_block(session))
    client(session).exec("RESET deadlock_timeout");  // else undone with the block
}

void LockProgram::cancel(int session) {
  note(session, "is cancelled");
  root_.exec("SELECT pg_cancel_backend($1::int)", {pid_of(session)});
  if (is_lost(session)) return bury(session);
  EXPECT_EQ(answer(client(session)), "57014");
  model_.fail_wait(session);
}

void LockProgram::terminate(int session) {
  note(session, "is terminated");
  root_.exec("SELECT pg_terminate_backend($1::int)", {pid_of(session)});
  bury(session);
}

void LockProgram::sever(int session) {
  note(session, "loses its client");
  client(session).sever();
  if (model_.is_waiting(session))
    lost_.insert(session);
  else
    bury(session);
}

void LockProgram::bury(int session) {
  const int pid = client(session).backend_pid();
  EXPECT_TRUE(wait_until([&] { return !process_alive(pid); }, 5s)) << "session " << session << " stays";
  model_.end(session);
  clients_.erase(session);
  lost_.erase(session);
}

void LockProgram::settle() {
  for (auto granted = model_.take_granted(); !granted.empty(); granted = model_.take_granted())
    for (const int session : granted) {
      note(session, "is granted what it waited for");
      if (is_lost(session))
        bury(session);
      else
        EXPECT_EQ(answer(client(session)), "") << "session " << session;
    }
}

Rows LockProgram::locks() const {
  Rows rows;
  for (const auto& place : model_.places())
    rows.push_back({std::to_string(place.key), pid_of(place.session), text(place.granted)});
  return rows;
}

Rows LockProgram::view() const {
  Rows rows;
  for (const auto& place : model_.places())
    if (place.granted)
      rows.push_back(
          {key_of(place.key), pid_of(place.session), std::to_string(place.waiters), text(place.waiters > 0)});
  return rows;
}

/// Of those who wait, unless their block may or may not have one.
Rows LockProgram::snapshots() const {
  Rows rows;
  for (const int session : waiting())
    if (const auto keeps = model_.keeps_snapshot(session))
      rows.push_back({pid_of(session), text(*keeps), "f"});
  return rows;
}

void LockProgram::expect_rows(const std::string& query, const Rows& wanted) {
  Rows seen;
  const auto same = [&] { return (seen = root_.exec(query)) == wanted; };
  if (!wait_until(same, 5s)) ADD_FAILURE() << difference(seen, wanted) << "\n" << query;
}

void LockProgram::compare() {
  std::string numbers;
  for (int key = 1; key <= keys_; ++key)
    numbers += (key == 1 ? "(" : ", (") + std::to_string(key) + ", " + number(key) + ")";
  expect_rows("SELECT key, pid, granted FROM pg_locks LEFT JOIN (VALUES " + numbers +
                  ") AS name (key, id) ON id = (classid::bigint << 32 | objid::bigint) AND objsubid = 1 WHERE"
                  " locktype = 'advisory' ORDER BY key, granted DESC, waitstart",
              locks());
  expect_rows("SELECT key, session_pid, waiters, longest_wait IS NOT NULL FROM coord.locks ORDER BY key",
              view());
  std::string pids = "0";
  const Rows wanted = snapshots();
  for (const auto& row : wanted) pids += ", " + *row[0];
  expect_rows(
      "SELECT pid, backend_xmin IS NOT NULL, backend_xid IS NOT NULL FROM pg_stat_activity"
      " WHERE pid IN (" +
          pids + ") ORDER BY array_position(ARRAY[" + pids + "], pid)",
      wanted);
}

}  // namespace pgcoord::test
