#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pgcoord::tool {

/// The one of `known` that a misspelt word most likely stands for; none if nothing is near. Dashes at the
/// front do not count.
[[nodiscard]] std::optional<std::string> closest(std::string_view word,
                                                 const std::vector<std::string>& known);

/// `"; did you mean X?"`, or nothing.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace pgcoord::tool
