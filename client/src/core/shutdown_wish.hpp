#pragma once

#include <optional>
#include <string>

#include "pgcoord/backoff.hpp"
#include "pgcoord/shutdown_notification.hpp"
#include "pgcoord/time.hpp"
#include "pgcoord/utc_time.hpp"

namespace pgcoord::detail {

/// That our member shuts down: announced again to every new incarnation, with the time that is left.
struct ShutdownWish {
  ShutdownIntent intent = ShutdownIntent::graceful;
  Instant deadline;
  int in_flight_count = 0;
  std::string metadata;
  /// Sent, and not known to have failed.
  bool placed = false;
  /// By the server's clock: tells our notice from somebody else's. None until the server said so.
  std::optional<UtcTime> told;
  Instant retry_at{};
  Backoff backoff{std::chrono::milliseconds(100), std::chrono::seconds(5)};
};

}  // namespace pgcoord::detail
