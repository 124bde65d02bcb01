#pragma once

#include <signal.h>

#include <cstdint>

#include "pgcoord/time.hpp"

namespace pgcoord::tool {

/// What the tool tells the guardian, through a pipe. Only plain data; small enough to be written whole.
struct GuardianOrder {
  enum class Kind : std::int32_t { forward, kill_at };
  Kind kind = Kind::forward;
  std::int32_t signal = 0;
  /// BootClock.
  std::int64_t when = 0;
};

/// What to run, made ready before fork().
struct Launch {
  /// A path; without a slash it was not found.
  const char* program = nullptr;
  char* const* arguments = nullptr;
  char* const* environment = nullptr;
  /// The signal mask that the command gets.
  const sigset_t* mask = nullptr;
  /// How long those have that the command leaves behind.
  Duration grace{};
  Instant kill_at{};
  /// A socket whose end is the end of what the command may count on; none: -1.
  int connection = -1;
  /// How long the command has from then on.
  Duration overlap{};
};

/// The life of the process between the tool and the command; call it in a fresh child. Leads the process
/// group of the command, and ends with the command's exit code when the command and all its descendants are
/// gone. Kills them all at the ordered instant, at once when `control` closes, that is when the tool
/// dies, and an overlap after the other side has closed `connection`, even if the tool is stopped.
///
/// It inherits the sockets of the tool on purpose: the server sees the session of a killed tool end only
/// when the guardian has ended, and that is after the command.
///
/// Only makes system calls: the tool has other threads, whose locks are for ever held in its children.
[[noreturn]] void guard(int control, const Launch& launch);

}  // namespace pgcoord::tool
