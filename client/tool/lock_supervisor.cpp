#include "tool/lock_supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "pgcoord/error.hpp"
#include "tool/exit_code.hpp"
#include "tool/signals.hpp"

namespace pgcoord::tool {

namespace {

constexpr Duration first_pause = milliseconds(100);
constexpr Duration longest_pause = milliseconds(2'000);

std::optional<Instant> end_of_wait(const LockPlan& plan, Instant now) {
  return plan.wait ? std::optional(now + *plan.wait) : std::nullopt;
}

}  // namespace

LockSupervisor::LockSupervisor(const LockPlan& plan, Duration connect_timeout, Random random, Instant now)
    : plan_(plan),
      connect_by_(now + connect_timeout),
      wait_until_(end_of_wait(plan, now)),
      random_(random),
      backoff_(first_pause, longest_pause) {
  orders_.emplace_back(Try{});
}

void LockSupervisor::granted() {
  if (phase_ != Phase::trying && phase_ != Phase::waiting) return;
  phase_ = Phase::running;
  note(Talk::verbose, fmt::format("holding lock \"{}\"", plan_.key));
  orders_.emplace_back(Begin{});
}

void LockSupervisor::refused(LockFailure kind, const Failure& reason, Instant now) {
  if (phase_ != Phase::trying && phase_ != Phase::waiting) return;
  kind == LockFailure::contended ? contended(reason, now) : unavailable(reason, now);
}

void LockSupervisor::contended(const Failure& reason, Instant now) {
  was_answered_ = true;
  in_trouble_ = false;
  backoff_.reset();
  if (phase_ == Phase::waiting || is_over(now)) return give_up_contended(reason);
  wait(now);
}

void LockSupervisor::wait(Instant now) {
  phase_ = Phase::waiting;
  note(Talk::verbose, fmt::format("waiting for lock \"{}\"", plan_.key));
  orders_.emplace_back(Wait{wait_until_ ? std::optional(*wait_until_ - now) : std::nullopt});
}

void LockSupervisor::unavailable(const Failure& reason, Instant now) {
  last_trouble_ = reason.message + (reason.detail.empty() ? "" : ": " + reason.detail);
  const auto remedy = exit_code::remedy(reason.sqlstate);
  const bool hopeless = remedy == exit_code::Remedy::none ||
                        (remedy == exit_code::Remedy::retry_if_it_once_worked && !was_answered_);
  if (hopeless || is_over(now)) {
    note(Talk::quiet, last_trouble_);
    return finish(exit_code::of_sqlstate(reason.sqlstate));
  }
  if (!std::exchange(in_trouble_, true)) {
    note(was_answered_ ? Talk::quiet : Talk::verbose, reason.message + "; trying again");
  }
  phase_ = Phase::pausing;
  try_again_at_ = now + backoff_.next(random_);
  tick(now);
}

void LockSupervisor::give_up_contended(const Failure& reason) {
  const bool cancelled = reason.sqlstate == sqlstate::timed_out;
  note(Talk::normal,
       cancelled ? reason.message : fmt::format("lock \"{}\" is held by somebody else", plan_.key));
  finish(exit_code::not_in_time);
}

void LockSupervisor::give_up_unavailable(const std::string& what) {
  note(Talk::quiet, what + (last_trouble_.empty() ? "" : ": " + last_trouble_));
  finish(exit_code::unavailable);
}

void LockSupervisor::lost(const Failure& reason, Instant now) {
  if (phase_ != Phase::running || std::exchange(lost_, true)) return;
  note(Talk::normal, fmt::format("lock \"{}\" is lost ({}), ending the command", plan_.key, reason.message));
  // Another may hold it already, so a grace would be time with two holders.
  if (plan_.overlap > milliseconds(0)) orders_.emplace_back(Forward{SIGTERM});
  kill_by(now + plan_.overlap);
}

void LockSupervisor::ended(int code, Instant) {
  if (phase_ != Phase::running) return;
  code_ = code;
  note(Talk::verbose, fmt::format("the command ended with status {}", code));
  if (lost_) return finish(exit_code::lost);
  orders_.emplace_back(GiveBack{});
}

void LockSupervisor::given_back(bool was_held) {
  if (phase_ != Phase::running) return;
  if (was_held) return finish(code_);
  note(Talk::normal,
       fmt::format(
           "lock \"{}\" is lost; the command ended with status {}, but another may have held it meanwhile",
           plan_.key, code_));
  finish(exit_code::lost);
}

void LockSupervisor::signalled(int number, Instant now) {
  if (phase_ == Phase::finished) return;
  if (phase_ != Phase::running) {
    if (ends_waiting(number)) finish(exit_code::of_signal(number));
  } else if (asks_to_leave(number) && std::exchange(leaving_, true)) {
    kill_by(now);
  } else {
    orders_.emplace_back(Forward{number});
    if (asks_to_leave(number)) kill_by(now + plan_.grace);
  }
}

void LockSupervisor::kill_by(Instant when) {
  if (kill_at_ && *kill_at_ <= when) return;
  kill_at_ = when;
  orders_.emplace_back(KillAt{when});
}

void LockSupervisor::tick(Instant now) {
  const bool asking = phase_ == Phase::trying || phase_ == Phase::pausing;
  if (asking && !was_answered_ && now >= connect_by_) {
    return give_up_unavailable("the server did not answer in time");
  }
  if (phase_ != Phase::pausing) return;
  if (is_over(now)) return give_up_unavailable("the server could not be asked in time");
  if (now < try_again_at_) return;
  phase_ = Phase::trying;
  orders_.emplace_back(Try{});
}

std::optional<Instant> LockSupervisor::deadline() const {
  const std::optional<Instant> connect_by = was_answered_ ? std::nullopt : std::optional(connect_by_);
  if (phase_ == Phase::trying) return connect_by;
  if (phase_ != Phase::pausing) return std::nullopt;
  return std::min({try_again_at_, connect_by.value_or(try_again_at_), wait_until_.value_or(try_again_at_)});
}

void LockSupervisor::note(Talk from, std::string text) { orders_.emplace_back(Note{from, std::move(text)}); }

void LockSupervisor::finish(int code) {
  phase_ = Phase::finished;
  orders_.emplace_back(Exit{code});
}

std::vector<LockOrder> LockSupervisor::take_orders() { return std::exchange(orders_, {}); }

}  // namespace pgcoord::tool
