#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace pgcoord::test {

/// Who should hold which lock, and who should wait for it in which order, after any calls, one after the
/// other, as simply as can be. Keys and sessions are numbers; a session is never used twice.
///
/// Calls of a session that does not wait return what the statement in their comment answers: a value, "" for
/// nothing, `waits` while there is no answer, or a SQLSTATE. Whoever was granted a lock meanwhile is among
/// take_granted().
class LockModel {
 public:
  static constexpr const char* waits = "waits";

  /// Which statement waits: CALL coord.lock(key), or SELECT pg_advisory_lock(number).
  enum class Kind { named, plain };

  void add(int session) { sessions_[session]; }
  void end(int session);  ///< its process is gone

  std::string try_lock(int session, int key);      ///< SELECT coord.try_lock(key)
  std::string lock_at_once(int session, int key);  ///< CALL coord.lock(key, '0'), or a wait that runs out
  std::string lock(int session, int key, Kind kind);
  std::string unlock(int session, int key);     ///< SELECT coord.unlock(key)
  std::string unlock_all(int session);          ///< SELECT coord.unlock_all()
  std::string fail(int session, int key);       ///< coord.try_lock(key) in a statement that fails with 22012
  std::string try_plain(int session, int key);  ///< SELECT pg_try_advisory_lock(number)
  std::string try_in_transaction(int session, int key);  ///< SELECT pg_try_advisory_xact_lock(number)
  std::string unlock_plain(int session, int key);        ///< SELECT pg_advisory_unlock(number)
  std::string unlock_all_plain(int session);             ///< SELECT pg_advisory_unlock_all()
  std::string discard(int session);                      ///< DISCARD ALL

  std::string begin(int session, bool keeps_snapshot);
  std::string commit(int session) { return end_block(session); }
  std::string rollback(int session) { return end_block(session); }
  std::string savepoint(int session);
  std::string rollback_to(int session);
  std::string release_savepoint(int session);

  /// What a session waited for is not granted: its statement failed.
  void fail_wait(int session);
  /// Who got a lock that it waited for, since the last time, in any order.
  std::vector<int> take_granted();

  /// Whether that session would wait for itself, by way of others, if it began to wait for that lock.
  bool closes_circle(int session, int key) const;

  struct Place {
    int key = 0;
    int session = 0;
    bool granted = false;
    int waiters = 0;  ///< of the holder's lock
  };
  std::vector<Place> places() const;  ///< by key: the holder, then those who wait, the first one first
  bool is_waiting(int session) const { return sessions_.at(session).wait.has_value(); }
  bool in_block(int session) const { return sessions_.at(session).block != Block::none; }
  bool is_aborted(int session) const { return sessions_.at(session).block == Block::aborted; }
  bool has_savepoint(int session) const { return sessions_.at(session).savepoint; }
  bool holds_for_session(int session, int key) const;
  /// Of one who waits: true if its statement or its block keeps one, false if nothing may, empty if it may.
  std::optional<bool> keeps_snapshot(int session) const;

 private:
  enum class Block { none, open, aborted };
  struct Hold {
    int by_session = 0;  // how often
    int by_block = 0;
    int by_savepoint = 0;
    bool named = false;  // once of by_session is coord's

    int count() const { return by_session + by_block + by_savepoint; }
  };
  struct Wait {
    int key = 0;
    Kind kind = Kind::named;
  };
  struct Session {
    std::map<int, Hold> holds;
    Block block = Block::none;
    bool savepoint = false;
    bool keeps_snapshot = false;
    std::optional<Wait> wait;
  };

  int holder(int key) const;  // 0: nobody
  bool is_free_for(int session, int key) const;
  bool holds_named(int session, int key) const;
  void take(int session, int key, Kind kind);
  std::string take_named(int session, int key, const char* otherwise);
  void abort(int session);
  void drop_block(Session& session);
  std::string end_block(int session);
  void grant();

  std::map<int, Session> sessions_;
  std::map<int, std::deque<int>> queues_;
  std::vector<int> granted_;
};

}  // namespace pgcoord::test
