// Every difference between PostgreSQL versions, as functions; no version test stands anywhere else.
#pragma once

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 200000
#error "pg_coord supports PostgreSQL 15 to 19"
#endif

#if PG_VERSION_NUM >= 160000
extern "C" {
#include "varatt.h"
}
#else
// Before 16 the macro is empty on Linux, and this library hides what it does not export.
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#endif

namespace coord::compat {

/// Index of a process in the server's table of sessions.
inline int session_slot(PGPROC* process) {
#if PG_VERSION_NUM >= 170000
  return GetNumberFromPGProc(process);
#else
  return process->backendId - 1;
#endif
}

/// This process's own index there.
inline int my_session_slot() {
#if PG_VERSION_NUM >= 170000
  return MyProcNumber;
#else
  return MyBackendId - 1;
#endif
}

/// Whether this session holds that lock.
inline bool holds_lock(const LOCKTAG& tag, LOCKMODE mode) {
#if PG_VERSION_NUM >= 170000
  return LockHeldByMe(&tag, mode, false);
#else
  return LockHeldByMe(&tag, mode);
#endif
}

/// Whether this session holds that lock for longer than a transaction. To see for whom it is held, it is
/// taken once more and given back, which is no work for who holds it.
inline bool keeps_lock(const LOCKTAG& tag, LOCKMODE mode) {
  if (!holds_lock(tag, mode)) return false;
  LOCALLOCK* mine = nullptr;
#if PG_VERSION_NUM >= 180000
  (void)LockAcquireExtended(&tag, mode, true, true, true, &mine, false);
#else
  (void)LockAcquireExtended(&tag, mode, true, true, true, &mine);
#endif
  bool kept = false;
  for (int i = 0; i < mine->numLockOwners; ++i)
    kept = kept || (!mine->lockOwners[i].owner && mine->lockOwners[i].nLocks > 1);
  (void)LockRelease(&tag, mode, true);
  return kept;
}

/// Which file a table is in.
inline auto file_of(Relation table) {
#if PG_VERSION_NUM >= 160000
  return table->rd_locator;
#else
  return table->rd_node;
#endif
}

/// How the server's caches are numbered in invalidation callbacks.
#if PG_VERSION_NUM >= 190000
using CacheNumber = SysCacheIdentifier;
#else
using CacheNumber = int;
#endif

}  // namespace coord::compat
