// The one way in which glue raises an error.
#pragma once

#include "pg.hpp"

namespace coord {

namespace sqlstate {
constexpr int not_a_member = MAKE_SQLSTATE('P', 'C', '0', '0', '1');
constexpr int fenced_off = MAKE_SQLSTATE('P', 'C', '0', '0', '2');
constexpr int instance_in_use = MAKE_SQLSTATE('P', 'C', '0', '0', '3');
constexpr int lock_name_collision = MAKE_SQLSTATE('P', 'C', '0', '0', '4');
constexpr int not_the_leader = MAKE_SQLSTATE('P', 'C', '0', '0', '5');
}  // namespace sqlstate

/// What an error says, in PostgreSQL's style; texts are finished (see psprintf), null when absent.
struct Problem {
  int code;
  const char* message;
  const char* detail = nullptr;
  const char* hint = nullptr;
};

/// Raises the error; never returns, and runs no destructor on its way.
[[noreturn]] inline void fail(const Problem& problem) {
  ereport(ERROR, (errcode(problem.code), errmsg_internal("%s", problem.message),
                  problem.detail ? errdetail_internal("%s", problem.detail) : 0,
                  problem.hint ? errhint("%s", problem.hint) : 0));
  pg_unreachable();
}

}  // namespace coord
