#include "session.hpp"

#include "guard.hpp"
#include "rules/watch.hpp"

namespace coord {

namespace {

/// The server's table of sessions. Only this session's own entry is exported; the others stand beside it.
PgBackendStatus* session_table() { return MyBEEntry - compat::my_session_slot(); }

}  // namespace

SessionName this_session() { return {MyProcPid, MyBEEntry->st_proc_start_timestamp}; }

bool session_alive(const SessionName& session) {
  if (session.pid == 0) return false;
  if (session.pid == MyProcPid) return session.start == MyBEEntry->st_proc_start_timestamp;
  PGPROC* const process = BackendPidGetProc(session.pid);
  if (!process) return false;
  const int slot = compat::session_slot(process);
  if (slot < 0) return false;
  volatile PgBackendStatus* const entry = session_table() + slot;
  for (;;) {  // the protocol of backend_status.h: read again if the entry changed meanwhile
    int before = 0;
    int after = 0;
    pgstat_begin_read_activity(entry, before);
    const bool same = entry->st_procpid == session.pid && entry->st_proc_start_timestamp == session.start;
    pgstat_end_read_activity(entry, after);
    if (pgstat_read_activity_complete(before, after)) return same;
    CHECK_FOR_INTERRUPTS();
  }
}

void retire_session() {
  volatile PgBackendStatus* const entry = MyBEEntry;
  PGSTAT_BEGIN_WRITE_ACTIVITY(entry);
  entry->st_proc_start_timestamp = 0;
  PGSTAT_END_WRITE_ACTIVITY(entry);
}

Moment this_moment() {
  instr_time monotonic;
  INSTR_TIME_SET_CURRENT(monotonic);
  return {GetCurrentTimestamp(), static_cast<int64>(INSTR_TIME_GET_MICROSEC(monotonic))};
}

}  // namespace coord

/// NULL on a standby: sessions of its primary cannot be seen there.
COORD_FUNCTION(coord_session_alive) {
  if (RecoveryInProgress()) PG_RETURN_NULL();
  if (PG_ARGISNULL(0) || PG_ARGISNULL(1)) PG_RETURN_BOOL(false);
  PG_RETURN_BOOL(coord::session_alive({PG_GETARG_INT32(0), PG_GETARG_TIMESTAMPTZ(1)}));
}

COORD_FUNCTION(coord_heard) {
  PG_RETURN_BOOL(coord::heard(GetCurrentTimestamp(), PG_GETARG_TIMESTAMPTZ(0), PG_GETARG_INT64(1)));
}
