#include "spi.hpp"

#include "fail.hpp"

namespace coord {

namespace {

Datum value_of(int64 row, int column, bool* absent) {
  return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, absent);
}

Datum present_value(int64 row, int column) {
  bool absent = false;
  const Datum value = value_of(row, column, &absent);
  if (absent) elog(ERROR, "unexpected null in column %d of a registry row", column);
  return value;
}

}  // namespace

void open_spi() {
  if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "SPI_connect failed");
}

void close_spi() { SPI_finish(); }

void prepare(Statement& statement) {
  if (statement.plan) return;
  const SPIPlanPtr plan =
      SPI_prepare_cursor(statement.text, statement.parameters, statement.types, CURSOR_OPT_GENERIC_PLAN);
  if (!plan) elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
  SPI_keepplan(plan);
  statement.plan = plan;
  ReleaseCachedPlan(SPI_plan_get_cached_plan(plan), CurrentResourceOwner);
}

int64 run(Statement& statement, std::initializer_list<Argument> arguments) {
  Datum values[12];
  char absent[12];
  int count = 0;
  for (const Argument& argument : arguments) {
    values[count] = argument.value;
    absent[count++] = argument.absent ? 'n' : ' ';
  }
  Assert(count == statement.parameters);
  prepare(statement);
  const int result = SPI_execute_plan(statement.plan, values, absent, false, 0);
  if (result < 0) elog(ERROR, "SPI_execute_plan failed: %s", SPI_result_code_string(result));
  return static_cast<int64>(SPI_processed);
}

int64 bigint_column(int64 row, int column) { return DatumGetInt64(present_value(row, column)); }
int32 int_column(int64 row, int column) { return DatumGetInt32(present_value(row, column)); }
bool bool_column(int64 row, int column) { return DatumGetBool(present_value(row, column)); }
TimestampTz time_column(int64 row, int column) { return DatumGetTimestampTz(present_value(row, column)); }

bool is_null(int64 row, int column) {
  bool absent = false;
  (void)value_of(row, column, &absent);
  return absent;
}

float8 float_column(int64 row, int column) { return DatumGetFloat8(present_value(row, column)); }
Datum datum_column(int64 row, int column) { return present_value(row, column); }

const char* text_column(int64 row, int column) {
  bool absent = false;
  const Datum value = value_of(row, column, &absent);
  return absent ? nullptr : TextDatumGetCString(value);
}

}  // namespace coord
