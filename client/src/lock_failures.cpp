#include "lock_failures.hpp"

#include <array>
#include <charconv>

namespace pgcoord::detail {

namespace {

std::string number(double value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  return {digits.data(), end.ptr};
}

}  // namespace

Failure timeout_failure(Duration timeout) {
  const double seconds = std::chrono::duration<double>(timeout).count();
  return {std::string(sqlstate::lock_not_available), "Timeout after " + number(seconds) + "s", {}, {}};
}

Failure stopped_failure() { return {std::string(sqlstate::timed_out), "the wait was given up", {}, {}}; }

Failure deadlock_failure() {
  return {"40P01", "deadlock detected", "The thread that waits holds what its own wait depends on.",
          "Acquire locks in one order, with a timeout; see LockGuard::hand_over()."};
}

Failure closed_failure() { return {std::string(sqlstate::not_usable), "the lock manager is closed", {}, {}}; }

void throw_not_held(std::string_view key) {
  throw LockError(LockFailure::not_held, std::string(key), {std::string(sqlstate::not_usable), {}, {}, {}});
}

void throw_lost(std::string_view key) {
  throw LockError(LockFailure::lost, std::string(key),
                  {std::string(sqlstate::connection_lost), "its connection broke", {}, {}});
}

}  // namespace pgcoord::detail
