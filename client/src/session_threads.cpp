#include <algorithm>
#include <utility>

#include "pgcoord/error.hpp"
#include "session_impl.hpp"

namespace pgcoord::detail {

void SessionImpl::start() {
  if (!pumps_itself()) return;
  const std::lock_guard lock(threads_mutex_);
  pump_thread_ = std::thread([self = shared_from_this()] { self->run_pump(); });
  callback_thread_ = std::thread([self = shared_from_this()] { self->run_callbacks(); });
}

void SessionImpl::run_pump() {
  while (true) {
    step();
    {
      const std::lock_guard lock(mutex_);
      if (stop_ || core_.closed()) break;
    }
    waiter_.wait(socket(), wants_read(), wants_write(), next_deadline());
  }
  transport_.close();
  const std::lock_guard lock(mutex_);
  pump_ended_ = true;
  changed_.notify_all();
}

void SessionImpl::run_callbacks() {
  callback_thread_id_ = std::this_thread::get_id();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return untold_ || pump_ended_; });
    if (!untold_) return;
    untold_ = false;
    lock.unlock();
    callbacks.deliver(options.on_callback_error);
    lock.lock();
  }
}

/// Waits until `condition()` holds under the lock; without a thread of our own, by pumping.
template <typename Condition>
bool SessionImpl::wait_for(Duration timeout, Condition condition) {
  timeout = std::clamp<Duration>(timeout, Duration{}, std::chrono::hours(24 * 365));
  const auto deadline = BootClock::now() + timeout;
  std::unique_lock lock(mutex_);
  if (pumps_itself()) return changed_.wait_for(lock, timeout, condition);
  while (!condition()) {
    if (BootClock::now() >= deadline) return false;
    lock.unlock();
    step();
    const auto own = transport_.deadline();
    lock.lock();
    if (condition()) break;
    auto until = std::min(deadline, core_.deadline().value_or(deadline));
    if (own) until = std::min(until, *own);
    lock.unlock();
    waiter_.wait(socket(), wants_read(), wants_write(), until);
    lock.lock();
  }
  return true;
}

Reply SessionImpl::await(RequestId request, Duration timeout) {
  const auto answered = [&] { return answers_.contains(request); };
  if (!wait_for(timeout, answered)) {
    const std::lock_guard lock(mutex_);
    if (!answered()) {
      const bool unsent = core_.abandon(request, BootClock::now());
      const auto reason = unsent ? last_failure_ : std::nullopt;
      throw Error(unsent ? sqlstate::cannot_connect : sqlstate::timed_out,
                  unsent ? "server could not be asked in time" : "no answer in time",
                  reason ? reason->message : "");
    }
  }
  std::unique_lock lock(mutex_);
  Reply reply = std::move(answers_.extract(request).mapped());
  lock.unlock();
  if (!reply.failure) return reply;
  throw Error(reply.failure->sqlstate, reply.failure->message, reply.failure->detail, reply.failure->hint);
}

void SessionImpl::run_for(Duration duration) {
  require_usable();
  wait_for(duration, [this] { return pumps_itself() ? pump_ended_ : untold_ || core_.closed(); });
  if (!pumps_itself()) on_ready();
}

bool SessionImpl::wait_until_ready(Duration timeout) {
  require_usable();
  return wait_for(timeout, [this] { return core_.is_ready(); });
}

void SessionImpl::close(Duration timeout) {
  with_core([](SessionCore& core, Instant now) { core.close(now); });
  const bool ended = wait_for(timeout, [this] { return pumps_itself() ? pump_ended_ : core_.closed(); });
  if (!pumps_itself()) {
    transport_.close();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  waiter_.wake();
  if (ended && callback_thread_id_ != std::this_thread::get_id()) join();
}

void SessionImpl::join() {
  const std::lock_guard lock(threads_mutex_);
  if (pump_thread_.joinable()) pump_thread_.join();
  if (callback_thread_.joinable()) callback_thread_.join();
}

void SessionImpl::detach() {
  const std::lock_guard lock(threads_mutex_);
  if (pump_thread_.joinable()) pump_thread_.detach();
  if (callback_thread_.joinable()) callback_thread_.detach();
}

}  // namespace pgcoord::detail
