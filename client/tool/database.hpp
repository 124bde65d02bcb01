#pragma once

#include <string>
#include <vector>

#include "pgcoord/time.hpp"
#include "tool/connect.hpp"
#include "tool/plan.hpp"
#include "tool/text.hpp"

namespace pgcoord::tool {

/// One connection without a membership. Statements are bounded by the server at 10 s.
class Database {
 public:
  using Parameters = std::vector<std::optional<std::string>>;

  /// Throws Error as connect() does.
  explicit Database(const Access& access);

  /// Throws Error with the server's code, or 08006 when the connection broke.
  Grid query(const std::string& sql, const Parameters& parameters = {});
  void listen(const std::string& channel);
  /// True if a notification came within the time; takes all that came. Throws Error (08006).
  bool wait_for_notification(Duration most);

 private:
  bool take_notifications();

  ConnectionPointer connection_;
};

}  // namespace pgcoord::tool
