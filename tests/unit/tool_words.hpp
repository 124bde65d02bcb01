#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "tool/arguments.hpp"

namespace pgcoord::tool {

using Words = std::vector<std::string>;

inline Plan plan_of(const Words& words) { return std::get<Plan>(parse(words)); }

/// The one line that wrong usage is answered with.
inline std::string refusal_of(const Words& words) {
  const auto parsed = parse(words);
  const auto* answer = std::get_if<Answer>(&parsed);
  if (!answer) return "accepted";
  EXPECT_EQ(answer->exit_code, 64);
  EXPECT_THAT(answer->text, testing::Not(testing::HasSubstr("\n")));
  return answer->text;
}

}  // namespace pgcoord::tool
