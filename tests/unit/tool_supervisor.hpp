#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tool/supervisor.hpp"
#include "unit/tool_orders.hpp"

namespace pgcoord::tool {

inline ElectPlan default_plan() {
  ElectPlan plan;
  plan.election = "jobs";
  plan.id = "a";
  plan.command = {"run"};
  return plan;  // timeout 15 s, grace 5 s, so the margin is 750 ms
}

/// A supervisor with a clock of its own; orders are kept as short words: "start 1", "kill 14.25", …
class ToolSupervisor : public ToolOrders {
 protected:
  ToolSupervisor() { make(default_plan()); }

  void make(const ElectPlan& plan) { supervisor_.emplace(plan, 10s, now()); }

  Supervisor& go(double seconds) {
    seconds_ = seconds;
    supervisor_->tick(now());
    return *supervisor_;
  }
  /// A heartbeat that was sent now is confirmed now.
  void renew(std::int64_t token) { supervisor_->renewed(Token{token}, now() + 15s, now()); }
  void lose(std::int64_t token, LossCause cause = LossCause::disconnected) {
    supervisor_->lost(Token{token}, cause, now());
  }
  void end(int code) { supervisor_->ended(code, now()); }
  void signal(int number) { supervisor_->signalled(number, now()); }
  void trouble(const char* sqlstate, const char* message = "no") {
    supervisor_->trouble({sqlstate, message, "", ""}, now());
  }
  void run_under(std::int64_t token) {
    supervisor_->joined();
    renew(token);
    EXPECT_EQ(orders(), std::vector<std::string>{"start " + std::to_string(token) + " 14.25"});
  }

  std::vector<std::string> orders() { return words_of(supervisor_->take_orders(), word); }

  std::optional<Supervisor> supervisor_;

 private:
  static std::string word(const Order& order) {
    if (const auto* start = std::get_if<Start>(&order)) {
      return "start " + std::to_string(start->token.value) + " " + time(start->kill_at);
    }
    if (const auto* kill = std::get_if<KillAt>(&order)) return "kill " + time(kill->when);
    if (const auto* forward = std::get_if<Forward>(&order))
      return "signal " + std::to_string(forward->signal);
    return "exit " + std::to_string(std::get<Exit>(order).code);
  }
};

}  // namespace pgcoord::tool
