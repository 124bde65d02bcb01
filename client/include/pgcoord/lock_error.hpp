#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pgcoord/error.hpp"
#include "pgcoord/event.hpp"
#include "pgcoord/export.hpp"
#include "pgcoord/time.hpp"

namespace pgcoord {

/// Why there is no lock.
enum class LockFailure {
  /// Somebody else has it: time was up (55P03), the wait was given up (57014), or it would never have ended
  /// because we are waited for ourselves (40P01).
  contended,
  /// It could not be asked for: no connection, a standby (25006), another key with the same number (PC004),
  /// no
  /// right, no room, a closed manager (55000). Says nothing about who has it.
  unavailable,
  /// We had it, and it went with its connection before it was given back.
  lost,
  /// This manager does not hold it.
  not_held,
};

[[nodiscard]] PGCOORD_EXPORT std::string_view to_string(LockFailure failure) noexcept;

/// Thrown by LockManager. sqlstate(), detail() and hint() are the server's where it said no.
class PGCOORD_EXPORT LockError : public Error {
 public:
  LockError(LockFailure failure, std::string key, const Failure& reason,
            std::optional<Duration> timeout = std::nullopt);

  [[nodiscard]] const std::string& key() const noexcept { return key_; }
  [[nodiscard]] LockFailure failure() const noexcept { return failure_; }
  /// What the failed call was given; none if it was given none, or is not one that waits.
  [[nodiscard]] std::optional<Duration> timeout() const noexcept { return timeout_; }

 private:
  std::string key_;
  LockFailure failure_;
  std::optional<Duration> timeout_;
};

}  // namespace pgcoord
