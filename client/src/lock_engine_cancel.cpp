#include <algorithm>
#include <array>
#include <utility>

#include "lock_engine.hpp"
#include "lock_failures.hpp"

namespace pgcoord::detail {

namespace {

/// The server ends a wait at its bound; the answer needs a moment.
constexpr auto grace = std::chrono::milliseconds(200);
/// A request to cancel that comes before its statement has begun is lost.
constexpr auto cancel_again_after = std::chrono::milliseconds(50);

const Failure unanswered{std::string(sqlstate::timed_out), "server could not be asked in time", {}, {}};

}  // namespace

void LockEngine::await(Lock& lock, const AskPointer& ask, const std::stop_token& stop) {
  const auto over = [&] { return ask->done || stop.stop_requested() || closed_; };
  if (ask->deadline) {
    // The server itself ends a wait that has begun.
    if (!ask->changed.wait_until(lock, *ask->deadline, over) && waiting_link(*ask)) {
      ask->changed.wait_until(lock, *ask->deadline + grace, over);
    }
  } else {
    ask->changed.wait(lock, over);
  }
  if (ask->done) return;
  if (closed_) return give_up(lock, ask, LockFailure::unavailable, closed_failure(), true);
  if (stop.stop_requested()) return give_up(lock, ask, LockFailure::contended, stopped_failure(), true);
  if (!ask->contended) return give_up(lock, ask, LockFailure::unavailable, unanswered, false);
  const Failure late{std::string(sqlstate::lock_not_available), "canceling statement due to timeout", {}, {}};
  give_up(lock, ask, LockFailure::contended, late, false);
}

void LockEngine::give_up(Lock& lock, const AskPointer& ask, LockFailure kind, const Failure& reason,
                         bool at_once) {
  ask->abandoned = true;
  for (const auto& link : links_) {
    std::erase_if(link->queue, [&](const LockOp& op) { return op.ask == ask; });
    if (link->running && link->running->ask == ask && !link->answer_by) {
      link->answer_by = BootClock::now() + options.answer_timeout;
    }
  }
  poll_.wake();
  while (at_once) {
    const auto link = waiting_link(*ask);
    if (!link) break;
    cancel(lock, link);
    ask->changed.wait_for(lock, cancel_again_after, [&] { return ask->done; });
  }
  ask->kind = kind;
  ask->reason = reason;
}

LinkPointer LockEngine::waiting_link(const LockAsk& ask) const {
  for (const auto& link : links_) {
    if (link->waits() && link->running->ask.get() == &ask) return link;
  }
  return nullptr;
}

void LockEngine::cancel(Lock& lock, const LinkPointer& link) {
  const auto handle = link->cancel;
  ++link->cancels;
  lock.unlock();
  std::array<char, 256> ignored{};
  PQcancel(handle.get(), ignored.data(), static_cast<int>(ignored.size()));
  lock.lock();
  --link->cancels;
  poll_.wake();
}

/// Waits for a lock's way back, and takes its connection from a thread that waits on it.
void LockEngine::interrupt(Lock& lock, const GiveBackPointer& give_back) {
  const auto& held = give_back->held;
  for (const auto& link : links_) {
    if (!link->waits() || std::find(link->holds.begin(), link->holds.end(), held) == link->holds.end())
      continue;
    if (!std::exchange(link->running->interrupted, true)) {
      // If the server cannot be made to leave its queue, its session ends, and gives the lock back so.
      const auto latest = BootClock::now() + options.answer_timeout;
      link->answer_by = std::min(link->answer_by.value_or(latest), latest);
    }
    const LinkPointer kept = link;
    cancel(lock, kept);
    break;
  }
  give_back->changed.wait_for(lock, cancel_again_after, [&] { return give_back->outcome.has_value(); });
}

void LockEngine::close() {
  Lock lock(mutex_);
  if (std::exchange(closed_, true)) return;
  for (const auto& link : links_) {
    for (const auto& op : link->queue) {
      if (op.ask) op.ask->changed.notify_all();
    }
    if (link->running && link->running->ask) link->running->ask->changed.notify_all();
  }
  changed_.wait_for(lock, options.close_timeout, [this] { return callers_ == 0; });
  for (const auto& held : held_.by_age()) {
    held->state = HoldState::released;
    held->end_span();
    held_.remove(*held);
  }
  stop_ = true;
  poll_.wake();
  changed_.notify_all();
  auto io = std::move(io_thread_);
  auto teller = std::move(teller_);
  lock.unlock();
  if (io.joinable()) io.join();
  if (!teller.joinable()) return;
  // Closed by a callback: its thread keeps this alive and ends by itself.
  teller.get_id() == std::this_thread::get_id() ? teller.detach() : teller.join();
}

void LockEngine::abandon() noexcept {
  for (const auto& link : links_) link->connection.abandon();
  poll_.abandon();
}

}  // namespace pgcoord::detail
