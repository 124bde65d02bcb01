#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "pgcoord/drain.hpp"
#include "pgcoord/error.hpp"

namespace pgcoord {

namespace {

// All that the handler touches; lock-free, so that it may.
std::atomic<int> bell{-1};
std::atomic<pid_t> owner{0};
std::atomic<int> first_signal{0};
std::atomic<bool> asked{false};
static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

void ring() noexcept {
  asked = true;
  const int descriptor = bell;
  const eventfd_t one = 1;
  // write(), since eventfd_write() is not on the list of what a handler may call.
  if (descriptor >= 0 && ::write(descriptor, &one, sizeof one) < 0) return;  // full: readable all the same
}

extern "C" void pgcoord_on_drain_signal(int number) {
  const int saved = errno;
  if (::getpid() == owner) {
    int none = 0;
    if (!asked) first_signal.compare_exchange_strong(none, number);
    ring();
  } else {  // a child of fork() shares the descriptor, but not the wish
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    ::sigaction(number, &by_default, nullptr);
    ::raise(number);
  }
  errno = saved;
}

}  // namespace

struct DrainGuard::Handlers {
  std::vector<std::pair<int, struct sigaction>> former;

  ~Handlers() {
    for (const auto& [number, action] : former) ::sigaction(number, &action, nullptr);
    const int descriptor = bell.exchange(-1);
    if (descriptor >= 0) ::close(descriptor);
    owner = 0;
  }

  void install(int number) {
    struct sigaction action {};
    action.sa_handler = pgcoord_on_drain_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    struct sigaction before {};
    if (::sigaction(number, &action, &before) != 0) {
      throw Error(sqlstate::bad_argument, "signal " + std::to_string(number) + " cannot be caught");
    }
    former.emplace_back(number, before);
  }
};

DrainGuard::DrainGuard(const std::vector<int>& signals) {
  pid_t nobody = 0;
  if (!owner.compare_exchange_strong(nobody, ::getpid())) {
    throw Error(sqlstate::not_usable, "there is a drain guard already");
  }
  handlers_ = std::make_unique<Handlers>();
  asked = false;
  first_signal = 0;
  bell = ::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  if (bell < 0) throw Error(sqlstate::not_usable, "no descriptor for a drain guard");
  for (const int number : signals) handlers_->install(number);
}

DrainGuard::~DrainGuard() = default;

void DrainGuard::request() noexcept { ring(); }

bool DrainGuard::requested() const noexcept { return asked; }

int DrainGuard::signal() const noexcept { return first_signal; }

int DrainGuard::descriptor() const noexcept { return bell; }

bool DrainGuard::wait(std::chrono::milliseconds timeout) const {
  const auto end = BootClock::now() + timeout;
  while (!asked) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - BootClock::now());
    if (left.count() <= 0) return false;
    pollfd entry{bell, POLLIN, 0};
    // An hour at most: the count of milliseconds must fit.
    ::poll(&entry, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 3'600'000)));
  }
  return true;
}

}  // namespace pgcoord
