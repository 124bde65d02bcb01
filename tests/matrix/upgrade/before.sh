# shellcheck shell=bash disable=SC2154
# Sourced by tests/matrix/upgrade/run: what the old cluster lives through.

make_registries() {
  sql postgres "CREATE ROLE observing LOGIN; CREATE ROLE taking_part LOGIN; CREATE ROLE governing LOGIN; CREATE ROLE stranger LOGIN"
  local database
  for database in "${databases[@]}"; do
    sql postgres "CREATE DATABASE $database"
    psql_in "$database" -f "$scripts/registry.sql" >/dev/null
  done
  sql app "SELECT coord.grant_access('observing', 'observer'), coord.grant_access('taking_part', 'member'),
    coord.grant_access('governing', 'admin')" >/dev/null
}

serve_terms() {
  local database
  for database in "${databases[@]}"; do psql_in "$database" -f "$scripts/terms.sql" >/dev/null; done
}

promote() {  # to the next timeline
  as_user touch "$(data_of "$old")/standby.signal"
  stop "$old"
  start "$old"
  as_user "$old/bin/pg_ctl" -D "$(data_of "$old")" -w -t 120 promote >/dev/null
}

session() {  # DATABASE STATEMENT…: of a session that ends with its server
  local database=$1
  shift
  psql_in "$database" "${@/#/-c}" -c "SELECT pg_sleep(600)" >>"$private/sessions.log" 2>&1 &
}

take_office() {  # DATABASE: a leader of two elections and, after it, one who waits for one of them
  session "$1" "SELECT coord.join('in office', subscriptions => '{mail}', heartbeat_timeout => '1 hour')" \
    "SELECT coord.campaign('x')" "SELECT coord.campaign('y')"
  within 60 expects "$1" "SELECT count(*) = 1 FROM coord.leader('y')"
  session "$1" "SELECT coord.join('heir', heartbeat_timeout => '1 hour')" "SELECT coord.campaign('x')"
  within 60 expects "$1" "SELECT count(*) = 1 FROM coord.candidates WHERE election = 'x'"
}

expects() { [[ $(sql "$1" "$2") == t ]]; }  # DATABASE STATEMENT

one_more_term() {  # DATABASE: its token, granted by the old cluster after the upgrade
  psql_in "$1" -c "SELECT coord.join('left behind')" -c "SELECT token FROM coord.try_acquire('x')" | tail -1
}

note_state() {  # WHEN: into DATABASE.WHEN
  local database
  for database in "${databases[@]}"; do psql_in "$database" -f "$scripts/state.sql" >"$private/$database.$1"; done
}
