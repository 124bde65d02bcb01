#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "tool/command.hpp"
#include "tool/orders.hpp"
#include "tool/signals.hpp"

namespace pgcoord::tool {

/// The hands of a supervisor: the signals that come for the tool, the command, the words for the user. Make
/// it before any thread starts.
class Runner {
 public:
  Runner(Talk talk, Duration grace) : talk_(talk), grace_(grace) {}

  /// Until there is news behind `bell`, a signal, or that instant is reached.
  void wait(int bell, std::optional<Instant> until) const;
  /// Tells it of every signal, and of the end of the command.
  template <typename Supervisor>
  void report_to(Supervisor& supervisor);

  /// False, and says why, if it cannot be made. `line` needs no mask and no grace.
  [[nodiscard]] bool start(CommandLine line, Instant kill_at);
  /// Has `act` do what the supervisor orders, which may lead to further orders.
  template <typename Supervisor, typename Act>
  static void carry_out_orders(Supervisor& supervisor, const Act& act);
  void carry_out(const KillAt& order);
  void carry_out(const Forward& order);
  void carry_out(const Note& order) const;
  void carry_out(const Exit& order) { exit_ = order.code; }
  /// The exit code, once there is one.
  [[nodiscard]] std::optional<int> exit() const { return exit_; }
  /// Kills the command, should it still run.
  void kill_command() { command_.reset(); }

 private:
  /// The exit code of the command, once nothing of it is left.
  [[nodiscard]] std::optional<int> take_end();

  const Talk talk_;
  const Duration grace_;
  Signals signals_;
  std::unique_ptr<Command> command_;
  std::optional<int> exit_;
};

template <typename Supervisor>
void Runner::report_to(Supervisor& supervisor) {
  while (const auto number = signals_.next()) {
    if (*number != SIGCHLD) {
      supervisor.signalled(*number, BootClock::now());
    } else if (const auto code = take_end()) {
      supervisor.ended(*code, BootClock::now());
    }
  }
}

template <typename Supervisor, typename Act>
void Runner::carry_out_orders(Supervisor& supervisor, const Act& act) {
  for (auto orders = supervisor.take_orders(); !orders.empty(); orders = supervisor.take_orders()) {
    for (const auto& order : orders) std::visit(act, order);
  }
}

}  // namespace pgcoord::tool
