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

Relation open_bounded(Table table) {
  const Oid oid = table_oid(table);
  if (!ConditionalLockRelationOid(oid, AccessShareLock)) {
    const int level = bound_waits();
    LockRelationOid(oid, AccessShareLock);
    end_bound(level);
  }
  return table_open(oid, NoLock);
}

/// Rows of a table whose column is `key`, or all of them without an index; `SnapshotSelf` only where no writer can be
/// under way.
struct RowSearch {
  Table table;
  const char* index;
  AttrNumber column;
  RegProcedure equal;
  Datum key;
  Snapshot snapshot;
};

struct RowScan {
  Relation table;
  SysScanDesc scan;
};

RowScan begin_scan(const RowSearch& search) {
  const Relation table = open_bounded(search.table);
  ScanKeyData key;
  if (search.index) ScanKeyInit(&key, search.column, BTEqualStrategyNumber, search.equal, search.key);
  const Oid index = search.index ? find_relation(search.index) : InvalidOid;
  return {table,
          systable_beginscan(table, index, OidIsValid(index), search.snapshot, search.index ? 1 : 0, &key)};
}

void end_scan(const RowScan& scan) {
  systable_endscan(scan.scan);
  table_close(scan.table, AccessShareLock);
}

template <class Row>
bool read_row(const RowSearch& search, void (*take)(HeapTuple, TupleDesc, Row*), Row* row) {
  const RowScan scan = begin_scan(search);
  const HeapTuple tuple = systable_getnext(scan.scan);
  const bool found = HeapTupleIsValid(tuple);
  if (found) take(tuple, RelationGetDescr(scan.table), row);
  end_scan(scan);
  return found;
}

Datum column(HeapTuple tuple, TupleDesc shape, int number, bool* absent) {
  return heap_getattr(tuple, number, shape, absent);
}

const char* text_or_null(Datum value, bool absent) { return absent ? nullptr : TextDatumGetCString(value); }

void take_election(HeapTuple tuple, TupleDesc shape, ElectionRow* row) {
  bool absent = false;
  row->election = TextDatumGetCString(column(tuple, shape, 1, &absent));
  row->epoch = DatumGetInt32(column(tuple, shape, 2, &absent));
  row->term = DatumGetInt64(column(tuple, shape, 3, &absent));
  const Datum incarnation = column(tuple, shape, 4, &absent);
  row->leader_incarnation = absent ? 0 : DatumGetInt64(incarnation);
  const Datum group = column(tuple, shape, 5, &absent);
  row->leader_group = text_or_null(group, absent);
  const Datum leader = column(tuple, shape, 6, &absent);
  row->leader = text_or_null(leader, absent);
  const Datum pid = column(tuple, shape, 7, &absent);
  row->leader_pid = absent ? 0 : DatumGetInt32(pid);
  const Datum start = column(tuple, shape, 8, &absent);
  row->leader_start = absent ? 0 : DatumGetTimestampTz(start);
  const Datum elected = column(tuple, shape, 9, &absent);
  row->elected_at = absent ? 0 : DatumGetTimestampTz(elected);
}

void take_beat(HeapTuple tuple, TupleDesc shape, BeatRow* row) {
  bool absent = false;
  row->timeout = DatumGetInt64(column(tuple, shape, 2, &absent));
  row->last = DatumGetTimestampTz(column(tuple, shape, 3, &absent));
}

void take_epoch(HeapTuple tuple, TupleDesc shape, EpochRow* row) {
  bool absent = false;
  row->system_identifier = DatumGetInt64(column(tuple, shape, 2, &absent));
  row->timeline = DatumGetInt32(column(tuple, shape, 3, &absent));
  row->database = DatumGetObjectId(column(tuple, shape, 4, &absent));
  row->registry = DatumGetObjectId(column(tuple, shape, 5, &absent));
  row->epoch = DatumGetInt32(column(tuple, shape, 6, &absent));
}

template <class Row>
bool read_newest(RowSearch search, void (*take)(HeapTuple, TupleDesc, Row*), Row* row) {
  search.snapshot = RegisterSnapshot(GetLatestSnapshot());
  const bool found = read_row(search, take, row);
  UnregisterSnapshot(search.snapshot);
  return found;
}

RowSearch election_search(const char* election) {
  return {Table::election, "_election_pkey", 1, F_TEXTEQ, CStringGetTextDatum(election), SnapshotSelf};
}

}  // namespace

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

bool lock_registry_at_once() {
  for (const char* name : table_names) {
    const Oid oid = find_relation(name);
    if (!OidIsValid(oid) || !ConditionalLockRelationOid(oid, RowExclusiveLock)) return false;
    if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(oid))) return false;
  }
  const Oid sequence = find_relation("_change_event_id_seq");
  return OidIsValid(sequence) && ConditionalLockRelationOid(sequence, RowExclusiveLock);
}

bool read_election(const char* election, ElectionRow* row) {
  return read_newest(election_search(election), take_election, row);
}

bool read_election_locked(const char* election, ElectionRow* row) {
  return read_row(election_search(election), take_election, row);
}

bool read_beat(int64 incarnation, BeatRow* row) {
  return read_newest({Table::beat, "_beat_pkey", 1, F_INT8EQ, Int64GetDatum(incarnation), nullptr}, take_beat, row);
}

void each_election_led_by(int64 incarnation, void (*take)(const ElectionRow&, void*), void* context) {
  const Snapshot snapshot = RegisterSnapshot(GetLatestSnapshot());
  const RowScan scan =
      begin_scan({Table::election, "_election_leader", 4, F_INT8EQ, Int64GetDatum(incarnation), snapshot});
  for (HeapTuple tuple = systable_getnext(scan.scan); HeapTupleIsValid(tuple); tuple = systable_getnext(scan.scan)) {
    ElectionRow row{};
    take_election(tuple, RelationGetDescr(scan.table), &row);
    take(row, context);
  }
  end_scan(scan);
  UnregisterSnapshot(snapshot);
}

bool read_epoch(EpochRow* row) {
  return read_newest({Table::epoch, nullptr, 0, InvalidOid, 0, nullptr}, take_epoch, row);
}

}  // namespace coord
