// The parts of the checker that look at what a fault may have taken.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "chaos/checker.hpp"
#include "chaos/select.hpp"

namespace pgcoord::chaos {
namespace {

/// How long the lock was certainly held: until it was given back, or a fault could have taken it.
std::int64_t certain_until(const History& history, const Record& lock) {
  auto until = lock.until != 0 ? lock.until : std::numeric_limits<std::int64_t>::max();
  for (const auto* fault : of_kind(history, "fault")) {
    if (fault->until < lock.from || fault->from > until) continue;
    if (hits_everybody(*fault) || fault->who == lock.who) until = std::max(fault->from, lock.from);
  }
  // Neither given back nor hit: its end is not known, say at the end of the run.
  return until == std::numeric_limits<std::int64_t>::max() ? lock.from : until;
}

/// Else it may have been lost before its holder knew of it.
bool was_given_back(const Record& lock) { return lock.until > lock.from; }

/// Each lock once: as it ended, if that was told.
std::vector<const Record*> held_locks(const History& history) {
  std::map<std::pair<std::int64_t, std::int64_t>, const Record*> locks;
  for (const auto* lock : of_kind(history, "lock")) {
    auto& known = locks[{lock->process, lock->number}];
    if (!known || lock->until != 0) known = lock;
  }
  std::vector<const Record*> all;
  for (const auto& [id, lock] : locks) all.push_back(lock);
  return all;
}

/// Whether a promoted standby may lack the write: it was over when the standby lacked everything.
bool may_be_lost(const History& history, const Record& write) {
  for (const auto* fault : of_kind(history, "fault")) {
    if (fault->what != "behind" || write.until < fault->from - clock_error) continue;
    if (write.from <= fault->until) return true;
  }
  return false;
}

}  // namespace

Violations check_locks(const History& history) {
  Violations found;
  const auto locks = held_locks(history);
  for (const auto* lock : locks) {
    const auto until = certain_until(history, *lock);
    for (const auto* other : locks) {
      if (other == lock || other->what != lock->what || !was_given_back(*other)) continue;
      if (other->from < lock->from || other->from >= until) continue;
      found.push_back(other->who + " took lock " + other->what + " that " + lock->who + " held");
    }
  }
  return found;
}

Violations check_writes(const History& history) {
  Violations found;
  std::set<std::int64_t> rows;
  for (const auto* row : of_kind(history, "row")) {
    if (!rows.insert(row->number).second) found.push_back("written twice: " + std::to_string(row->number));
  }
  for (const auto* write : of_kind(history, "write")) {
    const bool is_there = rows.erase(write->number) > 0;
    if (write->outcome == "committed" && !is_there && !may_be_lost(history, *write)) {
      found.push_back("acknowledged and lost: write " + std::to_string(write->number) + " of " + write->who);
    }
    if (write->outcome == "refused" && is_there) {
      found.push_back("refused and there: write " + std::to_string(write->number) + " of " + write->who);
    }
  }
  return found;
}

}  // namespace pgcoord::chaos
