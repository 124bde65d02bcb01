#pragma once

#include "tool/plan.hpp"

namespace pgcoord::tool {

/// Runs `lock` to its end and returns the exit code. To be called on the main thread, before any other
/// thread exists. Throws Error for options that the library refuses, std::system_error when the system does
/// not give what is needed.
[[nodiscard]] int lock(const Access& access, const LockPlan& plan);

}  // namespace pgcoord::tool
