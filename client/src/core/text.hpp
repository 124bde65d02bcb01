#pragma once

#include <string>
#include <vector>

#include "pgcoord/time.hpp"

namespace pgcoord::detail {

/// As PostgreSQL reads a text[].
[[nodiscard]] std::string array_literal(const std::vector<std::string>& values);
/// Seconds with six decimals, whatever the locale.
[[nodiscard]] std::string seconds_text(Duration duration);
/// Shortest text that reads back the same, whatever the locale.
[[nodiscard]] std::string number_text(double value);

}  // namespace pgcoord::detail
