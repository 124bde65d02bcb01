#include "lock_key.hpp"

#include "guard.hpp"

namespace coord {

int64 lock_key_of(const text* key) {
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

}  // namespace coord

COORD_FUNCTION(coord_lock_key) { PG_RETURN_INT64(coord::lock_key_of(PG_GETARG_TEXT_PP(0))); }
