#include "lock_poll.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace pgcoord::detail {

LockPoll::LockPoll() : bell_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (bell_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
}

LockPoll::~LockPoll() { abandon(); }

void LockPoll::abandon() noexcept {
  if (bell_ >= 0) ::close(bell_);
  bell_ = -1;
}

void LockPoll::wait(std::vector<pollfd> entries, std::optional<Instant> deadline) {
  entries.push_back({bell_, POLLIN, 0});
  std::int64_t timeout = -1;
  if (deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - BootClock::now());
    timeout = std::clamp<std::int64_t>(left.count(), 0, 60'000);
  }
  ::poll(entries.data(), entries.size(), static_cast<int>(timeout));
  eventfd_t rung = 0;
  if ((entries.back().revents & POLLIN) != 0) eventfd_read(bell_, &rung);
}

void LockPoll::wake() noexcept { eventfd_write(bell_, 1); }

}  // namespace pgcoord::detail
