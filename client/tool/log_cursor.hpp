#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

namespace pgcoord::tool {

/// Which entries of the leadership log were told. The numbers of one election rise in the order of its
/// changes, but those of two elections may become visible in any order: a plain "greater than the last"
/// would lose some.
class LogCursor {
 public:
  /// Everything up to `start` counts as told.
  explicit LogCursor(std::int64_t start) : start_(start), newest_(start) {}

  /// Read again from behind this one.
  [[nodiscard]] std::int64_t from() const { return std::max(start_, newest_ - overlap); }

  /// False if it was told before.
  bool admit(const std::string& election, std::int64_t event_id) {
    auto [entry, added] = told_.try_emplace(election, start_);
    if (event_id <= entry->second) return false;
    entry->second = event_id;
    newest_ = std::max(newest_, event_id);
    return true;
  }

  [[nodiscard]] std::int64_t newest() const { return newest_; }

 private:
  /// More changes than can be on their way to a commit at one time.
  static constexpr std::int64_t overlap = 1'000;

  std::int64_t start_;
  std::int64_t newest_;
  std::map<std::string, std::int64_t> told_;
};

}  // namespace pgcoord::tool
