#include "lock_engine.hpp"

#include <algorithm>
#include <utility>

#include "lock_failures.hpp"
#include "pgcoord/leadership_cell.hpp"
#include "pgcoord/lock_key.hpp"

namespace pgcoord::detail {

namespace {

constexpr Duration longest_wait = std::chrono::hours(24 * 365);

LockOptions checked(LockOptions options) {
  check(options);
  return options;
}

}  // namespace

LockEngine::LockEngine(LockOptions given)
    : options(checked(std::move(given))), fork_generation_(fork_generation()), hosts_(lock_hosts(options)) {}

LockEngine::~LockEngine() = default;

bool LockEngine::forked() const noexcept { return fork_generation() != fork_generation_; }

void LockEngine::require_usable(std::string_view key) const {
  if (forked()) {
    throw Error(sqlstate::not_usable, "lock manager was inherited through fork()", {},
                "Create one of its own in the child.");
  }
  if (key.find('\0') != std::string_view::npos) {
    throw Error(sqlstate::bad_argument, "invalid lock key", "It contains a zero byte.");
  }
}

HeldLockPointer LockEngine::acquire(std::string_view key, LockManager::Timeout timeout,
                                    const std::stop_token& stop) {
  require_usable(key);
  const auto ask = std::make_shared<LockAsk>();
  ask->key = key;
  ask->id = lock_key(key);
  ask->thread = std::this_thread::get_id();
  ask->waits = !timeout || *timeout > Duration::zero();
  if (timeout && ask->waits) ask->deadline = BootClock::now() + std::min(*timeout, longest_wait);
  // Through the mutex, so that the waiting thread cannot miss it between looking and sleeping.
  const std::stop_callback wake(stop, [this, &ask] {
    { const std::lock_guard lock(mutex_); }
    ask->changed.notify_all();
  });
  Lock lock(mutex_);
  if (!timeout) refuse_deadlock(*ask);
  run(lock, ask, stop);
  if (!ask->held && !ask->kind) fail(*ask, LockFailure::contended, timeout_failure(*timeout));
  return outcome(*ask, timeout);
}

HeldLockPointer LockEngine::try_acquire(std::string_view key) {
  require_usable(key);
  const auto ask = std::make_shared<LockAsk>();
  ask->key = key;
  ask->id = lock_key(key);
  ask->thread = std::this_thread::get_id();
  Lock lock(mutex_);
  run(lock, ask, {});
  return outcome(*ask, std::nullopt);
}

void LockEngine::refuse_deadlock(const LockAsk& ask) const {
  const auto holder = [this](std::string_view key) {
    const auto held = held_.find(key);
    return held ? held->thread.load() : std::thread::id();
  };
  if (waits_.would_close(ask.thread, ask.key, holder)) {
    throw LockError(LockFailure::contended, ask.key, deadlock_failure());
  }
}

void LockEngine::begin() {
  if (!io_thread_.joinable()) io_thread_ = std::thread([this] { run_io(); });
}

void LockEngine::run(Lock& lock, const AskPointer& ask, const std::stop_token& stop) {
  if (closed_) return fail(*ask, LockFailure::unavailable, closed_failure());
  begin();
  ++callers_;
  const bool endless = ask->waits && !ask->deadline;
  if (endless) waits_.begin(ask->thread, ask->key);
  place_try(ask);
  poll_.wake();
  await(lock, ask, stop);
  if (endless) waits_.end(ask->thread);
  if (--callers_ == 0) changed_.notify_all();
}

HeldLockPointer LockEngine::outcome(const LockAsk& ask, LockManager::Timeout timeout) const {
  if (ask.held || !ask.kind) return ask.held;
  auto reason = ask.reason;
  if (timeout && reason.sqlstate == sqlstate::lock_not_available) reason = timeout_failure(*timeout);
  throw LockError(*ask.kind, ask.key, reason, timeout);
}

GiveBackPointer LockEngine::start_give_back(const HeldLockPointer& held) {
  if (!held->is_held()) return nullptr;
  held->state = HoldState::released;
  held_.remove(*held);
  auto give_back = std::make_shared<LockGiveBack>();
  give_back->held = held;
  if (LockLink* const link = link_of(held)) {
    place_unlock(*link, held->info().key, give_back);
    poll_.wake();
  } else {
    give_back->outcome = LockRelease::lost;
  }
  return give_back;
}

LockRelease LockEngine::finish_give_back(Lock& lock, const GiveBackPointer& give_back) {
  while (!give_back->outcome) interrupt(lock, give_back);
  if (give_back->outcome == LockRelease::lost) give_back->held->state = HoldState::lost;
  give_back->held->end_span(give_back->outcome == LockRelease::lost ? "the lock was lost" : "");
  return *give_back->outcome;
}

LockRelease LockEngine::give_back(const HeldLockPointer& held) {
  if (forked()) return LockRelease::lost;
  auto span = release_span(options.tracer.get(), held->info());
  Lock lock(mutex_);
  const auto started = start_give_back(held);
  if (!started) return held->answer();
  const auto released = finish_give_back(lock, started);
  set_outcome(span, released);
  return released;
}

void LockEngine::release(std::string_view key) {
  require_usable(key);
  HeldLockPointer found;
  {
    const std::lock_guard lock(mutex_);
    found = held_.find(key);
    if (!found && held_.take_loss(key)) throw_lost(key);
  }
  const auto answer = found ? give_back(found) : LockRelease::already_released;
  if (answer == LockRelease::lost) throw_lost(key);
  if (answer == LockRelease::already_released) throw_not_held(key);
}

int LockEngine::release_all() {
  require_usable({});
  Lock lock(mutex_);
  std::vector<GiveBackPointer> started;
  for (const auto& held : held_.by_age()) started.push_back(start_give_back(held));
  int released = 0;
  for (const auto& each : started) {
    auto span = release_span(options.tracer.get(), each->held->info());
    const auto answer = finish_give_back(lock, each);
    set_outcome(span, answer);
    released += answer == LockRelease::released ? 1 : 0;
  }
  return released;
}

bool LockEngine::is_held(std::string_view key) const {
  if (forked()) return false;
  const std::lock_guard lock(mutex_);
  return held_.find(key) != nullptr;
}

std::size_t LockEngine::held_lock_count() const {
  if (forked()) return 0;
  const std::lock_guard lock(mutex_);
  return held_.size();
}

std::size_t LockEngine::connection_count() const {
  if (forked()) return 0;
  const std::lock_guard lock(mutex_);
  return links_.size();
}

int LockEngine::socket_of(std::string_view key) const {
  if (forked()) return -1;
  const std::lock_guard lock(mutex_);
  const auto held = held_.find(key);
  const LockLink* const link = held ? link_of(held) : nullptr;
  return link ? link->connection.socket() : -1;
}

}  // namespace pgcoord::detail
