#pragma once

#include "tool/plan.hpp"

namespace pgcoord::tool {

/// Print what was asked for on standard output; return the exit code. Throw Error.
[[nodiscard]] int show_leader(const Access& access, const LeaderPlan& plan);
[[nodiscard]] int show_log(const Access& access, const LogPlan& plan);
[[nodiscard]] int show_members(const Access& access, const MembersPlan& plan);
[[nodiscard]] int show_locks(const Access& access, const LocksPlan& plan);
[[nodiscard]] int show_orphans(const Access& access, const OrphansPlan& plan);
[[nodiscard]] int show_assignments(const Access& access, const AssignmentsPlan& plan);

}  // namespace pgcoord::tool
