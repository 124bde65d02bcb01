#include "tool/supervisor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "pgcoord/error.hpp"
#include "tool/exit_code.hpp"
#include "tool/signals.hpp"

namespace pgcoord::tool {

Supervisor::Supervisor(const ElectPlan& plan, Duration connect_timeout, Instant now)
    : plan_(plan), margin_(margin_for(plan.timeout)), connect_by_(now + connect_timeout) {
  if (plan_.wait) wait_until_ = now + *plan_.wait;
}

void Supervisor::joined() {
  if (!has_joined_ || in_trouble_) {
    note(Talk::verbose, fmt::format("joined as \"{}\", waiting to lead \"{}\"", plan_.id, plan_.election));
  }
  has_joined_ = true;
  in_trouble_ = false;
}

void Supervisor::trouble(const Failure& failure, Instant now) {
  if (phase_ == Phase::finished || failure.sqlstate == sqlstate::lock_not_available) return;
  last_trouble_ = failure.message + (failure.detail.empty() ? "" : ": " + failure.detail);
  const auto remedy = exit_code::remedy(failure.sqlstate);
  const bool hopeless = remedy == exit_code::Remedy::none ||
                        (remedy == exit_code::Remedy::retry_if_it_once_worked && !has_joined_);
  if (hopeless && phase_ == Phase::waiting) {
    note(Talk::quiet, last_trouble_);
    return finish(exit_code::of_sqlstate(failure.sqlstate));
  }
  if (!std::exchange(in_trouble_, true)) {
    const bool tries_again = phase_ == Phase::waiting || !plan_.once;
    note(has_joined_ ? Talk::quiet : Talk::verbose, failure.message + (tries_again ? "; trying again" : ""));
  }
  tick(now);
}

// At the deadline the server hands over, so the command must be gone by then.
void Supervisor::drained(std::string_view intent, Instant deadline, Instant now) {
  if (phase_ == Phase::finished || leaving_) return;
  leaving_ = drained_ = true;
  note(Talk::normal,
       fmt::format("told to leave ({}){}", intent, has_command() ? ", ending the command" : ""));
  if (phase_ == Phase::waiting) return finish(exit_code::drained);
  const Instant stop_by = std::max(now, std::min(now + plan_.grace, deadline - margin_));
  end_command(SIGTERM, phase_ == Phase::ending ? std::min(stop_by_, stop_by) : stop_by);
}

void Supervisor::renewed(Token token, Instant until, Instant now) {
  if (phase_ == Phase::finished || token <= over_) return;
  in_trouble_ = false;
  if (has_command() && token != token_) lost(token_, LossCause::superseded, now);
  leads_ = token;
  until_ = std::max(until_, until);
  if (phase_ == Phase::waiting) return start_if_leading(now);
  if (token == token_) order_kill();
  tick(now);
}

void Supervisor::lost(Token token, LossCause cause, Instant now) {
  over_ = std::max(over_, token);
  if (leads_ && *leads_ <= over_) leads_.reset();
  if (has_command() && token == token_) lose(fmt::format("leadership lost ({})", to_string(cause)), now);
}

// Another may lead already, so a grace would be time with two leaders.
void Supervisor::lose(const std::string& why, Instant now) {
  const Instant stop_by = now + plan_.overlap;
  if (phase_ == Phase::ending) {
    stop_by_ = std::min(stop_by_, stop_by);
    return order_kill();
  }
  note(Talk::normal, why + ", ending the command");
  if (plan_.overlap > milliseconds(0)) return end_command(SIGTERM, stop_by);
  phase_ = Phase::ending;
  stop_by_ = now;
  order_kill();
}

void Supervisor::ended(int code, Instant now) {
  if (!has_command()) return;
  const bool too_late = leads_ == token_ && now >= until_ - margin_;
  if (phase_ == Phase::running && too_late) lose("no heartbeat was answered in time", now);
  const bool by_itself = phase_ == Phase::running;
  if (by_itself) note(Talk::verbose, fmt::format("the command ended with status {}", code));
  if (drained_) return finish(exit_code::drained);
  if (by_itself || leaving_) return finish(code);
  if (plan_.once) return finish(exit_code::lost);
  phase_ = Phase::waiting;
  note(Talk::verbose, fmt::format("the command is gone, waiting to lead \"{}\" again", plan_.election));
  start_if_leading(now);
}

void Supervisor::start_if_leading(Instant now) {
  if (!leads_ || now >= foresee_at()) return;
  phase_ = Phase::running;
  token_ = *leads_;
  ordered_ = kill_at();
  wait_until_.reset();
  note(Talk::verbose, fmt::format("leading \"{}\", token {}", plan_.election, token_.value));
  orders_.emplace_back(Start{token_, ordered_});
}

void Supervisor::signalled(int number, Instant now) {
  if (phase_ == Phase::finished) return;
  if (phase_ == Phase::waiting) {
    if (ends_waiting(number)) finish(exit_code::of_signal(number));
    return;
  }
  if (!asks_to_leave(number)) {
    orders_.emplace_back(Forward{number});
  } else if (std::exchange(leaving_, true)) {
    stop_by_ = now;
    order_kill();
  } else {
    const Instant stop_by = now + plan_.grace;
    end_command(number, phase_ == Phase::ending ? std::min(stop_by_, stop_by) : stop_by);
  }
}

void Supervisor::end_command(int signal, Instant stop_by) {
  phase_ = Phase::ending;
  stop_by_ = stop_by;
  orders_.emplace_back(Forward{signal});
  order_kill();
}

void Supervisor::tick(Instant now) {
  if (phase_ == Phase::waiting && wait_until_ && now >= *wait_until_) {
    note(Talk::normal, "did not lead in time" + (in_trouble_ ? ": " + last_trouble_ : ""));
    return finish(exit_code::not_in_time);
  }
  if (phase_ == Phase::waiting && !has_joined_ && now >= connect_by_) {
    note(Talk::quiet, "could not join in time" + (last_trouble_.empty() ? "" : ": " + last_trouble_));
    return finish(exit_code::unavailable);
  }
  if (phase_ == Phase::running && now >= foresee_at()) {
    note(Talk::normal, "heartbeats are not answered, ending the command before leadership is lost");
    end_command(SIGTERM, now + plan_.grace);
  }
}

Instant Supervisor::kill_at() const {
  const bool held = leads_ == token_;
  if (phase_ == Phase::running) return until_ - margin_;
  return held ? std::min(stop_by_, until_ - margin_) : stop_by_;
}

Instant Supervisor::foresee_at() const { return until_ - margin_ - plan_.grace; }

void Supervisor::order_kill() {
  const Instant when = kill_at();
  if (when == ordered_) return;
  ordered_ = when;
  orders_.emplace_back(KillAt{when});
}

std::optional<Instant> Supervisor::deadline() const {
  if (phase_ == Phase::running) return foresee_at();
  if (phase_ != Phase::waiting) return std::nullopt;
  if (has_joined_) return wait_until_;
  return wait_until_ ? std::min(*wait_until_, connect_by_) : connect_by_;
}

void Supervisor::note(Talk from, std::string text) { orders_.emplace_back(Note{from, std::move(text)}); }

void Supervisor::finish(int code) {
  phase_ = Phase::finished;
  orders_.emplace_back(Exit{code});
}

std::vector<Order> Supervisor::take_orders() { return std::exchange(orders_, {}); }

}  // namespace pgcoord::tool
