#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "pgcoord/export.hpp"

namespace pgcoord {

namespace detail {
class MemoryLocks;
}

/// The locks that several InMemoryLockManagers contend for, as a database is for PgLockManagers. Any thread
/// may call anything.
class PGCOORD_EXPORT SharedLockState {
 public:
  SharedLockState();
  ~SharedLockState();
  SharedLockState(const SharedLockState&) = delete;
  SharedLockState& operator=(const SharedLockState&) = delete;

  /// Takes the lock from its holder, as a broken connection would: its manager tells on_lost, and the next in
  /// the queue gets it. False if nobody holds it.
  bool lose(std::string_view key);
  /// How many wait for it.
  [[nodiscard]] int waiters(std::string_view key) const;

 private:
  friend class InMemoryLockManager;
  std::shared_ptr<detail::MemoryLocks> locks_;
};

}  // namespace pgcoord
