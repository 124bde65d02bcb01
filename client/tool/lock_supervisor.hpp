#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pgcoord/backoff.hpp"
#include "pgcoord/lock_error.hpp"
#include "pgcoord/time.hpp"
#include "tool/orders.hpp"
#include "tool/plan.hpp"

namespace pgcoord::tool {

/// Ask for the lock once, without waiting for it; connect first, if need be.
struct Try {};
/// Wait in the server's queue, for at most so long.
struct Wait {
  std::optional<Duration> most;
};
/// Run the command; nothing kills it but further orders.
struct Begin {};
/// Give the lock back, and tell how that went.
struct GiveBack {};

using LockOrder = std::variant<Try, Wait, Begin, KillAt, Forward, GiveBack, Exit, Note>;

/// Everything `lock` decides: when to ask for the lock and when to ask again, how the command ends, and with
/// which code the tool exits. Knows neither processes nor connections nor clocks: tell it what happened and
/// what time it is, then carry out take_orders() in order, and come back at deadline() at the latest.
class LockSupervisor {
 public:
  LockSupervisor(const LockPlan& plan, Duration connect_timeout, Random random, Instant now);

  /// What came of Try and of Wait.
  void granted();
  void refused(LockFailure kind, const Failure& reason, Instant now);
  /// The lock that the command runs under is gone.
  void lost(const Failure& reason, Instant now);
  /// The command and all that it started are gone; `code` is an exit code as a shell would tell it.
  void ended(int code, Instant now);
  /// What came of GiveBack: whether it was held until then.
  void given_back(bool was_held);
  void signalled(int number, Instant now);
  void tick(Instant now);

  [[nodiscard]] std::vector<LockOrder> take_orders();
  [[nodiscard]] std::optional<Instant> deadline() const;

 private:
  enum class Phase { trying, waiting, pausing, running, finished };

  void contended(const Failure& reason, Instant now);
  void unavailable(const Failure& reason, Instant now);
  void wait(Instant now);
  void give_up_contended(const Failure& reason);
  void give_up_unavailable(const std::string& what);
  void kill_by(Instant when);
  void note(Talk from, std::string text);
  void finish(int code);
  [[nodiscard]] bool is_over(Instant now) const { return wait_until_ && now >= *wait_until_; }

  const LockPlan plan_;
  const Instant connect_by_;
  const std::optional<Instant> wait_until_;
  Random random_;
  Backoff backoff_;
  Phase phase_ = Phase::trying;
  /// The server has said of the lock that somebody else has it.
  bool was_answered_ = false;
  bool in_trouble_ = false;
  std::string last_trouble_;
  Instant try_again_at_{};
  /// The command is dead by then.
  std::optional<Instant> kill_at_;
  bool leaving_ = false;
  bool lost_ = false;
  int code_ = 0;
  std::vector<LockOrder> orders_;
};

}  // namespace pgcoord::tool
