# shellcheck shell=bash disable=SC2154
# Sourced by tests/matrix/upgrade/run: clusters of both versions, in $private, and how they are asked. A server is named by
# the folder of its version ($old, $new).

data_of() { echo "$private/$name-${1##*/}"; }  # SERVER

make_cluster() {  # SERVER
  local options=()
  [[ ${1##*/} -lt 18 ]] || options=(--no-data-checksums)  # as the older ones are made
  as_user "$1/bin/initdb" --no-sync -A trust -U postgres -E UTF8 --locale=C.UTF-8 "${options[@]}" -D "$(data_of "$1")" \
    >"$private/initdb.log" 2>&1 || { cat "$private/initdb.log"; return 1; }
  printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$private'" "port = 54321" "fsync = off" "jit = off" \
    "shared_buffers = 16MB" >>"$(data_of "$1")/postgresql.conf"
}

preload() { echo "session_preload_libraries = 'pg_coord'" >>"$(data_of "$1")/postgresql.conf"; }  # SERVER

start() {  # SERVER
  as_user "$1/bin/pg_ctl" -D "$(data_of "$1")" -l "$(data_of "$1").log" -w -t 120 start >/dev/null ||
    { tail -20 "$(data_of "$1").log"; return 1; }
}

stop() {  # SERVER [MODE]
  as_user "$1/bin/pg_ctl" -D "$(data_of "$1")" -m "${2:-fast}" -w -t 120 stop >/dev/null
}

within() {  # SECONDS COMMAND…: until it succeeds
  local until=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [[ $SECONDS -lt $until ]] || { echo "not within its time: $*"; return 1; }
    sleep 0.1
  done
}

psql_in() {  # DATABASE ARGUMENT…
  local database=$1
  shift
  "$new/bin/psql" -XqAt -v ON_ERROR_STOP=1 -h "$private" -p 54321 -U postgres -d "$database" "$@"
}

sql() {  # DATABASE STATEMENT
  psql_in "$1" -c "$2"
}

timeline() { sql postgres "CHECKPOINT; SELECT timeline_id FROM pg_control_checkpoint()"; }

pg_upgrade() {  # OPTION…: its words go to pg_upgrade.txt
  rm -rf "$(data_of "$new")/pg_upgrade_output.d"
  as_user "$new/bin/pg_upgrade" -b "$old/bin" -B "$new/bin" -d "$(data_of "$old")" -D "$(data_of "$new")" -U postgres \
    -s "$private" -p 54322 -P 54323 --no-sync "$@" >"$private/pg_upgrade.txt" 2>&1 && return
  find "$(data_of "$new")/pg_upgrade_output.d" -name 'loadable_libraries.txt' -exec cat {} + >>"$private/pg_upgrade.txt"
  tail -30 "$private/pg_upgrade.txt"
  return 1
}

install_library() { cp -a "$stage/." /; }
remove_library() { (cd "$stage" && find . -type f) | (cd / && xargs rm -f); }
