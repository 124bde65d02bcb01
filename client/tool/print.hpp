#pragma once

#include <string>

#include "tool/plan.hpp"
#include "tool/text.hpp"

namespace pgcoord::tool {

/// On standard output, at once. False if it cannot be written.
[[nodiscard]] bool print(const std::string& text);
/// The same, and returns the exit code. For json each row has one column, an object.
[[nodiscard]] int print(const Grid& grid, Output output);

/// `columns` for people, every column of `from`, and what `extra` adds, for programs.
[[nodiscard]] std::string look_sql(Output output, const std::string& columns, const std::string& from,
                                   const std::string& extra = "");

}  // namespace pgcoord::tool
