#include "json.hpp"

namespace coord {

namespace {

void put_key(Json* json, const char* key) {
  appendStringInfo(&json->text, "%s\"%s\": ", json->text.len > 1 ? ", " : "", key);
}

}  // namespace

void begin_object(Json* json) {
  initStringInfo(&json->text);
  appendStringInfoChar(&json->text, '{');
}

const char* end_object(Json* json) {
  appendStringInfoChar(&json->text, '}');
  return json->text.data;
}

void put_text(Json* json, const char* key, const char* value) {
  put_key(json, key);
  if (value)
    escape_json(&json->text, value);
  else
    appendStringInfoString(&json->text, "null");
}

void put_number(Json* json, const char* key, int64 value) {
  put_key(json, key);
  appendStringInfo(&json->text, INT64_FORMAT, value);
}

void put_float(Json* json, const char* key, float8 value) {
  put_key(json, key);
  appendStringInfoString(&json->text, DatumGetCString(DirectFunctionCall1(float8out, Float8GetDatum(value))));
}

void put_bool(Json* json, const char* key, bool value) {
  put_key(json, key);
  appendStringInfoString(&json->text, value ? "true" : "false");
}

void put_time(Json* json, const char* key, TimestampTz value) {
  struct pg_tm parts;
  fsec_t fraction = 0;
  if (timestamp2tm(value, nullptr, &parts, &fraction, nullptr, nullptr) != 0)
    elog(ERROR, "timestamp out of range");
  put_key(json, key);
  appendStringInfo(&json->text, "\"%04d-%02d-%02dT%02d:%02d:%02d", parts.tm_year, parts.tm_mon, parts.tm_mday,
                   parts.tm_hour, parts.tm_min, parts.tm_sec);
  if (fraction != 0) appendStringInfo(&json->text, ".%06d", static_cast<int>(fraction));
  appendStringInfoString(&json->text, "+00:00\"");
}

void put_list(Json* json, const char* key, Datum list) {
  Datum* elements = nullptr;
  int count = 0;
  deconstruct_array(DatumGetArrayTypeP(list), TEXTOID, -1, false, TYPALIGN_INT, &elements, nullptr, &count);
  put_key(json, key);
  appendStringInfoChar(&json->text, '[');
  for (int i = 0; i < count; ++i) {
    if (i > 0) appendStringInfoString(&json->text, ", ");
    escape_json(&json->text, TextDatumGetCString(elements[i]));
  }
  appendStringInfoChar(&json->text, ']');
}

void put_jsonb(Json* json, const char* key, Datum value) {
  put_key(json, key);
  appendStringInfoString(&json->text, DatumGetCString(DirectFunctionCall1(jsonb_out, value)));
}

}  // namespace coord
