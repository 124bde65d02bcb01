#include "pgcoord/subscription_lifecycle.hpp"

#include <utility>
#include <vector>

#include "pgcoord/leadership_lease.hpp"

namespace pgcoord {

SubscriptionLifecycle::SubscriptionLifecycle(LeaderElector* elector, CallbackErrorHandler on_error)
    : elector_(elector), on_error_(std::move(on_error)) {}

void SubscriptionLifecycle::add(const std::string& name, Start start) {
  const std::lock_guard lock(mutex_);
  entries_[name] = {std::move(start), SubscriptionState::idle};
}

void SubscriptionLifecycle::set_state(const std::string& name, SubscriptionState state) {
  const std::lock_guard lock(mutex_);
  if (const auto found = entries_.find(name); found != entries_.end()) found->second.state = state;
}

void SubscriptionLifecycle::start(const std::string& name) {
  Start start;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(name);
    if (found == entries_.end()) throw Error(sqlstate::bad_argument, "no subscription \"" + name + "\"");
    if (found->second.state == SubscriptionState::running) return;
    start = found->second.start;
  }
  if (!verify_leadership_lease(elector_, on_error_)) {
    set_state(name, SubscriptionState::failed);
    throw Error(sqlstate::not_leader, "subscription \"" + name + "\" was not started",
                "\"" + elector_->identity() + "\" does not lead.");
  }
  try {
    start();
  } catch (...) {
    set_state(name, SubscriptionState::failed);
    throw;
  }
  set_state(name, SubscriptionState::running);
}

std::map<std::string, std::optional<Error>> SubscriptionLifecycle::start_all() {
  std::map<std::string, std::optional<Error>> outcome;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, entry] : entries_) outcome[name];
  }
  for (auto& [name, error] : outcome) {
    try {
      start(name);
    } catch (const Error& caught) {
      error = caught;
    } catch (const std::exception& caught) {
      error = Error("XX000", caught.what());
    }
  }
  return outcome;
}

std::optional<SubscriptionState> SubscriptionLifecycle::state(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end()) return std::nullopt;
  return found->second.state;
}

}  // namespace pgcoord
