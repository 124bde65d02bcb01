#include "arguments.hpp"

#include "fail.hpp"
#include "rules/names.hpp"

namespace coord {

namespace {

const char* words_for(NameFault fault) {
  switch (fault) {
    case NameFault::none:
      break;
    case NameFault::empty:
      return "A name must not be empty.";
    case NameFault::too_long:
      return "A name has at most 200 bytes.";
    case NameFault::control_character:
      return "A name must not contain control characters.";
  }
  return nullptr;
}

/// Months count 30 days and days 24 hours: anything with months is out of range anyway.
int64 microseconds(const Interval& interval) {
  const int64 days = int64{interval.month} * DAYS_PER_MONTH + interval.day;
  if (days > 2) return PG_INT64_MAX;
  if (days < -2) return PG_INT64_MIN;
  if (interval.time > 2 * USECS_PER_DAY || interval.time < -2 * USECS_PER_DAY) return interval.time;
  return days * USECS_PER_DAY + interval.time;
}

}  // namespace

void require_argument(FunctionCallInfo fcinfo, int number, const char* what) {
  if (PG_ARGISNULL(number))
    fail({.code = ERRCODE_NULL_VALUE_NOT_ALLOWED, .message = psprintf("%s must not be null", what)});
}

const char* name_argument(FunctionCallInfo fcinfo, int number, const char* what) {
  require_argument(fcinfo, number, what);
  const char* const name = text_to_cstring(PG_GETARG_TEXT_PP(number));
  if (const NameFault fault = fault_of_name(name); fault != NameFault::none)
    fail({.code = ERRCODE_INVALID_PARAMETER_VALUE,
          .message = psprintf("invalid %s", what),
          .detail = words_for(fault),
          .hint = "Names have 1 to 200 bytes and no control characters."});
  // Other sessions must be able to read it, whatever encoding they use: 22021 or 22P05.
  (void)pg_server_to_any(name, static_cast<int>(strlen(name)), PG_UTF8);
  return name;
}

namespace {

int64 span_argument(FunctionCallInfo fcinfo, int number, const char* what, int64 shortest, const char* hint) {
  require_argument(fcinfo, number, what);
  const int64 span = microseconds(*PG_GETARG_INTERVAL_P(number));
  if (span < shortest || span > USECS_PER_DAY)
    fail({.code = ERRCODE_INVALID_PARAMETER_VALUE,
          .message = psprintf("%s is out of range", what),
          .hint = hint});
  return span;
}

}  // namespace

int64 timeout_argument(FunctionCallInfo fcinfo, int number, const char* what) {
  return span_argument(fcinfo, number, what, USECS_PER_SEC, "Use 1 second to 1 day.");
}

int64 drain_argument(FunctionCallInfo fcinfo, int number, const char* what) {
  return span_argument(fcinfo, number, what, 0, "Use 0 seconds to 1 day.");
}

int32 count_argument(FunctionCallInfo fcinfo, int number, const char* what) {
  require_argument(fcinfo, number, what);
  const int32 count = PG_GETARG_INT32(number);
  if (count < 0)
    fail({.code = ERRCODE_INVALID_PARAMETER_VALUE, .message = psprintf("%s must not be negative", what)});
  return count;
}

Datum object_argument(FunctionCallInfo fcinfo, int number, const char* what) {
  require_argument(fcinfo, number, what);
  if (!JB_ROOT_IS_OBJECT(PG_GETARG_JSONB_P(number)))
    fail({.code = ERRCODE_INVALID_PARAMETER_VALUE, .message = psprintf("%s must be a JSON object", what)});
  return PG_GETARG_DATUM(number);
}

Datum list_argument(FunctionCallInfo fcinfo, int number, const char* what) {
  require_argument(fcinfo, number, what);
  if (array_contains_nulls(PG_GETARG_ARRAYTYPE_P(number)))
    fail({.code = ERRCODE_NULL_VALUE_NOT_ALLOWED, .message = psprintf("%s must not contain nulls", what)});
  return PG_GETARG_DATUM(number);
}

}  // namespace coord
