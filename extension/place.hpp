// Where a function may not run at all.
#pragma once

#include "fail.hpp"

namespace coord {

/// Refuses a standby (25006, with `detail` if there is one) and a parallel operation (25000).
inline void require_primary(const char* function, const char* detail = nullptr) {
  if (RecoveryInProgress())
    fail({.code = ERRCODE_READ_ONLY_SQL_TRANSACTION,
          .message = psprintf("cannot execute coord.%s() during recovery", function),
          .detail = detail,
          .hint = "Connect to the primary server."});
  if (IsInParallelMode())
    fail({.code = ERRCODE_INVALID_TRANSACTION_STATE,
          .message = psprintf("cannot execute coord.%s() during a parallel operation", function)});
}

}  // namespace coord
