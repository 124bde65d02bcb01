#include "arguments.hpp"
#include "bound.hpp"
#include "fail.hpp"
#include "guard.hpp"
#include "lock_key.hpp"
#include "lock_name.hpp"
#include "place.hpp"

namespace coord {

namespace {

/// What this session took by these functions. A DISCARD ALL or pg_advisory_unlock_all() releases it behind
/// our back, so the server's table of locks has the last word.
HTAB* taken = nullptr;

struct Taken {
  int64 id;
  bool held;  // false if the server raised an error instead
};

LOCKTAG tag_of(int64 id) {
  LOCKTAG tag;
  SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, static_cast<uint32>(static_cast<uint64>(id) >> 32),
                       static_cast<uint32>(id), 1);  // as pg_advisory_lock(bigint) does
  return tag;
}

void make_table() {
  if (taken) return;
  HASHCTL control{};
  control.keysize = sizeof(int64);
  control.entrysize = sizeof(Taken);
  control.hcxt = TopMemoryContext;
  taken = hash_create("pg_coord locks", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

bool is_held(int64 id) {
  const auto* const entry =
      taken ? static_cast<Taken*>(hash_search(taken, &id, HASH_FIND, nullptr)) : nullptr;
  if (!entry) return false;
  const LOCKTAG tag = tag_of(id);
  if (entry->held && compat::keeps_lock(tag, ExclusiveLock)) return true;
  (void)hash_search(taken, &id, HASH_REMOVE, nullptr);
  return false;
}

void refuse_elsewhere(const char* function) {
  require_primary(function, "A lock of a standby excludes nobody on its primary.");
}

const text* key_argument(FunctionCallInfo fcinfo) {
  require_argument(fcinfo, 0, "key");
  return PG_GETARG_TEXT_PP(0);
}

bool lock_for_transaction(int64 id, bool wait) {
  const LOCKTAG tag = tag_of(id);
  return LockAcquire(&tag, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

/// For the session, if it is free. Its entry is made before the lock is held: nothing may fail in between.
bool acquire(int64 id) {
  make_table();
  const LOCKTAG tag = tag_of(id);
  auto* const entry = static_cast<Taken*>(hash_search(taken, &id, HASH_ENTER, nullptr));
  entry->held = false;
  entry->held = LockAcquire(&tag, ExclusiveLock, true, true) != LOCKACQUIRE_NOT_AVAIL;
  if (entry->held) return true;
  (void)hash_search(taken, &id, HASH_REMOVE, nullptr);
  return false;
}

bool release(int64 id) {
  if (!is_held(id)) return false;
  const LOCKTAG tag = tag_of(id);
  (void)hash_search(taken, &id, HASH_REMOVE, nullptr);
  return LockRelease(&tag, ExclusiveLock, true);
}

/// Milliseconds; `none` waits until cancelled, or for lock_timeout.
struct Bound {
  bool none;
  int32 milliseconds;
};

Bound bound_argument(FunctionCallInfo fcinfo, int number) {
  if (PG_ARGISNULL(number)) return {true, 0};
  const int64 wait = drain_argument(fcinfo, number, "wait");
  return {false, static_cast<int32>((wait + 999) / 1000)};
}

/// One who waits.
struct Waiter {
  int64 id;
  const text* name;
  const char* key;
  Bound bound;
};

[[noreturn]] void fail_held(const char* key) {
  fail({.code = ERRCODE_LOCK_NOT_AVAILABLE,
        .message = psprintf("lock \"%s\" is held by another session", key),
        .hint = "See coord.locks."});
}

extern "C" void coord_say_which_lock(void* waiter) {
  errcontext("while waiting for lock \"%s\"", static_cast<const Waiter*>(waiter)->key);
}

/// In the server's queue, first come first served, for the transaction. Whoever cancels, or runs out of time,
/// leaves nothing behind: neither in the queue nor, granted at that very moment, a lock, which the server
/// leaves to a session that waited for itself.
void queue_for(const Waiter& waiter) {
  if (!waiter.bound.none && waiter.bound.milliseconds == 0) {
    if (!lock_for_transaction(waiter.id, false)) fail_held(waiter.key);
    return;
  }
  ErrorContextCallback context{error_context_stack, coord_say_which_lock, const_cast<Waiter*>(&waiter)};
  error_context_stack = &context;
  const int level = waiter.bound.none ? NewGUCNestLevel() : bound_waits(waiter.bound.milliseconds);
  (void)lock_for_transaction(waiter.id, true);
  end_bound(level);
  error_context_stack = context.previous;
}

/// Not that of a procedure or DO block around the call, whose work it would commit.
bool may_end_transaction(const Node* context) {
  return context && IsA(context, CallContext) && !castNode(CallContext, const_cast<Node*>(context))->atomic &&
         !SPI_inside_nonatomic_context();
}

/// The snapshot of the statement itself, which no other can see through; not one that a function above holds,
/// nor that of a whole transaction.
bool let_go_snapshot() {
  if (IsolationUsesXactSnapshot() || !ActivePortal || !ActivePortal->portalSnapshot || !ActiveSnapshotSet() ||
      GetActiveSnapshot() != ActivePortal->portalSnapshot)
    return false;
  PopActiveSnapshot();
  ActivePortal->portalSnapshot = nullptr;
  InvalidateCatalogSnapshot();
  return true;
}

/// What the transaction holds becomes the session's.
void keep_for_session(int64 id) {
  (void)acquire(id);
  const LOCKTAG tag = tag_of(id);
  (void)LockRelease(&tag, ExclusiveLock, false);
}

/// A wait holds back no vacuum: it has neither snapshot nor transaction id. As a statement of its own it
/// waits in a transaction of its own.
void wait_alone(const Waiter& waiter) {
  keep_lock_name(waiter.id, waiter.name, Naming::record);
  SPI_connect_ext(SPI_OPT_NONATOMIC);
  SPI_commit();
  queue_for(waiter);
  keep_for_session(waiter.id);
  SPI_finish();
}

/// In a block it lets go of its own snapshot, if the block's isolation level keeps none, and records the name
/// only afterwards.
void wait_within(const Waiter& waiter) {
  keep_lock_name(waiter.id, waiter.name, Naming::compare);
  const bool let_go = let_go_snapshot();
  queue_for(waiter);
  if (let_go) EnsurePortalSnapshotExists();
  keep_lock_name(waiter.id, waiter.name, Naming::record);
  keep_for_session(waiter.id);
}

int32 release_all() {
  if (!taken) return 0;
  int32 released = 0;
  HASH_SEQ_STATUS walk;
  hash_seq_init(&walk, taken);
  while (const auto* const entry = static_cast<Taken*>(hash_seq_search(&walk)))
    released += release(entry->id) ? 1 : 0;  // removing the entry just returned is allowed
  return released;
}

}  // namespace

}  // namespace coord

COORD_FUNCTION(coord_try_lock) {
  const text* const key = coord::key_argument(fcinfo);
  coord::refuse_elsewhere("try_lock");
  const int64 id = coord::lock_key_of(key);
  coord::keep_lock_name(id, key, coord::Naming::record);
  PG_RETURN_BOOL(coord::is_held(id) || coord::acquire(id));
}

COORD_FUNCTION(coord_unlock) {
  PG_RETURN_BOOL(coord::release(coord::lock_key_of(coord::key_argument(fcinfo))));
}

COORD_FUNCTION(coord_unlock_all) { PG_RETURN_INT32(coord::release_all()); }

/// A procedure, since only those can let go of the snapshot that every other statement holds.
COORD_FUNCTION(coord_lock) {
  const text* const key = coord::key_argument(fcinfo);
  const coord::Bound bound = coord::bound_argument(fcinfo, 1);
  coord::refuse_elsewhere("lock");
  const int64 id = coord::lock_key_of(key);
  if (coord::is_held(id)) {
    coord::keep_lock_name(id, key, coord::Naming::record);
    return Datum{0};
  }
  const bool alone = coord::may_end_transaction(fcinfo->context);
  (alone ? coord::wait_alone : coord::wait_within)({id, key, text_to_cstring(key), bound});
  return Datum{0};
}
