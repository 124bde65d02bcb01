#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pgcoord/event.hpp"
#include "pgcoord/leadership.hpp"
#include "pgcoord/time.hpp"
#include "tool/orders.hpp"
#include "tool/plan.hpp"

namespace pgcoord::tool {

/// Run the command under this token. Unless it is moved, it is dead at `kill_at`.
struct Start {
  Token token;
  Instant kill_at;
};

using Order = std::variant<Start, KillAt, Forward, Exit, Note>;

/// Everything `elect` decides: when the command starts, how it ends, and with which code the tool exits.
/// Knows neither processes nor connections nor clocks: tell it what happened and what time it is, then
/// carry out take_orders() in order, and come back at deadline() at the latest.
///
/// While leadership lasts, the command's death is ordered for a margin before the term would run out by
/// itself; every confirmed heartbeat moves it. TERM comes a grace earlier than that.
class Supervisor {
 public:
  Supervisor(const ElectPlan& plan, Duration connect_timeout, Instant now);

  /// The session has joined.
  void joined();
  /// A failure on the way to the server, or told by it.
  void trouble(const Failure& failure, Instant now);
  /// The server has confirmed that we lead under `token`, which is good until then.
  void renewed(Token token, Instant until, Instant now);
  void lost(Token token, LossCause cause, Instant now);
  /// Somebody asked this instance to leave: as after TERM, with a grace that ends before `deadline`, when
  /// the server hands over.
  void drained(std::string_view intent, Instant deadline, Instant now);
  /// The command and all that it started are gone; `code` is an exit code as a shell would tell it.
  void ended(int code, Instant now);
  void signalled(int number, Instant now);
  void tick(Instant now);

  [[nodiscard]] std::vector<Order> take_orders();
  [[nodiscard]] std::optional<Instant> deadline() const;
  /// The command runs, or is being ended.
  [[nodiscard]] bool has_command() const { return phase_ == Phase::running || phase_ == Phase::ending; }

 private:
  enum class Phase { waiting, running, ending, finished };

  void start_if_leading(Instant now);
  void end_command(int signal, Instant stop_by);
  void lose(const std::string& why, Instant now);
  void order_kill();
  void note(Talk from, std::string text);
  void finish(int code);
  [[nodiscard]] Instant kill_at() const;
  [[nodiscard]] Instant foresee_at() const;

  const ElectPlan plan_;
  const Duration margin_;
  const Instant connect_by_;
  std::optional<Instant> wait_until_;
  Phase phase_ = Phase::waiting;
  bool has_joined_ = false;
  bool in_trouble_ = false;
  std::string last_trouble_;
  /// The newest term that was confirmed and not lost since.
  std::optional<Token> leads_;
  Instant until_{};
  /// No term up to this one is ours any more.
  Token over_{};
  /// What the command runs under.
  Token token_{};
  /// While ending: dead by then, at the latest.
  Instant stop_by_{};
  Instant ordered_{};
  bool leaving_ = false;
  bool drained_ = false;
  std::vector<Order> orders_;
};

}  // namespace pgcoord::tool
