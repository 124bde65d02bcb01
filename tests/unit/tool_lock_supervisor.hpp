#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tool/lock_supervisor.hpp"
#include "unit/tool_orders.hpp"

namespace pgcoord::tool {

inline LockPlan lock_plan(std::optional<milliseconds> wait = std::nullopt) {
  LockPlan plan;
  plan.key = "k";
  plan.wait = wait;
  plan.command = {"run"};
  return plan;  // grace 5 s, no overlap
}

/// A supervisor with a clock of its own, and 10 s to connect; orders are kept as short words: "try", "wait
/// 5", "run", "kill 2", "signal 15", "give back", "exit 75".
class ToolLockSupervisor : public ToolOrders {
 protected:
  ToolLockSupervisor() { make(lock_plan()); }

  void make(const LockPlan& plan) {
    seconds_ = 0;
    supervisor_.emplace(plan, 10s, Random(1), now());
    EXPECT_EQ(orders(), std::vector<std::string>{"try"});
  }
  void go(double seconds) {
    seconds_ = seconds;
    supervisor_->tick(now());
  }
  /// To the instant that it asked for.
  void go_to_deadline() {
    const auto deadline = supervisor_->deadline();
    ASSERT_TRUE(deadline);
    ASSERT_GT(*deadline, now());
    go(std::chrono::duration<double>(*deadline - at(0)).count() + 1e-6);
  }
  void contended(const char* sqlstate = "55P03") {
    supervisor_->refused(LockFailure::contended, {sqlstate, "canceling statement", "", ""}, now());
  }
  void trouble(const char* sqlstate, const char* message = "no") {
    supervisor_->refused(LockFailure::unavailable, {sqlstate, message, "", ""}, now());
  }
  void lose() { supervisor_->lost({"08006", "cut", "", ""}, now()); }
  void end(int code) { supervisor_->ended(code, now()); }
  void signal(int number) { supervisor_->signalled(number, now()); }
  void run() {
    supervisor_->granted();
    EXPECT_EQ(orders(), std::vector<std::string>{"run"});
  }

  std::vector<std::string> orders() { return words_of(supervisor_->take_orders(), word); }

  std::optional<LockSupervisor> supervisor_;

 private:
  static std::string word(const LockOrder& order) {
    if (std::holds_alternative<Try>(order)) return "try";
    if (std::holds_alternative<Begin>(order)) return "run";
    if (std::holds_alternative<GiveBack>(order)) return "give back";
    if (const auto* wait = std::get_if<Wait>(&order))
      return wait->most ? "wait " + time(*wait->most) : "wait";
    if (const auto* kill = std::get_if<KillAt>(&order)) return "kill " + time(kill->when);
    if (const auto* forward = std::get_if<Forward>(&order)) {
      return "signal " + std::to_string(forward->signal);
    }
    return "exit " + std::to_string(std::get<Exit>(order).code);
  }
};

}  // namespace pgcoord::tool
