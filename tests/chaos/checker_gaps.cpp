// The parts of the checker that look for times without a leader.
#include <algorithm>
#include <map>
#include <optional>
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

/// How long after the fault's beginning the server knows that its leader is gone; nothing if it may stay. A
/// session's end is seen at once, silence when it has lasted, and who drains has left when the fault is over.
std::optional<std::int64_t> known_after(const Record& fault, const Bounds& bounds) {
  const auto lasted = fault.until - fault.from;
  if (fault.what == "kill" || fault.what == "terminate") return 0;
  if (fault.what == "cut") return bounds.silence.count();
  if (fault.what == "drain") return lasted;
  if ((fault.what == "stop" || fault.what == "freeze") && lasted > bounds.silence.count())
    return bounds.silence.count();
  return std::nullopt;
}

/// Nobody knows who led at that time.
bool is_lost(const Record& fault) { return fault.what == "behind"; }

/// When the next leader must be there: later if all the server was hit before, or what it did is lost.
std::int64_t due(const History& history, std::int64_t begin, std::int64_t known, std::int64_t handover) {
  const auto bound = known + handover;
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

/// No session, and so no leader, outlives it.
bool takes_all_sessions(const Record& fault) {
  return fault.what == "restart" || fault.what == "immediate restart" || fault.what == "kill backend" ||
         fault.what == "promote";
}

/// When somebody must lead after the fault: later by the time that all the server was hit meanwhile; nothing
/// if all sessions are lost again before, or what happened is lost.
std::optional<std::int64_t> recovered_by(const History& history, const Record& fault, std::int64_t bound) {
  auto hits = of_kind(history, "fault");
  std::sort(hits.begin(), hits.end(), [](auto* one, auto* other) { return one->from < other->from; });
  auto due = fault.until + bound;
  for (const auto* hit : hits) {
    if (hit == &fault || hit->until < fault.until || hit->from > due) continue;
    if (hits_everybody(*hit) && takes_all_sessions(*hit)) return std::nullopt;
    if (is_lost(*hit) && fault.what != "promote") return std::nullopt;
    if (hits_everybody(*hit)) due += hit->until - std::max(hit->from, fault.until);
  }
  return due;
}

/// Whether there is a new leader by then, or one that the server named while the fault lasted says that it
/// leads.
bool leads_again(const History& history, const std::vector<const Record*>& grants, const Record& fault,
                 std::int64_t latest) {
  std::set<std::int64_t> tokens;
  for (const auto* grant : grants) {
    if (grant->who.empty() || grant->from <= fault.from || grant->from > latest) continue;
    if (grant->from >= fault.until) return true;
    tokens.insert(grant->token);
  }
  const auto claims = of_kind(history, "claim");
  return std::any_of(claims.begin(), claims.end(), [&](const Record* claim) {
    return claim->what == grants.front()->what && tokens.count(claim->token) > 0 &&
           claim->until >= fault.until && claim->until <= latest;
  });
}

}  // namespace

Violations check_gaps(const History& history, const Bounds& bounds) {
  Violations found;
  const auto end = end_of(history);
  for (const auto& [election, grants] : by_election(history)) {
    for (const auto* fault : of_kind(history, "fault")) {
      const auto* leader = leader_at(grants, fault->from);
      if (!leader || leader->who.empty() || leader->who != fault->who) continue;
      const auto known = known_after(*fault, bounds);
      if (!known) continue;
      const auto latest = due(history, fault->from, *known, bounds.handover.count());
      const auto* next = next_leader(grants, fault->from);
      if (latest > end || (next && next->from <= latest)) continue;
      found.push_back(election + " was without a leader for " +
                      milliseconds((next ? next->from : end) - fault->from) + " after " + fault->what +
                      " of " + fault->who);
    }
  }
  return found;
}

Violations check_recoveries(const History& history, const Bounds& bounds) {
  Violations found;
  const auto end = end_of(history);
  for (const auto& [election, grants] : by_election(history)) {
    for (const auto* fault : of_kind(history, "fault")) {
      if (!takes_all_sessions(*fault) || grants.front()->from > fault->from) continue;
      const auto latest = recovered_by(history, *fault, bounds.recovery.count());
      if (!latest || *latest > end || leads_again(history, grants, *fault, *latest)) continue;
      found.push_back(election + " had no leader again " + milliseconds(*latest - fault->until) + " after " +
                      fault->what);
    }
  }
  return found;
}

}  // namespace pgcoord::chaos
