#pragma once

#include "tool/plan.hpp"

namespace pgcoord::tool {

/// Prints who leads and who is a member, then every change, until a signal ends the process. Reads at every
/// notification, but not more than ten times a second, at the end of a notice, and every few seconds without
/// one; connects again when the connection is lost. Throws Error when there never was a connection, or trying
/// again is no use. Returns only when standard output can no longer be written to.
[[nodiscard]] int watch(const Access& access, const WatchPlan& plan);

}  // namespace pgcoord::tool
