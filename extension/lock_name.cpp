#include "lock_name.hpp"

#include "arguments.hpp"
#include "fail.hpp"
#include "guard.hpp"
#include "lock_key.hpp"
#include "registry.hpp"
#include "row.hpp"
#include "spi.hpp"
#include "turn.hpp"

namespace coord {

namespace {

constinit Statement name_statement = {
    .text =
        "INSERT INTO coord._lock (lock_id, key, named_at) VALUES ($1, $2, clock_timestamp())"
        " ON CONFLICT DO NOTHING",
    .parameters = 2,
    .types = {INT8OID, TEXTOID}};

/// Names found committed, by this session; looked for again after a while, since old ones are forgotten.
struct Known {
  int64 id;
  Oid registry;
  uint64 key_hash;
  TimestampTz until;
};
constexpr int most_known = 256;
constexpr int64 known_for = 60 * USECS_PER_SEC;
Known known[most_known];

uint64 hash_of(const text* key) {
  return hash_bytes_extended(reinterpret_cast<const unsigned char*>(VARDATA_ANY(key)),
                             static_cast<int>(VARSIZE_ANY_EXHDR(key)), 0);
}

bool is_known(const Known& place, const Known& now, TimestampTz at) {
  return place.id == now.id && place.registry == now.registry && place.key_hash == now.key_hash &&
         at < place.until && place.until <= now.until;  // a clock that was set back
}

Known& place_of(int64 id) { return known[static_cast<uint64>(id) % most_known]; }

[[noreturn]] void fail_collision(const char* key, const char* other) {
  fail({.code = sqlstate::lock_name_collision,
        .message = psprintf("lock keys \"%s\" and \"%s\" have the same number", key, other),
        .hint = "Use another key for one of them."});
}

/// Calls the SQL function, for its owner's rights and search_path.
void record(const text* key) {
  Oid types[] = {TEXTOID};
  List* const name = list_make2(makeString(pstrdup("coord")), makeString(pstrdup("_name_lock")));
  const Oid function = LookupFuncName(name, 1, types, false);
  (void)OidFunctionCall1(function, PointerGetDatum(const_cast<text*>(key)));
}

}  // namespace

void keep_lock_name(int64 id, const text* key, Naming naming) {
  const TimestampTz at = GetCurrentTimestamp();
  const Known now{id, table_oid(Table::lock), hash_of(key), at + known_for};
  Known& place = place_of(id);
  if (is_known(place, now, at)) return;
  const char* const wanted = text_to_cstring(key);
  LockNameRow found{};
  if (read_lock_name(id, &found)) {
    if (strcmp(found.key, wanted) != 0) fail_collision(wanted, found.key);
    if (!found.tentative) place = now;
    return;
  }
  if (naming == Naming::record && !XactReadOnly) record(key);
}

}  // namespace coord

/// Without waiting: whoever holds the turn records the same number.
COORD_FUNCTION(coord_name_lock) {
  using namespace coord;
  require_argument(fcinfo, 0, "key");
  const int64 id = lock_key_of(PG_GETARG_TEXT_PP(0));
  if (!try_turn({TurnKind::lock_name, psprintf(INT64_FORMAT, id)}, Patience::none)) PG_RETURN_VOID();
  if (!ConditionalLockRelationOid(table_oid(Table::lock), RowExclusiveLock)) PG_RETURN_VOID();
  LockNameRow there{};  // meanwhile; a snapshot of an older transaction would make that a failure
  if (read_lock_name(id, &there)) PG_RETURN_VOID();
  open_spi();
  run(name_statement, {bigint_argument(id), {PG_GETARG_DATUM(0)}});
  close_spi();
  PG_RETURN_VOID();
}
