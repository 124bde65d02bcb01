#include "chaos/checker.hpp"

#include <algorithm>
#include <map>

#include "chaos/select.hpp"

namespace pgcoord::chaos {
namespace {

std::string term_of(const Record& record) {
  return record.what + " under token " + std::to_string(record.token) + " of " + record.who;
}

/// The first grant of a newer term of the same election; null if there is none.
const Record* overtaken(const std::vector<const Record*>& grants, const Record& by) {
  const Record* first = nullptr;
  for (const auto* grant : grants) {
    if (grant->what != by.what || grant->who.empty() || grant->token <= by.token) continue;
    if (!first || grant->from < first->from) first = grant;
  }
  return first;
}

/// What the journal says of the term; null if nothing.
const Record* grant_of(const std::vector<const Record*>& grants, const Record& claim) {
  for (const auto* grant : grants) {
    if (grant->what == claim.what && grant->token == claim.token && !grant->who.empty()) return grant;
  }
  return nullptr;
}

/// Whether a promoted standby may never have heard of the term: it was first seen when the standby lacked
/// everything, and goes on no longer than a client's silence after that.
bool may_be_lost(const History& history, const Record& claim, const Bounds& bounds) {
  for (const auto* fault : of_kind(history, "fault")) {
    if (fault->what != "behind" || claim.from < fault->from - clock_error) continue;
    if (claim.until <= fault->until + bounds.silence.count()) return true;
  }
  return false;
}

}  // namespace

Violations check(const History& history, const Bounds& bounds) {
  Violations all;
  for (auto& part : {check_tokens(history), check_fences(history), check_claims(history, bounds),
                     check_gaps(history, bounds), check_recoveries(history, bounds), check_locks(history),
                     check_writes(history)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

Violations check_tokens(const History& history) {
  Violations found;
  const auto grants = of_kind(history, "grant");
  std::map<std::string, const Record*> newest;
  for (const auto* grant : grants) {  // in the journal's order
    if (grant->who.empty()) continue;
    auto& last = newest[grant->what];
    if (last && grant->token <= last->token) {
      found.push_back("token did not rise: " + term_of(*grant) + " after " + term_of(*last));
    }
    if (last && grant->from < last->from) found.push_back("journal out of order: " + term_of(*grant));
    last = grant;
  }
  std::map<std::pair<std::string, std::int64_t>, const Record*> claimed;
  for (const auto* claim : of_kind(history, "claim")) {
    const auto [first, is_new] = claimed.try_emplace({claim->what, claim->token}, claim);
    if (!is_new && first->second->process != claim->process) {
      found.push_back("two lead: " + term_of(*claim) + " and " + term_of(*first->second));
    }
    for (const auto* grant : grants) {
      if (grant->what != claim->what || grant->who.empty() || grant->from <= claim->from) continue;
      if (grant->token <= claim->token) {
        found.push_back("granted after it was surpassed: " + term_of(*grant) + ", " + term_of(*claim));
      }
    }
  }
  return found;
}

Violations check_fences(const History& history) {
  Violations found;
  const auto grants = of_kind(history, "grant");
  for (const auto* row : of_kind(history, "row")) {
    const auto own = std::find_if(grants.begin(), grants.end(), [row](const Record* grant) {
      return grant->what == row->what && grant->token == row->token && grant->who == row->who;
    });
    if (own == grants.end()) found.push_back("written without a term: " + term_of(*row));
    const auto* newer = overtaken(grants, *row);
    if (newer && newer->from <= row->from) {
      found.push_back("written too late: " + term_of(*row) + " after " + term_of(*newer));
    }
  }
  return found;
}

Violations check_claims(const History& history, const Bounds& bounds) {
  Violations found;
  const auto grants = of_kind(history, "grant");
  for (const auto* claim : of_kind(history, "claim")) {
    const auto* own = grant_of(grants, *claim);
    if (own && own->who != claim->who)
      found.push_back("claimed another's term: " + term_of(*claim) + ", " + term_of(*own));
    if (!own && !may_be_lost(history, *claim, bounds))
      found.push_back("claimed without a grant: " + term_of(*claim));
    const auto* newer = overtaken(grants, *claim);
    if (!newer || claim->until <= newer->from + bounds.silence.count()) continue;
    found.push_back("claimed for " + milliseconds(claim->until - newer->from) +
                    " beside a newer term: " + term_of(*claim) + ", " + term_of(*newer));
  }
  return found;
}

}  // namespace pgcoord::chaos
