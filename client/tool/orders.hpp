#pragma once

#include <string>

#include "pgcoord/time.hpp"
#include "tool/plan.hpp"

/// What the supervisors of `elect` and `lock` both order.
namespace pgcoord::tool {

/// Moves the instant at which the command is killed; one that has passed kills it now.
struct KillAt {
  Instant when;
};
/// To the command's whole process group.
struct Forward {
  int signal = 0;
};
/// Give back what is held, leave, end with this code. Nothing follows.
struct Exit {
  int code = 0;
};
/// One line for the user, who sees it from this level of talk on.
struct Note {
  Talk from = Talk::normal;
  std::string text;
};

}  // namespace pgcoord::tool
