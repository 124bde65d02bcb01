#include "pgcoord/pg_lock_manager.hpp"

#include <memory>
#include <new>
#include <utility>

#include "lock_engine.hpp"
#include "pgcoord/lock_key.hpp"

namespace pgcoord {

PgLockManager::PgLockManager(LockOptions options)
    : engine_(std::make_shared<detail::LockEngine>(std::move(options))) {}

PgLockManager::~PgLockManager() {
  if (!engine_->forked()) {
    engine_->close();
    return;
  }
  // Its threads and its connections are the parent's: leave them alone.
  engine_->abandon();
  static_cast<void>(new (std::nothrow) std::shared_ptr<detail::LockEngine>(std::move(engine_)));
}

LockGuard PgLockManager::acquire(std::string_view key, Timeout timeout, std::stop_token stop) {
  Tracer* const tracer = engine_->options.tracer.get();
  detail::AcquireSpan span(tracer, key, lock_key(key), timeout);
  try {
    auto held = engine_->acquire(key, timeout, stop);
    span.granted();
    held->begin_span(detail::hold_span(tracer, held->info()));
    return LockGuard(std::move(held));
  } catch (const Error& error) {
    span.failed(error.what());
    throw;
  }
}

std::optional<LockGuard> PgLockManager::try_acquire(std::string_view key) {
  Tracer* const tracer = engine_->options.tracer.get();
  detail::AcquireSpan span(tracer, key, lock_key(key), Duration::zero());
  try {
    auto held = engine_->try_acquire(key);
    if (!held) return std::nullopt;
    span.granted();
    held->begin_span(detail::hold_span(tracer, held->info()));
    return LockGuard(std::move(held));
  } catch (const Error& error) {
    span.failed(error.what());
    throw;
  }
}

void PgLockManager::release(std::string_view key) { engine_->release(key); }
bool PgLockManager::is_held(std::string_view key) const { return engine_->is_held(key); }
int PgLockManager::release_all() { return engine_->release_all(); }
std::size_t PgLockManager::held_lock_count() const { return engine_->held_lock_count(); }
std::size_t PgLockManager::connection_count() const { return engine_->connection_count(); }
int PgLockManager::socket_of(std::string_view key) const { return engine_->socket_of(key); }

CallbackId PgLockManager::on_lost(LockLostCallback callback) { return engine_->on_lost(std::move(callback)); }
bool PgLockManager::remove_lost_callback(CallbackId id) { return engine_->remove_lost_callback(id); }

void PgLockManager::close() {
  if (!engine_->forked()) engine_->close();
}

}  // namespace pgcoord
