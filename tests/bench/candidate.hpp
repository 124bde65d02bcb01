#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

#include "support/process.hpp"

namespace pgcoord::bench {

/// Nanoseconds of CLOCK_MONOTONIC, which all processes of one machine share.
inline std::int64_t monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// What a candidate tells the harness.
struct Report {
  enum class Kind : std::int32_t { waiting, leading, told };
  Kind kind = Kind::waiting;
  std::int32_t backend = 0;  ///< its server process, if it says
  std::int64_t at = 0;       ///< monotonic_now()
};

/// The candidate's end of the pipe; its process ends when nobody listens any more.
class Reporter {
 public:
  explicit Reporter(int fd) : fd_{fd} {}
  void say(Report::Kind kind, int backend = 0) const {
    const Report report{kind, backend, monotonic_now()};
    if (write(fd_, &report, sizeof report) != sizeof report) _exit(1);
  }

 private:
  int fd_;
};

/// What a candidate's process does from fork() until it is killed.
using Body = std::function<void(const std::string& name, const Reporter& reporter)>;

/// One candidate, a process of its own, killed at the latest by the destructor. To be made by a process with
/// one thread. What goes wrong in the candidate is said on standard error, and ends it.
class Candidate {
 public:
  Candidate(std::string name, const Body& body) : name_{std::move(name)} {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error{"no pipe"};
    pipe_ = test::Descriptor{ends[0]};
    const test::Descriptor theirs{ends[1]};
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw std::runtime_error{"no process"};
    if (pid_ == 0) be(body, Reporter{theirs.get()}, parent);
  }
  Candidate(const Candidate&) = delete;
  Candidate& operator=(const Candidate&) = delete;
  ~Candidate() { kill(); }

  const std::string& name() const { return name_; }
  int fd() const { return pipe_.get(); }

  /// The next report, of the kind that is due; throws std::runtime_error if it does not come within the
  /// bound.
  Report wait(Report::Kind kind, std::chrono::milliseconds bound = std::chrono::seconds{20}) {
    pollfd waited{pipe_.get(), POLLIN, 0};
    Report report;
    if (poll(&waited, 1, static_cast<int>(bound.count())) != 1 ||
        read(pipe_.get(), &report, sizeof report) != sizeof report)
      throw std::runtime_error{name_ + " did not report"};
    if (report.kind != kind) throw std::runtime_error{name_ + " reported something else"};
    return report;
  }

  /// SIGKILL for the client's process; returns the time just before.
  std::int64_t kill() {
    const std::int64_t before = monotonic_now();
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    pid_ = -1;
    return before;
  }

 private:
  [[noreturn]] void be(const Body& body, const Reporter& reporter, pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    if (getppid() != parent) _exit(1);
    try {
      body(name_, reporter);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", name_.c_str(), error.what());
    }
    _exit(1);
  }

  std::string name_;
  test::Descriptor pipe_;
  pid_t pid_ = -1;
};

}  // namespace pgcoord::bench
