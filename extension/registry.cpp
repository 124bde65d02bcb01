#include "registry.hpp"

#include "bound.hpp"
#include "fail.hpp"

namespace coord {

namespace {

constexpr const char* names[] = {"_epoch",
                                 "_member",
                                 "_beat",
                                 "_election",
                                 "_candidate",
                                 "_change",
                                 "_lock",
                                 "_election_pkey",
                                 "_beat_pkey",
                                 "_member_incarnation_key",
                                 "_candidate_pkey",
                                 "_election_leader",
                                 "_candidate_incarnation",
                                 "_lock_pkey",
                                 "_change_event_id_seq"};
constexpr int tables = 7;
constexpr int exit_tables = 6;  // the first ones

/// What was found, until the server says that something changed; InvalidOid: look.
Oid known[lengthof(names)];

void forget_all() { memset(known, 0, sizeof known); }

extern "C" void coord_forget_relation(Datum, Oid relation) {
  for (const Oid oid : known)
    if (!OidIsValid(relation) || oid == relation) return forget_all();
}

extern "C" void coord_forget_schema(Datum, compat::CacheNumber, uint32) { forget_all(); }

void watch_changes() {
  static bool watching = false;
  if (watching) return;
  CacheRegisterRelcacheCallback(coord_forget_relation, Datum{0});
  CacheRegisterSyscacheCallback(NAMESPACEOID, coord_forget_schema, Datum{0});
  watching = true;
}

Oid find(int number) {
  if (OidIsValid(known[number])) return known[number];
  watch_changes();
  const Oid schema = get_namespace_oid("coord", true);
  const Oid found = OidIsValid(schema) ? get_relname_relid(names[number], schema) : InvalidOid;
  known[number] = found;
  return found;
}

[[noreturn]] void fail_not_installed() {
  fail({.code = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
        .message = "extension \"pg_coord\" is not installed in this database"});
}

Oid registry_owner() {
  const HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table_oid(Table::election)));
  const Oid owner = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  return owner;
}

}  // namespace

Relation open_table(Table table, LOCKMODE mode) {
  const Oid oid = table_oid(table);
  if (!ConditionalLockRelationOid(oid, mode)) {
    const int level = bound_waits();
    LockRelationOid(oid, mode);
    end_bound(level);
  }
  if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(oid))) fail_not_installed();  // dropped meanwhile
  return table_open(oid, NoLock);
}

Oid find_index(Key key) { return find(tables + static_cast<int>(key)); }

Oid find_table(Table table) { return find(static_cast<int>(table)); }

Oid table_oid(Table table) {
  const Oid oid = find_table(table);
  if (!OidIsValid(oid)) fail_not_installed();
  return oid;
}

FormerUser become_owner() {
  FormerUser former;
  GetUserIdAndSecContext(&former.user, &former.context);
  SetUserIdAndSecContext(registry_owner(), former.context | SECURITY_LOCAL_USERID_CHANGE);
  return former;
}

void become(const FormerUser& former) { SetUserIdAndSecContext(former.user, former.context); }

namespace {

/// ALTER INDEX and REINDEX lock an index alone.
bool lock_indexes_at_once(Oid table) {
  const Relation relation = table_open(table, NoLock);
  List* const indexes = RelationGetIndexList(relation);
  bool locked = true;
  ListCell* cell = nullptr;
  foreach (cell, indexes) locked = locked && ConditionalLockRelationOid(lfirst_oid(cell), RowExclusiveLock);
  table_close(relation, NoLock);
  return locked;
}

}  // namespace

bool lock_registry_at_once() {
  for (int table = 0; table < exit_tables; ++table) {
    const Oid oid = find(table);
    if (!OidIsValid(oid) || !ConditionalLockRelationOid(oid, RowExclusiveLock)) return false;
    if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(oid)) || !lock_indexes_at_once(oid)) return false;
  }
  const Oid sequence = find(lengthof(names) - 1);
  return OidIsValid(sequence) && ConditionalLockRelationOid(sequence, RowExclusiveLock);
}

}  // namespace coord
