#pragma once

#include <optional>
#include <string>

#include "tool/database.hpp"
#include "tool/log_cursor.hpp"
#include "tool/plan.hpp"

namespace pgcoord::tool {

/// Reads the log of leadership and says what changed, each change once.
class LeaderWatch {
 public:
  explicit LeaderWatch(const WatchPlan& plan) : plan_(plan) {}

  /// On a new connection, first: lines for who leads now, if nothing was told before. Throws Error.
  [[nodiscard]] std::string begin(Database& database);
  /// Lines for what changed since. Throws Error.
  [[nodiscard]] std::string look(Database& database);
  [[nodiscard]] bool has_begun() const { return cursor_.has_value(); }

 private:
  std::string line(const Grid::Row& row) const;

  const WatchPlan& plan_;
  std::optional<LogCursor> cursor_;
};

}  // namespace pgcoord::tool
