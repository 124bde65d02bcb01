#pragma once

#include <optional>

#include "pgcoord/time.hpp"

namespace pgcoord::detail {

/// Waits for a socket, a deadline on BootClock (which poll() alone would miss while the machine
/// sleeps) or a wake-up from another thread.
class Waiter {
 public:
  Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter();

  void wait(int socket, bool read, bool write, std::optional<Instant> deadline);
  /// From any thread.
  void wake() noexcept;
  /// In a child of fork(): gives the descriptors back.
  void abandon() noexcept;

 private:
  int timer_;
  int bell_;
};

}  // namespace pgcoord::detail
