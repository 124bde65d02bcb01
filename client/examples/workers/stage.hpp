#pragma once

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workers/worker.hpp"

namespace workers {

/// The workers' processes, and what they say.
class Stage {
 public:
  ~Stage() {
    for (const auto& [id, pid] : running_) ::kill(pid, SIGKILL);
    for (const auto& [id, pid] : running_) ::waitpid(pid, nullptr, 0);
  }

  void start(const std::string& conninfo, const std::string& id, const std::string& subscription) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() == parent) Worker(conninfo, id, subscription, ends[1]).run();
      ::_exit(0);
    }
    ::close(ends[1]);
    running_[id] = pid;
    outputs_.push_back({ends[0], POLLIN, 0});
    partial_.emplace_back();
  }

  /// Waits until a line has that in it, said by another than `but`; prints everything meanwhile. Empty if
  /// none comes in time.
  std::string await(const std::string& text, const std::string& but = "nobody") {
    const auto deadline = BootClock::now() + 15s;
    for (std::size_t next = 0; BootClock::now() < deadline;) {
      for (; next < lines_.size(); ++next) {
        const auto& line = lines_[next];
        if (line.find(text) != std::string::npos && line.rfind(but + " ", 0) != 0) return line;
      }
      read();
    }
    std::printf("!! nobody said: %s\n", text.c_str());
    return {};
  }
  bool says(const std::string& text) { return !await(text).empty(); }

  void kill(const std::string& id, int signal) {
    std::printf("-- %s gets %s\n", id.c_str(), signal == SIGKILL ? "SIGKILL" : "SIGTERM");
    ::kill(running_.at(id), signal);
    if (signal == SIGKILL) ::waitpid(running_.at(id), nullptr, 0);
    if (signal == SIGKILL) running_.erase(id);
  }

 private:
  void read() {
    ::poll(outputs_.data(), outputs_.size(), 100);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      std::array<char, 4096> buffer{};
      if ((outputs_[i].revents & (POLLIN | POLLHUP)) == 0) continue;
      const auto count = ::read(outputs_[i].fd, buffer.data(), buffer.size());
      if (count <= 0) outputs_[i].fd = -1;
      for (ssize_t c = 0; c < count; ++c) take(i, buffer[c]);
    }
  }

  void take(std::size_t worker, char c) {
    if (c != '\n') {
      partial_[worker] += c;
      return;
    }
    const std::chrono::duration<double> at = BootClock::now() - begin_;
    std::printf("%6.3f s  %s\n", at.count(), partial_[worker].c_str());
    std::fflush(stdout);
    lines_.push_back(std::exchange(partial_[worker], {}));
  }

  const Instant begin_ = BootClock::now();
  std::map<std::string, pid_t> running_;
  std::vector<pollfd> outputs_;
  std::vector<std::string> partial_;
  std::vector<std::string> lines_;
};

}  // namespace workers
