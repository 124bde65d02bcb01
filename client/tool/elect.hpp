#pragma once

#include "tool/plan.hpp"

namespace pgcoord::tool {

/// Runs `elect` to its end and returns the exit code. To be called on the main thread, before any other
/// thread exists. Throws Error for a name that the library refuses, std::system_error when the system
/// does not give what is needed.
[[nodiscard]] int elect(const Access& access, const ElectPlan& plan);

}  // namespace pgcoord::tool
