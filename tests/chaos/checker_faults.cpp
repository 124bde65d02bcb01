// The parts of the checker that look at what was done to whom.
#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "chaos/checker.hpp"
#include "chaos/select.hpp"

namespace pgcoord::chaos {
namespace {

/// Of one election, in time; also those by which nobody leads.
std::map<std::string, std::vector<const Record*>> by_election(const History& history) {
  std::map<std::string, std::vector<const Record*>> elections;
  for (const auto* grant : of_kind(history, "grant")) elections[grant->what].push_back(grant);
  return elections;
}

/// The session of its leader is over at once; or it is silent until the fault is mended.
bool ends_session(const Record& fault) { return fault.what == "kill" || fault.what == "terminate"; }
bool makes_silent(const Record& fault) { return fault.what == "stop" || fault.what == "freeze"; }

/// Nobody knows who led and what was written at that time.
bool is_lost(const Record& fault) { return fault.what == "behind"; }

/// When the next leader must be there: later if all the server was hit before, or what it did is lost.
std::int64_t due(const History& history, std::int64_t begin, std::int64_t bound) {
  auto due = begin + bound;
  for (bool moved = true; moved;) {
    moved = false;
    for (const auto* fault : of_kind(history, "fault")) {
      if (!hits_everybody(*fault) && !is_lost(*fault)) continue;
      if (fault->until + bound <= due || fault->from > due || fault->until < begin) continue;
      due = fault->until + bound;
      moved = true;
    }
  }
  return due;
}

const Record* next_leader(const std::vector<const Record*>& grants, std::int64_t after) {
  for (const auto* grant : grants) {
    if (grant->from > after && !grant->who.empty()) return grant;
  }
  return nullptr;
}

const Record* leader_at(const std::vector<const Record*>& grants, std::int64_t time) {
  const Record* leader = nullptr;
  for (const auto* grant : grants) {
    if (grant->from <= time) leader = grant;
  }
  return leader;
}

std::int64_t end_of(const History& history) {
  std::int64_t end = 0;
  for (const auto& record : history) end = std::max({end, record.from, record.until});
  return end;
}

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
    if (!is_lost(*fault) || write.until < fault->from - clock_error) continue;
    if (write.from <= fault->until) return true;
  }
  return false;
}

}  // namespace

Violations check_gaps(const History& history, const Bounds& bounds) {
  Violations found;
  const auto end = end_of(history);
  for (const auto& [election, grants] : by_election(history)) {
    for (const auto* fault : of_kind(history, "fault")) {
      const auto* leader = leader_at(grants, fault->from);
      if (!leader || leader->who.empty() || leader->who != fault->who) continue;
      const bool silent = makes_silent(*fault) && fault->until - fault->from > bounds.silence.count();
      if (!silent && !ends_session(*fault)) continue;
      const auto bound = bounds.handover.count() + (silent ? bounds.silence.count() : 0);
      const auto latest = due(history, fault->from, bound);
      const auto* next = next_leader(grants, fault->from);
      if (latest > end || (next && next->from <= latest)) continue;
      found.push_back(election + " was without a leader for " +
                      milliseconds((next ? next->from : end) - fault->from) + " after " + fault->what +
                      " of " + fault->who);
    }
  }
  return found;
}

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
