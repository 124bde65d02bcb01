// Checked arguments of SQL functions.
#pragma once

#include "pg.hpp"

namespace coord {

/// Raises 22004 if the argument is NULL; `what` names it in the message.
void require_argument(FunctionCallInfo fcinfo, int number, const char* what);
/// A valid name (rules/names.hpp): else 22004 or 22023.
const char* name_argument(FunctionCallInfo fcinfo, int number, const char* what);
/// A span of 1 s to 1 day, in microseconds: else 22004 or 22023.
int64 timeout_argument(FunctionCallInfo fcinfo, int number, const char* what);
/// A span of 0 s to 1 day, in microseconds: else 22004 or 22023.
int64 drain_argument(FunctionCallInfo fcinfo, int number, const char* what);
/// Not negative: else 22004 or 22023.
int32 count_argument(FunctionCallInfo fcinfo, int number, const char* what);
/// A jsonb object: else 22004 or 22023.
Datum object_argument(FunctionCallInfo fcinfo, int number, const char* what);
/// A text[] without NULL elements.
Datum list_argument(FunctionCallInfo fcinfo, int number, const char* what);

}  // namespace coord
