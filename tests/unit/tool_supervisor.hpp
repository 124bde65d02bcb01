#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <optional>
#include <string>
#include <vector>

#include "tool/supervisor.hpp"

namespace pgcoord::tool {

using namespace std::chrono_literals;

inline ElectPlan default_plan() {
  ElectPlan plan;
  plan.election = "jobs";
  plan.id = "a";
  plan.command = {"run"};
  return plan;  // timeout 15 s, grace 5 s, so the margin is 750 ms
}

/// A supervisor with a clock of its own; orders are kept as short words: "start 1", "kill 14.25", …
class ToolSupervisor : public testing::Test {
 protected:
  ToolSupervisor() { make(default_plan()); }

  void make(const ElectPlan& plan) { supervisor_.emplace(plan, 10s, now()); }

  static Instant at(double seconds) {
    return Instant(1'000s) + Duration(static_cast<std::int64_t>(seconds * 1e9));
  }
  Instant now() const { return at(seconds_); }
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

  std::vector<std::string> orders() {
    std::vector<std::string> words;
    for (const Order& order : supervisor_->take_orders()) {
      if (const auto* note = std::get_if<Note>(&order)) {
        if (note->from < Talk::verbose) notes_.push_back(note->text);
      } else {
        words.push_back(word(order));
      }
    }
    return words;
  }
  std::vector<std::string> notes_;
  std::optional<Supervisor> supervisor_;
  double seconds_ = 0;

 private:
  static std::string time(Instant when) {
    std::string text = std::to_string(std::chrono::duration<double>(when - at(0)).count());
    text.erase(text.find_last_not_of('0') + 1);
    return text.back() == '.' ? text.substr(0, text.size() - 1) : text;
  }
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
