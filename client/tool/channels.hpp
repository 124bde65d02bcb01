#pragma once

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>

#include "tool/database.hpp"

namespace pgcoord::tool {

/// What one connection listens to: topics of groups, each by the channel that the server sends it on. Nothing
/// on them is believed, all are reasons to look.
class Channels {
 public:
  explicit Channels(std::initializer_list<std::string_view> topics);

  /// Throws Error. True if it was not listening to all of that group before: read again what was read.
  bool listen(Database& database, const std::string& group);

 private:
  std::string topics_;
  std::set<std::string> groups_;
};

}  // namespace pgcoord::tool
