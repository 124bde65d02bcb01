# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by tests/run, tests/demo and the benchmarks: a private folder, a private server in it, and the
# user it runs as. PostgreSQL refuses root, so root's work is copied to that folder and done by postgres.
# The caller traps EXIT with private_end.

: "${PG_CONFIG:=pg_config}"
export PG_CONFIG PGCOORD_PG_BINDIR PGCOORD_STAGE

as_user() {  # COMMAND…: as the server's user, in the private folder
  "${private_user[@]}" "$@"
}

private_begin() {  # makes the folder and the names everything else uses
  private=$(mktemp -d "${TMPDIR:-/tmp}/pgcoord-XXXXXX")
  mkdir "$private/tmp"
  private_user=(env --chdir="$private" "TMPDIR=$private/tmp" "HOME=$private")
  if [[ $EUID -eq 0 ]]; then
    id postgres >/dev/null
    private_user=(setpriv --reuid=postgres --regid=postgres --init-groups "${private_user[@]}")
  fi
  PGCOORD_PG_BINDIR=$("$PG_CONFIG" --bindir)
  PGCOORD_STAGE=$private/stage
  unset PGHOST PGPORT PGUSER PGDATABASE PGSERVICE PGOPTIONS PGPASSWORD
}

private_give() {  # hands the folder over, after copying into it; a running server's data, which comes and goes, is its own
  [[ $EUID -ne 0 ]] || find "$private" -path "$private/data" -prune -o -exec chown -h postgres: {} +
}

server_settings() {
  local libdir sharedir major
  libdir=$("$PG_CONFIG" --pkglibdir)
  sharedir=$("$PG_CONFIG" --sharedir)
  major=$("$PG_CONFIG" --version | sed 's/^PostgreSQL \([0-9]*\).*/\1/')
  cat <<SETTINGS
listen_addresses = ''
unix_socket_directories = '$private'
port = 54321
shared_buffers = 16MB
log_line_prefix = '%m [%p] '
dynamic_library_path = '$PGCOORD_STAGE$libdir:$libdir'
SETTINGS
  if [[ $major -ge 18 ]]; then
    echo "extension_control_path = '$PGCOORD_STAGE$sharedir:\$system'"
  else
    echo "extension_destdir = '$PGCOORD_STAGE'"
  fi
}

server_start() {  # SETTING…: lines for postgresql.conf; then PGHOST, PGPORT and PGUSER lead to the server
  local bin=$PGCOORD_PG_BINDIR data=$private/data
  as_user "$bin/initdb" --no-sync -A trust -U postgres -E UTF8 --locale=C.UTF-8 -D "$data" >"$private/initdb.log" 2>&1 ||
    { cat "$private/initdb.log" >&2; return 1; }
  { server_settings; printf '%s\n' "$@"; } >>"$data/postgresql.conf"
  as_user "$bin/pg_ctl" ${PGCOORD_POSTGRES:+-p "$PGCOORD_POSTGRES"} -D "$data" -l "$private/server.log" -w -t 60 start >/dev/null ||
    { tail -20 "$private/server.log" >&2; return 1; }
  export PGHOST=$private PGPORT=54321 PGUSER=postgres PGDATABASE=postgres
}

alive() {  # PID: a zombie does not count, in a container there may be nobody to reap it
  [[ -e /proc/$1 ]] && ! grep -q '^State:.*Z' "/proc/$1/status" 2>/dev/null
}

stop_server_of() {  # DATA: at once, and waits for it
  local pid=
  read -r pid <"$1/postmaster.pid" 2>/dev/null || return 0
  [[ $pid =~ ^[0-9]+$ && "$(readlink "/proc/$pid/exe")" == */@(postgres|memcheck-*) ]] || return 0
  kill -QUIT "$pid" 2>/dev/null || return 0
  local tries=0
  while alive "$pid" && ((tries++ < 200)); do sleep 0.1; done
  ! alive "$pid" || kill -KILL "$pid" 2>/dev/null || true
}

private_end() {  # stops every server whose data lies in the folder, then removes it
  local file
  [[ -n ${private:-} && -d $private ]] || return 0
  while IFS= read -r file; do
    stop_server_of "$(dirname "$file")"
  done < <(find "$private" -maxdepth 5 -name postmaster.pid)
  rm -rf "$private"
  private=
}
