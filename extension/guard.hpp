// Where PostgreSQL enters C++, and the only way in: no C++ exception passes a C frame.
#pragma once

#include "pg.hpp"

namespace coord {

/// Runs `body` for PostgreSQL. A C++ exception becomes an ordinary SQL error (XX000, or 53200 for a failed
/// allocation), raised only after its handler has ended. PostgreSQL's own errors jump past this frame, which
/// owns nothing.
template <class Result, class... Arguments>
Result entry(Result (*body)(Arguments...), Arguments... arguments) {
  int code = ERRCODE_INTERNAL_ERROR;
  char text[256] = "unknown C++ exception";
  try {
    return body(arguments...);
  } catch (const std::bad_alloc&) {
    code = ERRCODE_OUT_OF_MEMORY;
    strlcpy(text, "out of memory", sizeof text);
  } catch (const std::exception& error) {
    strlcpy(text, error.what(), sizeof text);
  } catch (...) {
  }
  ereport(ERROR, (errcode(code), errmsg_internal("%s", text)));
  pg_unreachable();
}

}  // namespace coord

/// Declares, exports and guards the C function behind a SQL function.
#define COORD_FUNCTION(name)                                                 \
  static Datum name##_body(FunctionCallInfo fcinfo);                         \
  extern "C" {                                                               \
  PGDLLEXPORT Datum name(PG_FUNCTION_ARGS);                                  \
  PGDLLEXPORT PG_FUNCTION_INFO_V1(name);                                     \
  Datum name(PG_FUNCTION_ARGS) { return coord::entry(name##_body, fcinfo); } \
  }                                                                          \
  static Datum name##_body([[maybe_unused]] FunctionCallInfo fcinfo)
