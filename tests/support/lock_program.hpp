#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "connection.hpp"
#include "lock_model.hpp"

namespace pgcoord::test {

/// Sessions that lock, unlock, fail and die one step after another, each step asked of the server and of a
/// LockModel; what the two say differently fails the test. Keys are numbers from 1 on.
class LockProgram {
 public:
  /// Records the names of that many keys. For a server whose deadlock_timeout is long.
  LockProgram(std::string conninfo, int keys);

  int open();  ///< a session's number, from 1 on
  /// Those with a client that do not wait; those that do, with a client or not.
  std::vector<int> idle() const;
  std::vector<int> waiting() const;
  LockModel& model() { return model_; }

  /// Sends a statement and compares its answer: a first value, "" for nothing, or an SQLSTATE. The answer of
  /// one that waits is looked at when it comes.
  void ask(int session, const std::string& statement, const std::string& wanted);
  void wait_for(int session, int key, LockModel::Kind kind, const std::string& bound);
  void cancel(int session);
  void terminate(int session);
  /// The client dies. The server notices when it next says something to it.
  void sever(int session);

  /// Takes the answers that are due.
  void settle();
  /// The server's table of locks, the view and the snapshots of those who wait.
  void compare();

  static std::string name(int key) { return "'" + key_of(key) + "'"; }  ///< as SQL
  static std::string number(int key);
  bool is_lost(int session) const { return lost_.count(session) != 0; }  ///< waits, and has no client
  const std::deque<std::string>& last_steps() const { return steps_; }

 private:
  static std::string key_of(int key) { return "tenant " + std::to_string(key); }
  Connection& client(int session) { return clients_.at(session); }
  std::string pid_of(int session) const { return std::to_string(clients_.at(session).backend_pid()); }
  void note(int session, const std::string& step);
  void bury(int session);
  void expect_rows(const std::string& query, const Rows& wanted);
  Rows locks() const;
  Rows view() const;
  Rows snapshots() const;

  const std::string conninfo_;
  const int keys_;
  Connection root_;
  LockModel model_;
  std::map<int, Connection> clients_;
  std::set<int> lost_;  // wait, and have no client any more
  std::deque<std::string> steps_;
  int last_session_ = 0;
};

}  // namespace pgcoord::test
