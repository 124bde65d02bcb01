#pragma once

#include <mutex>
#include <variant>
#include <vector>

#include "pgcoord/event.hpp"
#include "pgcoord/time.hpp"
#include "tool/descriptor.hpp"

namespace pgcoord::tool {

/// The server confirmed that we lead under `token`; count on it until then, and no longer.
struct Renewed {
  Token token;
  Instant until;
};

/// Why there was no connection, looked at more closely.
struct Explained {
  Failure reason;
};

using News = std::variant<Event, Renewed, Explained>;

/// What other threads tell the main loop, in the order of their telling.
class Inbox {
 public:
  /// Throws std::system_error.
  Inbox();

  /// From any thread.
  void post(News news);
  [[nodiscard]] std::vector<News> take();
  /// Readable when there is something to take.
  [[nodiscard]] int descriptor() const { return bell_.get(); }

 private:
  Descriptor bell_;
  std::mutex mutex_;  // guards the news
  std::vector<News> news_;
};

}  // namespace pgcoord::tool
