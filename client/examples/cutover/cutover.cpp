#include "cutover/cutover.hpp"

#include <stdexcept>
#include <thread>
#include <utility>

#include "pgcoord/error.hpp"
#include "pgcoord/lock_key.hpp"

namespace cutover {

using pgcoord::BootClock;
using pgcoord::Instant;
using pgcoord::LockGuard;

namespace {

std::string key_of(const std::string& tenant) { return pgcoord::migration_lock_key(tenant, "cutover"); }

CutoverResult refusal(std::string message) { return {Outcome::refused, std::move(message), {}}; }

}  // namespace

Cutover::Cutover(pgcoord::LockManager& locks, BeginTerm begin_term, Routing& routing, CutoverOptions options)
    : locks_(locks), begin_term_(std::move(begin_term)), routing_(routing), options_(std::move(options)) {}

Readiness Cutover::readiness(const std::string& tenant) {
  try {
    if (auto reason = objection(tenant)) return {false, *reason};
    if (!locks_.try_acquire(key_of(tenant)))
      return {false, "Cutover lock is already held by another process"};
    return {true, {}};
  } catch (const std::exception& error) {
    return {false, std::string("Cutover cannot be judged: ") + error.what()};
  }
}

CutoverResult Cutover::execute(const std::string& tenant) {
  std::optional<LockGuard> lock;
  try {
    lock = locks_.acquire(key_of(tenant), options_.lock_timeout);
  } catch (const std::exception& error) {
    return refusal(std::string("Failed to acquire cutover lock: ") + error.what());
  }
  return under_lock(tenant, *lock);
}

CutoverResult Cutover::under_lock(const std::string& tenant, const LockGuard& lock) {
  std::unique_ptr<Term> term;
  try {
    if (auto reason = objection(tenant)) return refusal(*reason);
    begin(Step::term);
    term = begin_term_(key_of(tenant));
    if (!term) return refusal("An earlier cutover lost its lock and has not ended");
  } catch (const std::exception& error) {
    return refusal(error.what());
  }
  return under_term(tenant, lock, term->token());
}

CutoverResult Cutover::under_term(const std::string& tenant, const LockGuard& lock, std::int64_t token) {
  CutoverResult result;
  const auto begun = BootClock::now();
  try {
    move(tenant, lock, token, begun + options_.pause_budget);
    result.outcome = Outcome::switched;
  } catch (const std::exception& error) {
    result.message = error.what();
    result.outcome = settle(tenant, token, &result.message);
  }
  result.paused = BootClock::now() - begun;
  return result;
}

void Cutover::move(const std::string& tenant, const LockGuard& lock, std::int64_t token, Instant pause_end) {
  begin(Step::pause);
  routing_.pause(tenant, token, options_.pause_budget);
  begin(Step::check);
  catch_up(tenant, pause_end);
  begin(Step::route);
  if (!lock.is_held()) throw std::runtime_error("The cutover lock was lost");
  if (!routing_.switch_to_target(tenant, token)) throw std::runtime_error("The pause was over");
  try {
    begin(Step::resume);
    routing_.resume(tenant, token);
  } catch (const std::exception&) {
    // It is switched. The pause ends by itself.
  }
}

void Cutover::catch_up(const std::string& tenant, Instant pause_end) {
  for (auto lag = routing_.lag(tenant); lag > 0; lag = routing_.lag(tenant)) {
    if (BootClock::now() >= pause_end) {
      throw std::runtime_error("The target lacked " + std::to_string(lag) +
                               " events when the pause was over");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

/// After a failure: writes go on, where routing says. That is asked for, since a switch whose answer was lost
/// may have been made, or may be on its way until resume() has changed the same row.
Outcome Cutover::settle(const std::string& tenant, std::int64_t token, std::string* message) {
  bool settled = false;
  try {
    routing_.resume(tenant, token);
    settled = true;
  } catch (const pgcoord::Error& error) {
    settled = error.sqlstate() == "PC002";  // a newer term is in charge, nothing of ours can commit any more
    *message += std::string("; writes resume when the pause is over: ") + error.what();
  }
  try {
    if (routing_.state(tenant) == RoutingState::migrated) return Outcome::switched;
  } catch (const pgcoord::Error& error) {
    *message += std::string("; routing is not known: ") + error.what();
    return Outcome::unknown;
  }
  return settled ? Outcome::rolled_back : Outcome::unknown;
}

std::optional<std::string> Cutover::objection(const std::string& tenant) {
  const auto state = routing_.state(tenant);
  if (state == RoutingState::migrated) return "The tenant is migrated already";
  if (state == RoutingState::normal) return "The target does not get the tenant's events yet";
  const auto lag = routing_.lag(tenant);
  if (lag > options_.ready_lag) return "The target lacks " + std::to_string(lag) + " events";
  return std::nullopt;
}

void Cutover::begin(Step step) {
  if (options_.on_step) options_.on_step(step);
}

}  // namespace cutover
