#include "tool/child_tree.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pgcoord::tool {

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

// No child can have been replaced by a stranger of the same number: only we reap them.
bool kill_children() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return false;
  char block[512];
  pid_t pid = 0;
  ssize_t size = 0;
  while ((size = read(list, block, sizeof block)) > 0) {
    for (ssize_t i = 0; i < size; ++i) {
      if (block[i] >= '0' && block[i] <= '9') {
        pid = pid * 10 + (block[i] - '0');
      } else if (pid > 0) {
        kill(pid, SIGKILL);
        pid = 0;
      }
    }
  }
  close(list);
  return size == 0;
}

Reaped reap_children(int pid) {
  Reaped reaped;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
    if (ended == pid) reaped.status = status;
  }
  reaped.any_left = ended == 0;
  return reaped;
}

}  // namespace pgcoord::tool
