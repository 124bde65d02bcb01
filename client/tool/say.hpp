#pragma once

#include <string_view>

namespace pgcoord::tool {

/// One line on standard error, written whole: standard output belongs to the command.
void say(std::string_view text);

}  // namespace pgcoord::tool
