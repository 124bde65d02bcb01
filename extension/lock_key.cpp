#include "lock_key.hpp"

#include "guard.hpp"

namespace coord {

namespace {

/// Numbers of short keys that this session asked for lately: to compute one takes longer than to lock it.
struct Known {
  int length;  // 0: none
  char key[60];
  int64 number;
};
Known known[64];

Known* place_of(const char* key, int length) {
  if (length == 0 || length > static_cast<int>(sizeof known[0].key)) return nullptr;
  return &known[hash_bytes(reinterpret_cast<const unsigned char*>(key), length) % lengthof(known)];
}

int64 compute(const text* key) {
  const int length = static_cast<int>(VARSIZE_ANY_EXHDR(key));
  const char* const utf8 = pg_server_to_any(VARDATA_ANY(key), length, PG_UTF8);
  const bool same = utf8 == VARDATA_ANY(key);
  const bytea* const bytes = same ? key : cstring_to_text(utf8);
  const bytea* const hash =
      DatumGetByteaPP(DirectFunctionCall1(sha256_bytea, PointerGetDatum(const_cast<bytea*>(bytes))));
  const auto* const digest = reinterpret_cast<const unsigned char*>(VARDATA_ANY(hash));
  uint64 number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | digest[i];
  return static_cast<int64>(number & 0x7FFFFFFFFFFFFFFF);
}

}  // namespace

int64 lock_key_of(const text* key) {
  const char* const bytes = VARDATA_ANY(key);
  const int length = static_cast<int>(VARSIZE_ANY_EXHDR(key));
  Known* const place = place_of(bytes, length);
  if (place && place->length == length && memcmp(place->key, bytes, length) == 0) return place->number;
  const int64 number = compute(key);
  if (!place) return number;
  memcpy(place->key, bytes, length);
  place->length = length;
  place->number = number;
  return number;
}

}  // namespace coord

COORD_FUNCTION(coord_lock_key) { PG_RETURN_INT64(coord::lock_key_of(PG_GETARG_TEXT_PP(0))); }
