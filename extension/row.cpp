#include "row.hpp"

namespace coord {

namespace {

/// Rows of a table whose column is `key`; all of them where `column` is 0.
struct Search {
  Table table;
  Key index;
  AttrNumber column;
  RegProcedure equal;
  Datum key;
};

struct Scan {
  Relation table;
  Snapshot snapshot;
  SysScanDesc scan;
};

/// `snapshot` is SnapshotSelf only where no writer can be under way.
Scan begin_scan(const Search& search, Snapshot snapshot) {
  const Relation table = open_table(search.table);
  ScanKeyData key;
  if (search.column != 0) ScanKeyInit(&key, search.column, BTEqualStrategyNumber, search.equal, search.key);
  const Oid index = search.column != 0 ? find_index(search.index) : InvalidOid;
  const int keys = search.column != 0 ? 1 : 0;
  return {table, snapshot, systable_beginscan(table, index, OidIsValid(index), snapshot, keys, &key)};
}

void end_scan(const Scan& scan) {
  systable_endscan(scan.scan);
  table_close(scan.table, AccessShareLock);
}

/// The newest snapshot there is; a parallel plan allows no new one.
Snapshot newest_snapshot() {
  return RegisterSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
}

template <class Row>
bool read_under(const Search& search, Snapshot snapshot, void (*fill)(HeapTuple, TupleDesc, Row*), Row* row) {
  const Scan scan = begin_scan(search, snapshot);
  const HeapTuple tuple = systable_getnext(scan.scan);
  const bool found = HeapTupleIsValid(tuple);
  if (found) fill(tuple, RelationGetDescr(scan.table), row);
  end_scan(scan);
  return found;
}

template <class Row>
bool read_newest(const Search& search, void (*fill)(HeapTuple, TupleDesc, Row*), Row* row) {
  const Snapshot snapshot = newest_snapshot();
  const bool found = read_under(search, snapshot, fill, row);
  UnregisterSnapshot(snapshot);
  return found;
}

template <class Row>
void read_each(const Search& search, void (*fill)(HeapTuple, TupleDesc, Row*),
               void (*take)(const Row&, void*), void* context) {
  const Snapshot snapshot = newest_snapshot();
  const Scan scan = begin_scan(search, snapshot);
  for (HeapTuple tuple = systable_getnext(scan.scan); HeapTupleIsValid(tuple);
       tuple = systable_getnext(scan.scan)) {
    Row row{};
    fill(tuple, RelationGetDescr(scan.table), &row);
    take(row, context);
  }
  end_scan(scan);
  UnregisterSnapshot(snapshot);
}

/// A column, or zero (null for texts) if it is NULL.
Datum column(HeapTuple tuple, TupleDesc shape, int number) {
  bool absent = false;
  const Datum value = heap_getattr(tuple, number, shape, &absent);
  return absent ? Datum{0} : value;
}

const char* text_of(Datum value) { return value ? TextDatumGetCString(value) : nullptr; }

void fill_election(HeapTuple tuple, TupleDesc shape, ElectionRow* row) {
  row->election = text_of(column(tuple, shape, 1));
  row->epoch = DatumGetInt32(column(tuple, shape, 2));
  row->term = DatumGetInt64(column(tuple, shape, 3));
  row->leader_incarnation = DatumGetInt64(column(tuple, shape, 4));
  row->leader_group = text_of(column(tuple, shape, 5));
  row->leader = text_of(column(tuple, shape, 6));
  row->leader_pid = DatumGetInt32(column(tuple, shape, 7));
  row->leader_start = DatumGetTimestampTz(column(tuple, shape, 8));
  row->elected_at = DatumGetTimestampTz(column(tuple, shape, 9));
}

void fill_beat(HeapTuple tuple, TupleDesc shape, BeatRow* row) {
  row->timeout = DatumGetInt64(column(tuple, shape, 2));
  row->last = DatumGetTimestampTz(column(tuple, shape, 3));
  row->in_flight_count = DatumGetInt32(column(tuple, shape, 4));
  row->load_factor = DatumGetFloat8(column(tuple, shape, 5));
  row->deadline = DatumGetTimestampTz(column(tuple, shape, 6));
}

void fill_member(HeapTuple tuple, TupleDesc shape, MemberRow* row) {
  row->group = text_of(column(tuple, shape, 1));
  row->instance = text_of(column(tuple, shape, 2));
  row->session_pid = DatumGetInt32(column(tuple, shape, 5));
  row->session_start = DatumGetTimestampTz(column(tuple, shape, 6));
}

void fill_candidate(HeapTuple tuple, TupleDesc shape, CandidateRow* row) {
  row->election = text_of(column(tuple, shape, 1));
  row->incarnation = DatumGetInt64(column(tuple, shape, 2));
  row->priority = DatumGetInt32(column(tuple, shape, 3));
  row->queued_at = DatumGetTimestampTz(column(tuple, shape, 4));
}

bool is_tentative(HeapTuple tuple) {
  return TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(tuple->t_data));
}

void fill_lock_name(HeapTuple tuple, TupleDesc shape, LockNameRow* row) {
  row->key = text_of(column(tuple, shape, 2));
  row->tentative = is_tentative(tuple);
}

void fill_epoch(HeapTuple tuple, TupleDesc shape, EpochRow* row) {
  row->system_identifier = DatumGetInt64(column(tuple, shape, 2));
  row->timeline = DatumGetInt32(column(tuple, shape, 3));
  row->database = DatumGetObjectId(column(tuple, shape, 4));
  row->registry = DatumGetObjectId(column(tuple, shape, 5));
  row->epoch = DatumGetInt32(column(tuple, shape, 6));
  row->tentative = is_tentative(tuple);
}

Search by_name(Table table, Key index, const char* name) {
  return {table, index, 1, F_TEXTEQ, CStringGetTextDatum(name)};
}

Search by_number(Table table, Key index, AttrNumber column, int64 number) {
  return {table, index, column, F_INT8EQ, Int64GetDatum(number)};
}

}  // namespace

bool read_election(const char* election, ElectionRow* row) {
  return read_newest(by_name(Table::election, Key::election_by_name, election), fill_election, row);
}

bool read_election_locked(const char* election, ElectionRow* row) {
  return read_under(by_name(Table::election, Key::election_by_name, election), SnapshotSelf, fill_election,
                    row);
}

bool read_beat(int64 incarnation, BeatRow* row) {
  return read_newest(by_number(Table::beat, Key::beat_by_incarnation, 1, incarnation), fill_beat, row);
}

bool read_member(int64 incarnation, MemberRow* row) {
  return read_newest(by_number(Table::member, Key::member_by_incarnation, 3, incarnation), fill_member, row);
}

bool read_lock_name(int64 id, LockNameRow* row) {
  return read_newest(by_number(Table::lock, Key::lock_by_id, 1, id), fill_lock_name, row);
}

bool read_epoch(EpochRow* row) {
  return read_newest({Table::epoch, Key{}, 0, InvalidOid, 0}, fill_epoch, row);
}

void each_election_led_by(int64 incarnation, void (*take)(const ElectionRow&, void*), void* context) {
  read_each(by_number(Table::election, Key::election_by_leader, 4, incarnation), fill_election, take,
            context);
}

void each_candidate(const char* election, void (*take)(const CandidateRow&, void*), void* context) {
  read_each(by_name(Table::candidate, Key::candidate_by_election, election), fill_candidate, take, context);
}

void each_candidacy_of(int64 incarnation, void (*take)(const CandidateRow&, void*), void* context) {
  read_each(by_number(Table::candidate, Key::candidate_by_incarnation, 2, incarnation), fill_candidate, take,
            context);
}

}  // namespace coord
