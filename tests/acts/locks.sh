# shellcheck shell=bash disable=SC2154
# Sourced by tests/demo. A named lock: the probe, a wait with a bound, who holds it, and the release at SIGKILL.

lock_key='cutover:550e8400-e29b-41d4-a716-446655440000'

act_locks() {
  local before after holder
  say "" "A named lock, $lock_key:"
  coproc "${private_user[@]}" "$PGCOORD_PG_BINDIR/psql" -XqAt
  printf "SET application_name = 'migrator'; SELECT coord.try_lock('%s');\n" "$lock_key" >&"${COPROC[1]}"
  read -r -t 10 holder <&"${COPROC[0]}"
  say "    SELECT coord.try_lock(...)             one session: $holder, another: $(sql "SELECT coord.try_lock('$lock_key')")"
  before=${EPOCHREALTIME/[^0-9]/}
  sql "CALL coord.lock('$lock_key', '300 ms')" >"$private/wait.log" 2>&1 || true
  after=${EPOCHREALTIME/[^0-9]/}
  say "    CALL coord.lock(..., '300 ms')         $(sed -n 's/^ERROR:  \([0-9A-Z]*\):.*/\1/p' "$private/wait.log") after $(((after - before) / 1000)) ms"
  sql "SELECT format('    SELECT ... FROM coord.locks            held by process %s, %s, %s waiting', session_pid, application_name, waiters)
    FROM coord.locks WHERE key = '$lock_key'"
  before=${EPOCHREALTIME/[^0-9]/}
  kill -KILL "$COPROC_PID"
  disown "$COPROC_PID"
  sql "CALL coord.lock('$lock_key', '10 s')"
  after=${EPOCHREALTIME/[^0-9]/}
  say "    the holder is killed (SIGKILL)         the next one has the lock after $(((after - before) / 1000)) ms"
}
