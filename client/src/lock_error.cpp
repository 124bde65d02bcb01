#include "pgcoord/lock_error.hpp"

#include <utility>

namespace pgcoord {

namespace {

std::string message_of(LockFailure failure, const std::string& key, const Failure& reason) {
  switch (failure) {
    case LockFailure::not_held:
      return "Lock '" + key + "' is not held by this session";
    case LockFailure::lost:
      return "Lock '" + key + "' was lost: " + reason.message;
    default:
      return "Failed to acquire lock '" + key + "': " + reason.message;
  }
}

}  // namespace

std::string_view to_string(LockFailure failure) noexcept {
  switch (failure) {
    case LockFailure::contended:
      return "contended";
    case LockFailure::unavailable:
      return "unavailable";
    case LockFailure::lost:
      return "lost";
    case LockFailure::not_held:
      return "not_held";
  }
  return "";
}

LockError::LockError(LockFailure failure, std::string key, const Failure& reason,
                     std::optional<Duration> timeout)
    : Error(reason.sqlstate, message_of(failure, key, reason), reason.detail, reason.hint),
      key_(std::move(key)),
      failure_(failure),
      timeout_(timeout) {}

}  // namespace pgcoord
