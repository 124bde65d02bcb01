#include "tool/signals.hpp"

#include <sys/signalfd.h>

#include <cerrno>
#include <system_error>

namespace pgcoord::tool {

namespace {

bool is_ignored(int number) {
  struct sigaction action {};
  return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

sigset_t taken_signals() {
  sigset_t taken;
  sigemptyset(&taken);
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2}) {
    if (!is_ignored(number)) sigaddset(&taken, number);
  }
  sigaddset(&taken, SIGCHLD);
  return taken;
}

}  // namespace

bool asks_to_leave(int number) { return number == SIGINT || number == SIGTERM; }

bool ends_waiting(int number) { return asks_to_leave(number) || number == SIGHUP || number == SIGQUIT; }

Signals::Signals() {
  signal(SIGCHLD, SIG_DFL);  // inherited as ignored, it would lose us the exit status
  const sigset_t taken = taken_signals();
  pthread_sigmask(SIG_BLOCK, &taken, &original_);
  descriptor_ = Descriptor(signalfd(-1, &taken, SFD_CLOEXEC | SFD_NONBLOCK));
  if (descriptor_.get() < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

std::optional<int> Signals::next() {
  signalfd_siginfo info;
  if (read(descriptor_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace pgcoord::tool
