#pragma once

#include <optional>

namespace pgcoord::tool {

/// From now on every descendant whose parent dies becomes a child of this process, so that none can
/// slip away by forking twice or by leaving the process group.
void adopt_orphans();

/// SIGKILL for every child of this process. Their children become ours as they die, so call it again at
/// each SIGCHLD until none is left. False if the kernel does not tell the children. Safe after fork().
bool kill_children();

/// What waitpid() said about `pid` and whether any child is left, after reaping all that have ended.
struct Reaped {
  std::optional<int> status;
  bool any_left = false;
};
[[nodiscard]] Reaped reap_children(int pid);

}  // namespace pgcoord::tool
