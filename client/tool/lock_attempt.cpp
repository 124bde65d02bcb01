#include "tool/lock_attempt.hpp"

#include <exception>
#include <functional>
#include <thread>
#include <utility>

#include "pgcoord/error.hpp"
#include "tool/connect.hpp"

namespace pgcoord::tool {

namespace {

constexpr Duration longest_explanation = std::chrono::seconds(3);

const char* const out_of_resources = "53000";

Failure failure_of(const Error& error) {
  return {error.sqlstate(), error.what(), error.detail(), error.hint()};
}

// A refusal for good, a wrong password say, must not be taken for a server that is not up yet.
Failure looked_into(const Access& access, const Failure& reason) {
  if (reason.sqlstate != sqlstate::cannot_connect) return reason;
  return explain(access, reason.message, longest_explanation);
}

LockNews outcome_of(const Access& access, const std::function<LockNews()>& attempt) {
  try {
    return attempt();
  } catch (const LockError& error) {
    return Denied{error.failure(), looked_into(access, failure_of(error))};
  } catch (const Error& error) {
    return Denied{LockFailure::unavailable, failure_of(error)};
  } catch (const std::exception& error) {
    return Denied{LockFailure::unavailable, {out_of_resources, error.what(), {}, {}}};
  }
}

}  // namespace

LockAttempts::LockAttempts(const Access& access, std::string key, std::shared_ptr<PgLockManager> manager,
                           std::shared_ptr<LockInbox> inbox)
    : access_(access), key_(std::move(key)), manager_(std::move(manager)), inbox_(std::move(inbox)) {}

void LockAttempts::begin(const Try&) const {
  std::thread([access = access_, key = key_, manager = manager_, inbox = inbox_] {
    inbox->post(outcome_of(access, [&]() -> LockNews {
      auto guard = manager->try_acquire(key);
      if (guard) return Granted{std::move(*guard)};
      return Denied{LockFailure::contended, {std::string(sqlstate::lock_not_available), {}, {}, {}}};
    }));
  }).detach();
}

void LockAttempts::begin(const Wait& order) const {
  std::thread([access = access_, key = key_, manager = manager_, inbox = inbox_, most = order.most] {
    inbox->post(outcome_of(access, [&]() -> LockNews { return Granted{manager->acquire(key, most)}; }));
  }).detach();
}

}  // namespace pgcoord::tool
