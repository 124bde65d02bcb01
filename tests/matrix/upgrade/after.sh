# shellcheck shell=bash disable=SC2154
# Sourced by tests/matrix/upgrade/run: what must be true of the new cluster.

expect_refusal_without_library() {  # and preload the library from then on
  check "pg_upgrade --check fails without the library" refused
  # shellcheck disable=SC2016
  check "and says which one is missing" grep -q 'could not load library "$libdir/pg_coord"' "$private/pg_upgrade.txt"
  check "and for which databases" grep -q "In database: other" "$private/pg_upgrade.txt"
  preload "$new"
  check "pg_upgrade --check fails without a library that is preloaded" refused
  check "and says which one that is" grep -q 'could not access file "pg_coord"' "$private/pg_upgrade.txt"
}
refused() { ! pg_upgrade --check >/dev/null; }

expect_same_state() {  # DATABASE
  local what kinds=(epoch election change assignment member beat lock sequence key trigger data)
  [[ $1 != app ]] || kinds+=(rights)
  [[ $name != crashed ]] || kinds+=(candidate)  # elsewhere those who waited have ended, and left the queue
  for what in "${kinds[@]}"; do
    check "$1: as it was: $what" same_lines "$1" "$what"
  done
}

same_lines() {  # DATABASE KIND: some, and the same ones
  grep "^$2 " "$private/$1.before" >"$private/was" && { grep "^$2 " "$private/$1.after" || true; } | diff "$private/was" -
}

# Without how many rows there are, and without the rights of app's roles. An owner's own rights are written down by the
# extension's script and not by pg_dump, where they are what an owner has anyway.
described() {  # DATABASE
  psql_in "$1" -f "$describe" | sed -E '/^rows /d; s/ (observing|taking_part|governing)=[a-zA-Z]*\/postgres//g
    /^object \| (view|table|sequence|schema) /s/ \| postgres=(arwdDxtm?|rwU|UC)\/postgres$//
    /^(relation|schema) /s/ \| postgres=(arwdDxtm?|rwU|UC)\/postgres/ | default/'
}

expect_as_fresh() {  # DATABASE
  sql postgres "CREATE DATABASE fresh"
  sql fresh "CREATE EXTENSION pg_coord"
  described fresh >"$private/fresh"
  described "$1" >"$private/upgraded"
  check "$1: all objects are those of a fresh installation" diff "$private/fresh" "$private/upgraded"
  sql postgres "DROP DATABASE fresh"
}

asked() {  # WHAT DATABASE SCRIPT [NAME=VALUE]…: each line of the script's answer is what, got, wanted
  local what got wanted about=$1 database=$2 script=$3
  shift 3
  psql_in "$database" -F $'\t' "${@/#/-v}" -f "$scripts/$script" >"$private/answers" 2>"$private/errors" ||
    { check "$about: $script: $(tail -1 "$private/errors")" false; }
  while IFS=$'\t' read -r what got wanted; do is "$about: $what" "$got" "$wanted"; done <"$private/answers"
}

expect_dump() {  # DATABASE: restored beside it, before it has a new term
  sql postgres "CREATE DATABASE restored"
  check "$1: is dumped" as_user "$new/bin/pg_dump" -h "$private" -p 54321 -U postgres -Fc -f "$private/dump" "$1"
  check "$1: is restored" as_user "$new/bin/pg_restore" -h "$private" -p 54321 -U postgres -e -d restored "$private/dump"
  described restored >"$private/restored"
  check "$1: restored, all objects are those of a fresh installation" diff "$private/fresh" "$private/restored"
  asked "$1, restored" restored dumped.sql "highest=$(sql "$1" "SELECT max(token) FROM (SELECT token FROM coord.elections UNION SELECT token FROM coord.leadership_log) t")"
  sql postgres "DROP DATABASE restored"
}

expect_new_terms() {  # DATABASE TOKEN
  asked "$1" "$1" powerless.sql "overtaken=$2"
  asked "$1" "$1" again.sql "overtaken=$2"
  [[ $1 != app ]] || asked "$1" "$1" rights.sql
}
