#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "cutover/routing.hpp"
#include "cutover/term.hpp"
#include "pgcoord/lock_manager.hpp"

namespace cutover {

/// What comes next.
enum class Step { term, pause, check, route, resume };

struct CutoverOptions {
  /// For another cutover of the same tenant to end.
  pgcoord::Duration lock_timeout = std::chrono::milliseconds(500);
  /// How long the tenant's writes may rest.
  pgcoord::Duration pause_budget = std::chrono::milliseconds(100);
  /// A target that is further behind cannot catch up within the budget.
  std::int64_t ready_lag = 100;
  /// Told before each step; may throw, which rolls back.
  std::function<void(Step)> on_step;
};

enum class Outcome {
  /// Nothing was changed.
  refused,
  /// Events go to the target, which has all of them.
  switched,
  /// It was begun, and events go where they went before.
  rolled_back,
  /// Routing could not be settled. It points to the source, or to a target that had everything.
  unknown,
};

struct CutoverResult {
  Outcome outcome = Outcome::refused;
  /// For people: why it was not switched.
  std::string message;
  /// How long writes rested, as far as it is known here.
  pgcoord::Duration paused{};
};

struct Readiness {
  bool ready = false;
  std::string reason;
};

/// Moves a tenant from one store to another while its program runs: pauses its writes, sees that the target
/// has everything, switches, resumes.
///
/// The lock `cutover:<tenant>` keeps a second cutover out: two that interleave would each switch on what the
/// other has changed since. A lock can be lost while its holder works on, so each write of the routing also
/// carries the token of a term of the election by the same name. And a pause ends by itself, so that a
/// cutover that dies leaves nothing to be repaired.
class Cutover {
 public:
  Cutover(pgcoord::LockManager& locks, BeginTerm begin_term, Routing& routing, CutoverOptions options = {});

  /// Whether execute() would begin now. Never waits, takes nothing; may be wrong a moment later.
  Readiness readiness(const std::string& tenant);

  /// Never throws: what goes wrong is in the result.
  CutoverResult execute(const std::string& tenant);

  [[nodiscard]] const CutoverOptions& options() const { return options_; }

 private:
  CutoverResult under_lock(const std::string& tenant, const pgcoord::LockGuard& lock);
  CutoverResult under_term(const std::string& tenant, const pgcoord::LockGuard& lock, std::int64_t token);
  void move(const std::string& tenant, const pgcoord::LockGuard& lock, std::int64_t token,
            pgcoord::Instant pause_end);
  void catch_up(const std::string& tenant, pgcoord::Instant pause_end);
  Outcome settle(const std::string& tenant, std::int64_t token, std::string* message);
  std::optional<std::string> objection(const std::string& tenant);
  void begin(Step step);

  pgcoord::LockManager& locks_;
  const BeginTerm begin_term_;
  Routing& routing_;
  const CutoverOptions options_;
};

}  // namespace cutover
