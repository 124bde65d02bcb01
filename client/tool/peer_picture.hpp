#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pgcoord/time.hpp"
#include "tool/plan.hpp"

namespace pgcoord::tool {

/// One row of coord.peers, as far as watching needs it.
struct PeerRow {
  std::string group, instance, incarnation;
  std::string status;
  bool has_session = true;
  /// Of the notice, and what tells it from another.
  std::optional<std::string> intent, notice;
  std::optional<milliseconds> left;
  /// All of it, as JSON.
  std::string json;
};

struct PeerChange {
  /// current, joined, left, removed, or the new status.
  std::string event;
  /// As it is, or was before it went.
  PeerRow peer;
  /// The status before; none for a new one.
  std::optional<std::string> previous;
};

/// The members as they were seen last.
class PeerPicture {
 public:
  /// What changed. The first time all of them are `current`.
  [[nodiscard]] std::vector<PeerChange> update(std::vector<PeerRow> rows);
  /// When the next notice comes to its end, from the last update on: nobody rings a bell then.
  [[nodiscard]] std::optional<milliseconds> until_next_deadline() const;

 private:
  using Key = std::pair<std::string, std::string>;

  std::optional<std::map<Key, PeerRow>> peers_;
};

}  // namespace pgcoord::tool
