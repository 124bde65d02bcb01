#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>

namespace pgcoord::detail {

/// Remembers which assignments were taken. They rise over time, so when there are too many to remember, the
/// lowest are forgotten and everything below counts as seen.
class SeenAssignments {
 public:
  /// False if it was there already.
  bool add(std::int64_t id) {
    if (id <= all_seen_to_ || !ids_.insert(id).second) return false;
    if (ids_.size() > most_remembered) {
      all_seen_to_ = *ids_.begin();
      ids_.erase(ids_.begin());
    }
    return true;
  }

  void clear() { *this = {}; }

 private:
  static constexpr std::size_t most_remembered = 4096;

  std::set<std::int64_t> ids_;
  std::int64_t all_seen_to_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace pgcoord::detail
