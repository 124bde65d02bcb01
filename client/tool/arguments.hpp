#pragma once

#include <string>
#include <variant>
#include <vector>

#include "tool/plan.hpp"

namespace pgcoord::tool {

/// What to say instead of doing anything: help and version go to standard output with code 0, a
/// mistake is one line for standard error.
struct Answer {
  std::string text;
  int exit_code = 0;
};

/// `words` are the arguments after the program's name. What follows the first "--" is the command of
/// `elect` or `lock`, word by word, and not looked at.
[[nodiscard]] std::variant<Plan, Answer> parse(std::vector<std::string> words);

}  // namespace pgcoord::tool
