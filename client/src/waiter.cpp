#include "waiter.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace pgcoord::detail {

namespace {

int require(int descriptor, const char* what) {
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), what);
  return descriptor;
}

void set_timer(int timer, std::optional<Instant> deadline) {
  itimerspec when{};
  if (deadline) {
    // Zero would disarm it.
    const auto at = std::max(deadline->time_since_epoch(), Duration(1));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(at);
    when.it_value.tv_sec = seconds.count();
    when.it_value.tv_nsec = (at - seconds).count();
  }
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace

Waiter::Waiter()
    : timer_(require(timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC), "timerfd_create")),
      bell_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (bell_ >= 0) return;
  const int error = errno;
  ::close(timer_);
  throw std::system_error(error, std::generic_category(), "eventfd");
}

Waiter::~Waiter() { abandon(); }

void Waiter::abandon() noexcept {
  if (timer_ >= 0) ::close(timer_);
  if (bell_ >= 0) ::close(bell_);
  timer_ = bell_ = -1;
}

void Waiter::wait(int socket, bool read, bool write, std::optional<Instant> deadline) {
  set_timer(timer_, deadline);
  const short events = static_cast<short>((read ? POLLIN : 0) | (write ? POLLOUT : 0));
  std::array<pollfd, 3> entries{pollfd{timer_, POLLIN, 0}, pollfd{bell_, POLLIN, 0},
                                pollfd{socket, events, 0}};
  ::poll(entries.data(), entries.size(), -1);
  eventfd_t rung = 0;
  if ((entries[1].revents & POLLIN) != 0) eventfd_read(bell_, &rung);
}

void Waiter::wake() noexcept { eventfd_write(bell_, 1); }

}  // namespace pgcoord::detail
