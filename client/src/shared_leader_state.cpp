#include "pgcoord/shared_leader_state.hpp"

#include <utility>

namespace pgcoord {

std::optional<std::string> SharedLeaderState::current_leader() const {
  const std::lock_guard lock(mutex_);
  return leader_;
}

void SharedLeaderState::set_current_leader(std::string name) { replace(std::move(name)); }

void SharedLeaderState::clear() { replace(std::nullopt); }

bool SharedLeaderState::take(const SeatPointer& seat) {
  {
    const std::lock_guard lock(mutex_);
    if (holder_ == seat) return true;
    if (leader_) return false;
    leader_ = seat->identity;
    holder_ = seat;
    ++token_.value;
    seat->callbacks.post(true);
  }
  seat->callbacks.deliver(seat->on_callback_error);
  return true;
}

bool SharedLeaderState::vacate(const SeatPointer& seat) {
  {
    const std::lock_guard lock(mutex_);
    if (holder_ != seat) return false;
    leader_.reset();
    holder_.reset();
    seat->callbacks.post(false);
  }
  seat->callbacks.deliver(seat->on_callback_error);
  return true;
}

bool SharedLeaderState::held_by(const Seat* seat) const {
  const std::lock_guard lock(mutex_);
  return holder_.get() == seat;
}

std::optional<Token> SharedLeaderState::token_of(const Seat* seat) const {
  const std::lock_guard lock(mutex_);
  if (holder_.get() != seat) return std::nullopt;
  return token_;
}

void SharedLeaderState::replace(std::optional<std::string> name) {
  SeatPointer former;
  {
    const std::lock_guard lock(mutex_);
    leader_ = std::move(name);
    if (leader_) ++token_.value;
    former = std::exchange(holder_, nullptr);
    if (former) former->callbacks.post(false);
  }
  if (former) former->callbacks.deliver(former->on_callback_error);
}

}  // namespace pgcoord
