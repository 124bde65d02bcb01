#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

namespace pgcoord {

/// Names one registration: functions cannot be compared, so removal goes by this.
enum class CallbackId : std::uint64_t {};

/// Told about an exception that a callback let out; the next callback runs all the same.
using CallbackErrorHandler = std::function<void(std::exception_ptr)>;

/// Callbacks, and the changes they still have to hear about.
///
/// Every change is told in the order of post(), to the callbacks in the order of registration, and
/// never under a lock: a callback may add, remove (itself too), post and deliver. One that is
/// removed is not started again, but may still be running when remove() returns on another thread.
/// One that is added hears of the changes whose telling has not begun. Any thread may call anything.
template <typename... Args>
class CallbackList {
 public:
  using Callback = std::function<void(Args...)>;

  CallbackId add(Callback callback) {
    const std::lock_guard lock(mutex_);
    const auto id = CallbackId{++last_id_};
    entries_.emplace_back(id, std::move(callback));
    return id;
  }

  /// False if there is no such registration (any more).
  bool remove(CallbackId id) {
    const std::lock_guard lock(mutex_);
    return std::erase_if(entries_, [id](const Entry& entry) { return entry.first == id; }) > 0;
  }

  [[nodiscard]] bool empty() const {
    const std::lock_guard lock(mutex_);
    return entries_.empty();
  }

  /// Queues a change. Call it under the lock that guards the change, so that the order is right.
  void post(Args... args) {
    const std::lock_guard lock(mutex_);
    pending_.emplace_back(std::move(args)...);
  }

  /// Tells what is queued; call it with no lock held. If another thread, or a frame further up in
  /// this one, is telling already, that one does it and this returns at once.
  void deliver(const CallbackErrorHandler& on_error = {}) {
    std::unique_lock lock(mutex_);
    if (std::exchange(delivering_, true)) return;
    while (!pending_.empty()) {
      const auto change = std::move(pending_.front());
      pending_.pop_front();
      tell(lock, change, on_error);
    }
    delivering_ = false;
  }

 private:
  using Entry = std::pair<CallbackId, Callback>;

  void tell(std::unique_lock<std::mutex>& lock, const std::tuple<Args...>& change,
            const CallbackErrorHandler& on_error) {
    const auto round = entries_;
    for (const Entry& entry : round) {
      if (!registered(entry.first)) continue;
      lock.unlock();
      call(entry.second, change, on_error);
      lock.lock();
    }
  }

  [[nodiscard]] bool registered(CallbackId id) const {
    return std::any_of(entries_.begin(), entries_.end(),
                       [id](const Entry& entry) { return entry.first == id; });
  }

  static void call(const Callback& callback, const std::tuple<Args...>& change,
                   const CallbackErrorHandler& on_error) noexcept {
    try {
      std::apply(callback, change);
    } catch (...) {
      report(on_error, std::current_exception());
    }
  }

  static void report(const CallbackErrorHandler& on_error, std::exception_ptr error) noexcept {
    try {
      if (on_error) on_error(std::move(error));
    } catch (...) {  // a handler that throws has had its chance
    }
  }

  mutable std::mutex mutex_;  // guards everything below
  std::vector<Entry> entries_;
  std::deque<std::tuple<Args...>> pending_;
  std::uint64_t last_id_ = 0;
  bool delivering_ = false;
};

}  // namespace pgcoord
