#include "term.hpp"

#include "registry.hpp"
#include "rules/names.hpp"

namespace coord {

namespace {

constexpr int columns = 4;  // of which the first is the name

/// Where a row was found last. It is looked at there first, and believed only if it is still the row of that
/// name and nobody has replaced it: that saves the way through the index.
struct Place {
  Oid table = InvalidOid;
  Buffer buffer = InvalidBuffer;  // where its page was in memory; unknown at first
  ItemPointerData tuple;
  char election[longest_name + 1] = "";
};
Place last;

bool names(HeapTuple tuple, TupleDesc shape, const char* election) {
  bool absent = false;
  const Datum value = heap_getattr(tuple, 1, shape, &absent);
  const text* const name = DatumGetTextPP(value);
  return VARSIZE_ANY_EXHDR(name) == strlen(election) &&
         memcmp(VARDATA_ANY(name), election, strlen(election)) == 0;
}

Term term_of(HeapTuple tuple, TupleDesc shape) {
  bool absent[columns];
  Datum values[columns];
  for (int i = 1; i < columns; ++i) values[i] = heap_getattr(tuple, i + 1, shape, &absent[i]);
  return {DatumGetInt32(values[1]), DatumGetInt64(values[2]), !absent[3]};
}

/// Not if the page is in memory no more: a vacuum may have cut it off.
bool pin_page(Relation table) {
  const BlockNumber block = ItemPointerGetBlockNumber(&last.tuple);
  if (BufferIsValid(last.buffer) &&
      ReadRecentBuffer(compat::file_of(table), MAIN_FORKNUM, block, last.buffer))
    return true;
  if (block >= RelationGetNumberOfBlocks(table)) return false;
  last.buffer = ReadBuffer(table, block);
  return true;
}

bool read_at_last_place(Relation table, const char* election, Term* term) {
  if (last.table != RelationGetRelid(table) || strcmp(last.election, election) != 0) return false;
  if (!pin_page(table)) return false;
  HeapTupleData tuple;
  tuple.t_self = last.tuple;
  Buffer buffer = InvalidBuffer;
  bool found = heap_fetch(table, SnapshotSelf, &tuple, &buffer, false);
  if (found) {
    found = names(&tuple, RelationGetDescr(table), election);
    if (found) *term = term_of(&tuple, RelationGetDescr(table));
    ReleaseBuffer(buffer);
  }
  ReleaseBuffer(last.buffer);
  return found;
}

bool read_by_index(Relation table, const char* election, Term* term) {
  ScanKeyData key;
  ScanKeyInit(&key, 1, BTEqualStrategyNumber, F_TEXTEQ, CStringGetTextDatum(election));
  const Oid index = find_index(Key::election_by_name);
  const SysScanDesc scan = systable_beginscan(table, index, OidIsValid(index), SnapshotSelf, 1, &key);
  const HeapTuple tuple = systable_getnext(scan);
  const bool found = HeapTupleIsValid(tuple);
  if (found) {
    *term = term_of(tuple, RelationGetDescr(table));
    last.table = RelationGetRelid(table);
    last.tuple = tuple->t_self;
    last.buffer = InvalidBuffer;
    strlcpy(last.election, election, sizeof last.election);
  }
  systable_endscan(scan);
  return found;
}

}  // namespace

bool read_term(const char* election, Term* term) {
  const Relation table = open_table(Table::election);
  const bool found = read_at_last_place(table, election, term) || read_by_index(table, election, term);
  table_close(table, AccessShareLock);
  return found;
}

}  // namespace coord
