#include <algorithm>
#include <utility>

#include "lock_engine.hpp"
#include "lock_failures.hpp"

namespace pgcoord::detail {

using Kind = LockOp::Kind;
using Phase = LockConnection::Phase;

namespace {

/// What the server takes as a bound; beyond it we end the wait ourselves.
constexpr auto longest_server_wait = std::chrono::hours(23);

std::optional<std::string> server_bound(const LockAsk& ask, Instant now) {
  if (!ask.deadline || *ask.deadline - now > longest_server_wait) return std::nullopt;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*ask.deadline - now);
  return std::to_string(std::max<std::int64_t>(left.count(), 1));
}

}  // namespace

void LockEngine::run_io() {
  Lock lock(mutex_);
  while (!stop_) {
    open_links(lock);
    step_links(BootClock::now());
    drop_spares(BootClock::now());
    const auto deadline = next_deadline();
    std::vector<pollfd> sockets;
    for (const auto& link : links_)
      sockets.push_back({link->connection.socket(), link->connection.events(), 0});
    lock.unlock();
    poll_.wait(std::move(sockets), deadline);
    lock.lock();
  }
  for (const auto& link : std::exchange(links_, {})) {
    break_off(*link, closed_failure());
    on_broken(*link);
  }
}

/// Without the mutex, since name resolution takes its time.
void LockEngine::open_links(Lock& lock) {
  const auto unopened = [](const LinkPointer& link) { return link->connection.phase() == Phase::opening; };
  while (!stop_) {
    const auto found = std::find_if(links_.begin(), links_.end(), unopened);
    if (found == links_.end()) return;
    const LinkPointer link = *found;
    lock.unlock();
    auto started = link->connection.start();
    lock.lock();
    link->connection.begin(std::move(started), BootClock::now());
  }
}

void LockEngine::step_links(Instant now) {
  for (const auto& link : std::vector<LinkPointer>(links_)) step(*link, now);
}

void LockEngine::step(LockLink& link, Instant now) {
  link.connection.step(now);
  if (link.connection.phase() == Phase::ready && !link.cancel) {
    link.cancel = link.connection.cancel_handle();
    link.last_used = now;
  }
  if (const auto answer = link.connection.take_answer()) {
    link.last_used = now;
    on_answer(link, answer.get());
  }
  if (link.answer_by && now >= *link.answer_by) {
    break_off(link, {std::string(sqlstate::connection_lost), "server did not answer in time", {}, {}});
  }
  if (link.connection.phase() == Phase::broken) {
    const auto itself = std::find_if(links_.begin(), links_.end(),
                                     [&](const LinkPointer& other) { return other.get() == &link; });
    const LinkPointer kept = *itself;
    links_.erase(itself);
    return on_broken(link);
  }
  if (link.connection.phase() != Phase::ready || link.cancels > 0) return;
  check_idle(link, now);
  send_next(link, now);
}

void LockEngine::check_idle(LockLink& link, Instant now) {
  const bool idle = link.has_nothing_to_do() && !link.holds.empty() && options.check_interval.count() > 0;
  if (idle && now >= link.last_used + options.check_interval) link.queue.push_back({Kind::check, {}, {}, {}});
}

void LockEngine::send_next(LockLink& link, Instant now) {
  if (link.running || link.queue.empty()) return;
  link.running = std::move(link.queue.front());
  link.queue.pop_front();
  link.answer_by = now + options.answer_timeout;
  send(link, now);
}

void LockEngine::send(LockLink& link, Instant now) {
  const LockOp& op = *link.running;
  switch (op.kind) {
    case Kind::try_lock:
      return link.connection.send("SELECT coord.try_lock($1)", {op.key});
    case Kind::unlock:
      return link.connection.send("SELECT coord.unlock($1)", {op.key});
    case Kind::check:
      return link.connection.send("SELECT", {});
    case Kind::wait:
      break;
  }
  const auto bound = server_bound(*op.ask, now);
  if (bound) {
    *link.answer_by += std::chrono::milliseconds(std::stoll(*bound));
  } else {
    link.answer_by.reset();
  }
  link.connection.send("CALL coord.lock($1, ($2::text || ' ms')::interval)", {op.key, bound});
}

void LockEngine::drop_spares(Instant now) {
  const auto is_spare = [](const LinkPointer& link) {
    return link->is_spare() && link->connection.phase() == Phase::ready;
  };
  auto spares = static_cast<std::size_t>(std::count_if(links_.begin(), links_.end(), is_spare));
  for (std::size_t at = links_.size(); at-- > 0 && links_.size() > 1;) {
    if (!is_spare(links_[at])) continue;
    const bool old = now >= links_[at]->last_used + options.spare_lifetime;
    if (!old && spares <= options.max_spare_connections + 1) continue;
    links_.erase(links_.begin() + static_cast<std::ptrdiff_t>(at));
    --spares;
  }
}

std::optional<Instant> LockEngine::deadline_of(const LockLink& link) const {
  if (link.connection.phase() == Phase::opening) return Instant{};
  if (const auto deadline = link.connection.deadline()) return deadline;
  const bool ready = link.connection.phase() == Phase::ready && link.cancels == 0;
  if (ready && !link.running && !link.queue.empty()) return Instant{};
  if (link.answer_by) return link.answer_by;
  if (link.has_nothing_to_do() && !link.holds.empty() && options.check_interval.count() > 0) {
    return link.last_used + options.check_interval;
  }
  if (link.is_spare() && links_.size() > 1) return link.last_used + options.spare_lifetime;
  return std::nullopt;
}

std::optional<Instant> LockEngine::next_deadline() const {
  std::optional<Instant> next;
  for (const auto& link : links_) {
    const auto own = deadline_of(*link);
    if (own && (!next || *own < *next)) next = own;
  }
  return next;
}

CallbackId LockEngine::on_lost(LockLostCallback callback) {
  require_usable({});
  const std::lock_guard lock(mutex_);
  if (!teller_.joinable() && !closed_) {
    teller_ = std::thread([self = shared_from_this()] { self->run_teller(); });
  }
  return lost_.add(std::move(callback));
}

void LockEngine::run_teller() {
  Lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return untold_ || stop_; });
    if (!untold_) return;
    untold_ = false;
    lock.unlock();
    lost_.deliver(options.on_callback_error);
    lock.lock();
  }
}

}  // namespace pgcoord::detail
