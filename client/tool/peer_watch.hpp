#pragma once

#include <string>

#include "tool/database.hpp"
#include "tool/peer_picture.hpp"
#include "tool/plan.hpp"

namespace pgcoord::tool {

/// One change as a line, break included. `at` is the server's time as it prints it, and as JSON.
[[nodiscard]] std::string peer_line(const PeerChange& change, const std::string& at);
[[nodiscard]] std::string peer_json(const PeerChange& change, const std::string& at_as_json);
[[nodiscard]] std::string peer_tsv(const PeerChange& change, const std::string& at);

/// Reads the members and says what became of them.
class PeerWatch {
 public:
  explicit PeerWatch(Output output) : output_(output) {}

  /// Lines for what changed since the last look. Throws Error.
  [[nodiscard]] std::string look(Database& database);
  /// Look again by then, at the latest, even if nobody rings.
  [[nodiscard]] std::optional<milliseconds> until_next_deadline() const {
    return picture_.until_next_deadline();
  }

 private:
  const Output output_;
  PeerPicture picture_;
};

}  // namespace pgcoord::tool
