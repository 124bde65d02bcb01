#include "pgcoord/lock_guard.hpp"

#include <utility>

namespace pgcoord {

namespace {

void give_back(const std::shared_ptr<LockHold>& hold) noexcept {
  try {
    if (hold) hold->release();
  } catch (...) {  // who wants to know calls release()
  }
}

}  // namespace

LockHold::~LockHold() = default;

LockGuard::LockGuard(std::shared_ptr<LockHold> hold) : hold_(std::move(hold)) {}

LockGuard& LockGuard::operator=(LockGuard&& other) noexcept {
  if (this != &other) give_back(std::exchange(hold_, std::move(other.hold_)));
  return *this;
}

LockGuard::~LockGuard() { give_back(hold_); }

LockRelease LockGuard::release() { return hold_ ? hold_->release() : LockRelease::already_released; }

void LockGuard::hand_over() {
  if (hold_) hold_->hand_over();
}

}  // namespace pgcoord
