#include "tool/guardian.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>

#include "tool/child_tree.hpp"
#include "tool/exit_code.hpp"

namespace pgcoord::tool {

namespace {

void complain(const char* program, const char* what) {
  for (const char* part : {"pgcoord: ", program, ": ", what, "\n"}) {
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) return;
  }
}

[[noreturn]] void become_command(const Launch& launch, pid_t guardian) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != guardian) _exit(exit_code::own_failure);
  pthread_sigmask(SIG_SETMASK, launch.mask, nullptr);
  const bool found = std::strchr(launch.program, '/') != nullptr;
  if (found) execvpe(launch.program, launch.arguments, launch.environment);
  const bool missing = !found || errno == ENOENT;
  complain(launch.arguments[0], missing ? "not found" : "cannot be executed");
  _exit(missing ? exit_code::not_found : exit_code::cannot_execute);
}

class Guardian {
 public:
  Guardian(int control, const Launch& launch)
      : control_(control), launch_(launch), connection_(launch.connection), kill_at_(launch.kill_at) {}
  [[noreturn]] void run();

 private:
  void prepare();
  void obey();
  void follow(const GuardianOrder& order);
  void reap();
  void clean_up_after_command();
  void hang_up();
  [[nodiscard]] Instant kill_due() const;
  void kill_if_due();
  void set_timer() const;

  int control_;
  const Launch& launch_;
  int connection_;
  int children_ = -1;
  int timer_ = -1;
  pid_t command_ = -1;
  std::optional<int> code_;
  Instant kill_at_;
  /// Set when the command left processes behind.
  std::optional<Instant> clean_by_;
  /// Set when the other side has closed the connection.
  std::optional<Instant> gone_by_;
  bool told_to_end_ = false;
  /// Between two rounds of killing.
  Instant not_before_{};
};

// The name is another one so that killing every "pgcoord" leaves the guardian to do its work.
void Guardian::prepare() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  setpgid(0, 0);
  prctl(PR_SET_NAME, "coord-guardian");
  adopt_orphans();
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  children_ = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  timer_ = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
  if (children_ < 0 || timer_ < 0) _exit(exit_code::own_failure);
}

void Guardian::run() {
  prepare();
  const pid_t self = getpid();
  command_ = fork();
  if (command_ == 0) become_command(launch_, self);
  if (command_ < 0) _exit(exit_code::own_failure);
  for (;;) {
    set_timer();
    pollfd ready[] = {
        {control_, POLLIN, 0}, {children_, POLLIN, 0}, {timer_, POLLIN, 0}, {connection_, POLLRDHUP, 0}};
    if (poll(ready, 4, -1) < 0 && errno != EINTR) kill(0, SIGKILL);
    if (ready[0].revents != 0) obey();
    if (ready[1].revents != 0) reap();
    if (ready[3].revents != 0) hang_up();
    kill_if_due();
  }
}

void Guardian::set_timer() const {
  const auto nanoseconds = std::max<std::int64_t>(kill_due().time_since_epoch().count(), 1);
  itimerspec spec{};
  spec.it_value.tv_sec = nanoseconds / 1'000'000'000;
  spec.it_value.tv_nsec = nanoseconds % 1'000'000'000;
  timerfd_settime(timer_, TFD_TIMER_ABSTIME, &spec, nullptr);
}

void Guardian::obey() {
  GuardianOrder order;
  const ssize_t size = read(control_, &order, sizeof order);
  if (size == sizeof order) return follow(order);
  if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
  close(control_);
  control_ = -1;  // poll() passes over it
  kill_at_ = Instant{};
}

void Guardian::follow(const GuardianOrder& order) {
  if (order.kind == GuardianOrder::Kind::kill_at) {
    kill_at_ = Instant(Duration(order.when));
    return;
  }
  told_to_end_ = told_to_end_ || order.signal == SIGTERM || order.signal == SIGINT;
  kill(0, order.signal);  // all of it is blocked here
}

void Guardian::reap() {
  signalfd_siginfo info;
  while (read(children_, &info, sizeof info) == sizeof info) {
  }
  const Reaped reaped = reap_children(command_);
  if (reaped.status) code_ = exit_code::of_wait_status(*reaped.status);
  if (!reaped.any_left) _exit(code_.value_or(exit_code::own_failure));
  if (reaped.status) clean_up_after_command();
  not_before_ = Instant{};
}

void Guardian::clean_up_after_command() {
  clean_by_ = BootClock::now() + launch_.grace;
  if (!told_to_end_) kill(0, SIGTERM);
}

// TERM is the tool's to send, which knows why.
void Guardian::hang_up() {
  connection_ = -1;
  gone_by_ = BootClock::now() + launch_.overlap;
}

Instant Guardian::kill_due() const {
  const Instant first = std::min({kill_at_, clean_by_.value_or(kill_at_), gone_by_.value_or(kill_at_)});
  return std::max(not_before_, first);
}

void Guardian::kill_if_due() {
  const Instant now = BootClock::now();
  if (now < kill_due()) return;
  if (!kill_children()) kill(0, SIGKILL);
  not_before_ = now + std::chrono::milliseconds(20);
}

}  // namespace

void guard(int control, const Launch& launch) { Guardian(control, launch).run(); }

}  // namespace pgcoord::tool
