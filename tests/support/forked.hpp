#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "wait.hpp"

namespace pgcoord::test {

/// Runs `body` in a child of fork(), which ends with its result and without any clean-up; 99 if it threw.
template <typename Body>
pid_t in_child(Body body) {
  const pid_t child = fork();
  if (child != 0) return child;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int code = 99;
  try {
    code = body();
  } catch (...) {
  }
  _exit(code);
}

/// What a child ended with, minus the signal it died of. -1, and killed, when it did not end.
inline int exit_code(pid_t child) {
  int status = 0;
  const bool ended = wait_until([&] { return waitpid(child, &status, WNOHANG) == child; });
  if (!ended) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

}  // namespace pgcoord::test
