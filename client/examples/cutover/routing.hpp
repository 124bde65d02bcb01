#pragma once

#include <cstdint>
#include <string>

#include "pgcoord/time.hpp"

namespace cutover {

enum class RoutingState {
  /// All events go to the source.
  normal,
  /// As before, and what the source accepts is copied to the target.
  dual_write,
  /// All events go to the target.
  migrated,
};

/// Where one tenant's events go. Each write carries a token; one that a newer term has overtaken is refused.
/// Failures are pgcoord::Error.
class Routing {
 public:
  virtual ~Routing() = default;

  virtual RoutingState state(const std::string& tenant) = 0;
  /// How many events the source has accepted and the target has not got.
  virtual std::int64_t lag(const std::string& tenant) = 0;

  /// When it returns no writer is at work, and until resume() none begins. Over by itself after `budget`, for
  /// whoever paused may die.
  virtual void pause(const std::string& tenant, std::int64_t token, pgcoord::Duration budget) = 0;
  /// From now on events go to the target. False, and nothing is changed, if the pause of this token is over.
  virtual bool switch_to_target(const std::string& tenant, std::int64_t token) = 0;
  /// Ends the pause of this token, if it lasts.
  virtual void resume(const std::string& tenant, std::int64_t token) = 0;
};

}  // namespace cutover
