#pragma once

#include <poll.h>

#include <optional>
#include <vector>

#include "pgcoord/time.hpp"

namespace pgcoord::detail {

/// Waits for any of some sockets, a deadline, or a wake-up from another thread.
class LockPoll {
 public:
  LockPoll();
  LockPoll(const LockPoll&) = delete;
  LockPoll& operator=(const LockPoll&) = delete;
  ~LockPoll();

  void wait(std::vector<pollfd> entries, std::optional<Instant> deadline);
  /// From any thread.
  void wake() noexcept;
  /// In a child of fork().
  void abandon() noexcept;

 private:
  int bell_;
};

}  // namespace pgcoord::detail
