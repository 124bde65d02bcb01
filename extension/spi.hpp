// Prepared statements inside the server.
#pragma once

#include "pg.hpp"

namespace coord {

/// A statement, planned at its first use and kept for the life of the session. Parameters are `types` in
/// order. Must be run under the search_path `pg_catalog, pg_temp` every time: under another one the server
/// analyses it anew, with whatever operators are found there, and the owner's rights.
struct Statement {
  const char* text;
  int parameters;
  Oid types[12];
  SPIPlanPtr plan = nullptr;
};

struct Argument {
  Datum value;
  bool absent = false;
};

inline Argument text_argument(const char* text) {
  return text ? Argument{CStringGetTextDatum(text)} : Argument{0, true};
}
constexpr Argument absent_argument{0, true};
inline Argument bigint_argument(int64 number) { return {Int64GetDatum(number)}; }
inline Argument int_argument(int32 number) { return {Int32GetDatum(number)}; }
inline Argument time_argument(TimestampTz time) { return {TimestampTzGetDatum(time)}; }

void open_spi();
void close_spi();

/// Plans without running: for statements that must not need planning later.
void prepare(Statement& statement);
/// Runs with a new snapshot and returns the number of rows; columns of the result are read by the functions
/// below.
int64 run(Statement& statement, std::initializer_list<Argument> arguments);

int64 bigint_column(int64 row, int column);
int32 int_column(int64 row, int column);
bool bool_column(int64 row, int column);
TimestampTz time_column(int64 row, int column);
bool is_null(int64 row, int column);
float8 float_column(int64 row, int column);
/// Of any type, in the memory of the result: lives until close_spi().
Datum datum_column(int64 row, int column);
/// Null if absent; lives until close_spi().
const char* text_column(int64 row, int column);

}  // namespace coord
