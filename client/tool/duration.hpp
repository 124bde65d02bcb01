#pragma once

#include <string>

namespace pgcoord::tool {

/// Turns a duration with its unit (500ms, 1.5s, 2m, 1h) into a number of milliseconds, in place. Returns
/// what is wrong with it, or nothing.
[[nodiscard]] std::string to_milliseconds(std::string& text);

}  // namespace pgcoord::tool
