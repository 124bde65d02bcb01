#pragma once

#include <signal.h>

#include <optional>

#include "tool/descriptor.hpp"

namespace pgcoord::tool {

/// INT or TERM: the command is to end, and then the tool.
[[nodiscard]] bool asks_to_leave(int number);
/// Those, HUP or QUIT: while there is no command, the tool ends.
[[nodiscard]] bool ends_waiting(int number);

/// Takes INT TERM HUP QUIT USR1 USR2 and CHLD as something to read. One that was ignored when the tool
/// started (by nohup, say) stays ignored. Make it before any thread starts: threads inherit the mask.
/// Throws std::system_error.
class Signals {
 public:
  Signals();

  [[nodiscard]] int descriptor() const { return descriptor_.get(); }
  /// The next signal that came; none if there is none.
  [[nodiscard]] std::optional<int> next();
  /// The mask that the tool was started with, for the command.
  [[nodiscard]] const sigset_t& original_mask() const { return original_; }

 private:
  sigset_t original_;
  Descriptor descriptor_;
};

}  // namespace pgcoord::tool
