#pragma once

#include <memory>
#include <optional>
#include <string>

#include "pgcoord/export.hpp"
#include "pgcoord/lock_manager.hpp"
#include "pgcoord/shared_lock_state.hpp"
#include "pgcoord/tracer.hpp"

namespace pgcoord {

namespace detail {
class MemoryLockSide;
}

/// A LockManager without a server: for tests, and for programs of one process. Same rules as PgLockManager,
/// checked by the same tests. Managers that share a state exclude each other.
class PGCOORD_EXPORT InMemoryLockManager final : public LockManager {
 public:
  /// Without a state it contends only with itself.
  explicit InMemoryLockManager(std::shared_ptr<SharedLockState> state = nullptr,
                               std::optional<std::string> holder_id = {},
                               std::shared_ptr<Tracer> tracer = nullptr);
  /// Gives back everything.
  ~InMemoryLockManager() override;

  [[nodiscard]] LockGuard acquire(std::string_view key, Timeout timeout = {},
                                  std::stop_token stop = {}) override;
  [[nodiscard]] std::optional<LockGuard> try_acquire(std::string_view key) override;
  void release(std::string_view key) override;
  [[nodiscard]] bool is_held(std::string_view key) const override;
  int release_all() override;
  [[nodiscard]] std::size_t held_lock_count() const override;
  CallbackId on_lost(LockLostCallback callback) override;
  bool remove_lost_callback(CallbackId id) override;

 private:
  std::shared_ptr<SharedLockState> state_;
  std::shared_ptr<detail::MemoryLockSide> side_;
};

}  // namespace pgcoord
