#pragma once

#include <variant>

#include "pgcoord/event.hpp"
#include "pgcoord/time.hpp"
#include "tool/inbox.hpp"

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

/// What `elect` is told.
using ElectNews = std::variant<Event, Renewed, Explained>;
using ElectInbox = Inbox<ElectNews>;

}  // namespace pgcoord::tool
