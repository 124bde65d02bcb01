// JSON texts, built key by key; allocated in the current memory context.
#pragma once

#include "pg.hpp"

namespace coord {

/// An object that is not closed yet.
struct Json {
  StringInfoData text;
};

void begin_object(Json* json);
/// The finished text.
const char* end_object(Json* json);

/// A null text becomes null.
void put_text(Json* json, const char* key, const char* value);
void put_number(Json* json, const char* key, int64 value);
/// Must be finite: JSON knows no other.
void put_float(Json* json, const char* key, float8 value);
void put_bool(Json* json, const char* key, bool value);
/// ISO 8601 in UTC with offset, `2025-01-01T00:00:00+00:00`; a fraction only if there is one, of six digits.
void put_time(Json* json, const char* key, TimestampTz value);
/// A text[] without nulls; may be toasted.
void put_list(Json* json, const char* key, Datum list);
/// A jsonb value; may be toasted.
void put_jsonb(Json* json, const char* key, Datum value);

}  // namespace coord
