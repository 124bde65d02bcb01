#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pgcoord/time.hpp"
#include "tool/descriptor.hpp"
#include "tool/guardian.hpp"

namespace pgcoord::tool {

using Variables = std::vector<std::pair<std::string, std::string>>;

struct CommandLine {
  std::vector<std::string> words;
  /// Added to the environment of this process.
  Variables variables;
  sigset_t mask{};
  /// How long those have that the command leaves behind when it ends.
  Duration grace{};
  /// A socket of ours; when the other side closes it, the command has `overlap` to live.
  int connection = -1;
  Duration overlap{};
};

/// A running command with everything it starts, under a guardian. Only for the main thread, which must
/// reap no other children. Destruction kills it, but does not wait.
class Command {
 public:
  /// Throws std::system_error. A command that cannot be executed ends with 126 or 127.
  Command(const CommandLine& line, Instant kill_at);

  void forward(int signal) { tell({GuardianOrder::Kind::forward, signal, 0}); }
  void kill_at(Instant when);
  /// Call it at SIGCHLD: the exit code, once nothing of it is left.
  [[nodiscard]] std::optional<int> ended();

 private:
  void tell(const GuardianOrder& order);

  /// Kept open here too: writing to a guardian that has just ended must not raise SIGPIPE.
  Descriptor read_end_;
  Descriptor control_;
  pid_t guardian_ = -1;
  std::optional<int> status_;
};

}  // namespace pgcoord::tool
