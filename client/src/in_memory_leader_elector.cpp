#include "pgcoord/in_memory_leader_elector.hpp"

#include <utility>

#include "names.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

InMemoryLeaderElector::InMemoryLeaderElector(std::string identity, std::shared_ptr<SharedLeaderState> state,
                                             CallbackErrorHandler on_callback_error)
    : state_(std::move(state)), seat_(std::make_shared<SharedLeaderState::Seat>()) {
  detail::check_name("identity", identity);
  if (!state_) throw Error(sqlstate::bad_argument, "missing shared leader state");
  seat_->identity = std::move(identity);
  seat_->on_callback_error = std::move(on_callback_error);
}

std::unique_ptr<InMemoryLeaderElector> InMemoryLeaderElector::alone(std::string identity) {
  return std::make_unique<InMemoryLeaderElector>(std::move(identity), std::make_shared<SharedLeaderState>());
}

InMemoryLeaderElector::~InMemoryLeaderElector() {
  const std::lock_guard lock(state_->mutex_);
  if (state_->holder_ != seat_) return;
  state_->holder_.reset();
  state_->leader_.reset();
}

std::string InMemoryLeaderElector::identity() const { return seat_->identity; }

bool InMemoryLeaderElector::is_leader() const { return state_->held_by(seat_.get()); }

std::optional<std::string> InMemoryLeaderElector::current_leader() const { return state_->current_leader(); }

bool InMemoryLeaderElector::try_acquire(Duration) { return state_->take(seat_); }

void InMemoryLeaderElector::release() { state_->vacate(seat_); }

bool InMemoryLeaderElector::renew() { return is_leader(); }

CallbackId InMemoryLeaderElector::on_leader_change(LeaderChangeCallback callback) {
  return seat_->callbacks.add(std::move(callback));
}

bool InMemoryLeaderElector::remove_leader_change_callback(CallbackId id) {
  return seat_->callbacks.remove(id);
}

std::optional<Token> InMemoryLeaderElector::token() const { return state_->token_of(seat_.get()); }

void InMemoryLeaderElector::force_lose_leadership() { state_->vacate(seat_); }

}  // namespace pgcoord
