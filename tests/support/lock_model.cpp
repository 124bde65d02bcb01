#include "lock_model.hpp"

#include <utility>

namespace pgcoord::test {
namespace {

constexpr const char* aborted = "25P02";
constexpr const char* in_a_block = "25001";
constexpr const char* not_available = "55P03";
constexpr const char* division_by_zero = "22012";

}  // namespace

int LockModel::holder(int key) const {
  for (const auto& [number, session] : sessions_)
    if (const auto hold = session.holds.find(key); hold != session.holds.end() && hold->second.count() > 0)
      return number;
  return 0;
}

bool LockModel::is_free_for(int session, int key) const {
  const int by = holder(key);
  return by == 0 || by == session;
}

bool LockModel::holds_for_session(int session, int key) const {
  const auto& holds = sessions_.at(session).holds;
  const auto hold = holds.find(key);
  return hold != holds.end() && hold->second.by_session > 0;
}

/// What pg_advisory_unlock_all() released and pg_advisory_lock() took again passes for named.
bool LockModel::holds_named(int session, int key) const {
  return holds_for_session(session, key) && sessions_.at(session).holds.at(key).named;
}

void LockModel::take(int session, int key, Kind kind) {
  Hold& hold = sessions_.at(session).holds[key];
  ++hold.by_session;
  if (kind == Kind::named) hold.named = true;
}

std::string LockModel::take_named(int session, int key, const char* otherwise) {
  if (!is_free_for(session, key)) {
    sessions_.at(session).holds[key].named = false;
    return otherwise;
  }
  if (!holds_named(session, key)) take(session, key, Kind::named);
  return "t";
}

std::string LockModel::try_lock(int session, int key) {
  return is_aborted(session) ? aborted : take_named(session, key, "f");
}

std::string LockModel::lock_at_once(int session, int key) {
  if (is_aborted(session)) return aborted;
  if (take_named(session, key, "f") == "t") return "";
  abort(session);
  return not_available;
}

std::string LockModel::lock(int session, int key, Kind kind) {
  if (is_aborted(session)) return aborted;
  if (kind == Kind::named && holds_named(session, key)) return "";
  if (is_free_for(session, key)) {
    take(session, key, kind);
    return "";
  }
  sessions_.at(session).holds[key].named &= kind == Kind::plain;
  sessions_.at(session).wait = Wait{key, kind};
  queues_[key].push_back(session);
  return waits;
}

std::string LockModel::unlock(int session, int key) {
  if (is_aborted(session)) return aborted;
  const bool held = holds_named(session, key);
  Hold& hold = sessions_.at(session).holds[key];
  hold.named = false;
  if (!held) return "f";
  --hold.by_session;
  grant();
  return "t";
}

std::string LockModel::unlock_all(int session) {
  if (is_aborted(session)) return aborted;
  int released = 0;
  for (const auto& [key, hold] : sessions_.at(session).holds) released += unlock(session, key) == "t";
  return std::to_string(released);
}

std::string LockModel::fail(int session, int key) {
  if (is_aborted(session)) return aborted;
  take_named(session, key, "f");
  abort(session);
  return division_by_zero;
}

std::string LockModel::try_plain(int session, int key) {
  if (is_aborted(session)) return aborted;
  if (!is_free_for(session, key)) return "f";
  take(session, key, Kind::plain);
  return "t";
}

std::string LockModel::try_in_transaction(int session, int key) {
  if (is_aborted(session)) return aborted;
  if (!is_free_for(session, key)) return "f";
  Session& self = sessions_.at(session);
  if (self.block != Block::none) ++(self.savepoint ? self.holds[key].by_savepoint : self.holds[key].by_block);
  return "t";
}

std::string LockModel::unlock_plain(int session, int key) {
  if (is_aborted(session)) return aborted;
  if (!holds_for_session(session, key)) return "f";
  --sessions_.at(session).holds.at(key).by_session;
  grant();
  return "t";
}

std::string LockModel::unlock_all_plain(int session) {
  if (is_aborted(session)) return aborted;
  for (auto& [key, hold] : sessions_.at(session).holds) hold.by_session = 0;
  grant();
  return "";
}

std::string LockModel::discard(int session) {
  if (is_aborted(session)) return aborted;
  if (in_block(session)) {
    abort(session);
    return in_a_block;
  }
  return unlock_all_plain(session);
}

std::string LockModel::begin(int session, bool keeps_snapshot) {
  sessions_.at(session).block = Block::open;
  sessions_.at(session).keeps_snapshot = keeps_snapshot;
  return "";
}

std::string LockModel::savepoint(int session) {
  if (is_aborted(session)) return aborted;
  sessions_.at(session).savepoint = true;
  return "";
}

std::string LockModel::rollback_to(int session) {
  abort(session);
  sessions_.at(session).block = Block::open;
  return "";
}

std::string LockModel::release_savepoint(int session) {
  if (is_aborted(session)) return aborted;
  Session& self = sessions_.at(session);
  self.savepoint = false;
  for (auto& [key, hold] : self.holds) {
    hold.by_block += hold.by_savepoint;
    hold.by_savepoint = 0;
  }
  return "";
}

std::string LockModel::end_block(int session) {
  Session& self = sessions_.at(session);
  drop_block(self);
  self.block = Block::none;
  self.savepoint = self.keeps_snapshot = false;
  grant();
  return "";
}

/// An error undoes what was done since the savepoint, if there is one; never what is the session's.
void LockModel::abort(int session) {
  Session& self = sessions_.at(session);
  if (self.block == Block::none) return;
  self.block = Block::aborted;
  for (auto& [key, hold] : self.holds) hold.by_savepoint = 0;
  if (!self.savepoint) drop_block(self);
  grant();
}

void LockModel::drop_block(Session& session) {
  for (auto& [key, hold] : session.holds) hold.by_block = hold.by_savepoint = 0;
}

void LockModel::fail_wait(int session) {
  const Wait wait = sessions_.at(session).wait.value();
  std::erase(queues_.at(wait.key), session);
  sessions_.at(session).wait.reset();
  abort(session);
}

void LockModel::end(int session) {
  if (is_waiting(session)) fail_wait(session);
  sessions_.erase(session);
  std::erase(granted_, session);
  grant();
}

/// What is free goes to whoever waits for it first.
void LockModel::grant() {
  for (auto& [key, queue] : queues_) {
    if (queue.empty() || holder(key) != 0) continue;
    const int next = queue.front();
    queue.pop_front();
    take(next, key, sessions_.at(next).wait->kind);
    sessions_.at(next).wait.reset();
    granted_.push_back(next);
  }
}

std::vector<int> LockModel::take_granted() { return std::exchange(granted_, {}); }

/// Everybody waits for the holder, at the front of the queue or not.
bool LockModel::closes_circle(int session, int key) const {
  int next = holder(key);
  if (next == session) return false;
  while (next != 0 && next != session && is_waiting(next)) next = holder(sessions_.at(next).wait->key);
  return next == session;
}

std::vector<LockModel::Place> LockModel::places() const {
  std::map<int, std::vector<Place>> all;
  for (const auto& [number, session] : sessions_)
    for (const auto& [key, hold] : session.holds)
      if (hold.count() > 0) all[key].push_back({key, number, true, 0});
  for (const auto& [key, queue] : queues_) {
    if (queue.empty()) continue;
    all[key].front().waiters = static_cast<int>(queue.size());
    for (const int waiter : queue) all[key].push_back({key, waiter, false, 0});
  }
  std::vector<Place> places;
  for (const auto& [key, some] : all) places.insert(places.end(), some.begin(), some.end());
  return places;
}

std::optional<bool> LockModel::keeps_snapshot(int session) const {
  const Session& self = sessions_.at(session);
  if (self.wait->kind == Kind::plain) return true;
  return self.keeps_snapshot ? std::nullopt : std::optional<bool>{false};
}

}  // namespace pgcoord::test
