#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "pgcoord/export.hpp"
#include "pgcoord/lock_manager.hpp"
#include "pgcoord/lock_options.hpp"

namespace pgcoord {

namespace detail {
class LockEngine;
}

/// Locks by key across every process that uses one database: PostgreSQL's session advisory locks, by way of
/// the extension pg_coord. The server frees them when this process or its connection ends.
///
/// Connections are of its own. One holds all locks that were free when asked for. Whoever has to wait does so
/// in the server's queue: on that same connection as long as all it holds is the waiting thread's, so that
/// the server sees deadlocks; else on one borrowed for it, which keeps that lock until its release. A wait
/// that is given up is cancelled on the server.
///
/// A thread watches the connections from the first call on. When one breaks, its locks are no longer held at
/// once, and on_lost is told on a second thread. Nothing is locked again behind the caller's back; the next
/// call connects anew.
///
/// Not promised: that the server has freed a lock by the time we know it lost (a network that is cut is
/// noticed by either side for itself); that a deadlock is found whose waits have timeouts, or whose threads
/// hold locks of several threads on one connection: those end by their timeouts; that name resolution, which
/// libpq does, ends in time.
///
/// After fork() the child's copy is dead: calls throw Error (55000), nothing is sent.
class PGCOORD_EXPORT PgLockManager final : public LockManager {
 public:
  /// No I/O. Throws Error (22023).
  explicit PgLockManager(LockOptions options);
  /// close().
  ~PgLockManager() override;

  [[nodiscard]] LockGuard acquire(std::string_view key, Timeout timeout = {},
                                  std::stop_token stop = {}) override;
  [[nodiscard]] std::optional<LockGuard> try_acquire(std::string_view key) override;
  void release(std::string_view key) override;
  [[nodiscard]] bool is_held(std::string_view key) const override;
  int release_all() override;
  [[nodiscard]] std::size_t held_lock_count() const override;
  CallbackId on_lost(LockLostCallback callback) override;
  bool remove_lost_callback(CallbackId id) override;

  /// How many connections stand or are being made.
  [[nodiscard]] std::size_t connection_count() const;

  /// The socket of the connection that holds that lock, -1 if it is not held; another one's, or nobody's,
  /// once the lock is gone. To be polled for POLLRDHUP, or to be inherited by a child: the server sees the
  /// end of this process only when the child has closed its copy too. Never to be read or written.
  [[nodiscard]] int socket_of(std::string_view key) const;

  /// Ends all waits (LockError, unavailable, 55000), gives back all locks, closes the connections. A second
  /// call does nothing.
  void close();

 private:
  std::shared_ptr<detail::LockEngine> engine_;
};

}  // namespace pgcoord
