#include "registry.hpp"

#include "bound.hpp"
#include "fail.hpp"

namespace coord {

namespace {

constexpr const char* table_names[] = {"_epoch", "_member", "_beat", "_election", "_candidate", "_change"};

Oid find_relation(const char* name) {
  const Oid schema = get_namespace_oid("coord", true);
  return OidIsValid(schema) ? get_relname_relid(name, schema) : InvalidOid;
}

}  // namespace

Relation open_table(Table table) {
  const Oid oid = table_oid(table);
  if (!ConditionalLockRelationOid(oid, AccessShareLock)) {
    const int level = bound_waits();
    LockRelationOid(oid, AccessShareLock);
    end_bound(level);
  }
  return table_open(oid, NoLock);
}

Oid find_index(const char* name) { return find_relation(name); }

Oid find_table(Table table) { return find_relation(table_names[static_cast<int>(table)]); }

Oid table_oid(Table table) {
  const Oid oid = find_table(table);
  if (!OidIsValid(oid))
    fail({.code = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
          .message = "extension \"pg_coord\" is not installed in this database"});
  return oid;
}

Oid registry_owner() {
  const HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table_oid(Table::election)));
  const Oid owner = reinterpret_cast<Form_pg_class>(GETSTRUCT(tuple))->relowner;
  ReleaseSysCache(tuple);
  return owner;
}

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
  for (const char* name : table_names) {
    const Oid oid = find_relation(name);
    if (!OidIsValid(oid) || !ConditionalLockRelationOid(oid, RowExclusiveLock)) return false;
    if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(oid)) || !lock_indexes_at_once(oid)) return false;
  }
  const Oid sequence = find_relation("_change_event_id_seq");
  return OidIsValid(sequence) && ConditionalLockRelationOid(sequence, RowExclusiveLock);
}

}  // namespace coord
