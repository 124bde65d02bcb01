#pragma once

#include "tool/plan.hpp"

namespace pgcoord::tool {

/// Announces the shutdown of a member on its behalf, prints its deadline, and waits if asked to; returns the
/// exit code. Throws Error.
[[nodiscard]] int drain(const Access& access, const DrainPlan& plan);

}  // namespace pgcoord::tool
