# shellcheck shell=bash disable=SC2154
# Sourced by tests/run. Whoever comes from an older version by ALTER EXTENSION … UPDATE has, object by object, what a fresh
# CREATE EXTENSION makes. Every extension/pg_coord--A--B.sql is tried, and the chain from every released version to the newest.
# A version made up here proves that the comparison notices what a step forgets.

upgrade_psql() {  # DATABASE ARGUMENT…
  local database=$1
  shift
  as_user "$PGCOORD_PG_BINDIR/psql" -XqAt -v ON_ERROR_STOP=1 -d "$database" "$@"
}

scripts() { echo "$private/stage$("$PG_CONFIG" --sharedir)/extension"; }
newest_version() { sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" extension/pg_coord.control; }

described() {  # NAME VERSION [VERSION]: of a database with the first, updated to the second, into NAME.txt
  local name=upgrade_$1
  upgrade_psql postgres -c "SET client_min_messages = warning" -c "DROP DATABASE IF EXISTS $name" -c "CREATE DATABASE $name" &&
    upgrade_psql "$name" -c "SET client_min_messages = warning" -c "CREATE EXTENSION pg_coord VERSION '$2'" \
      ${3:+-c "ALTER EXTENSION pg_coord UPDATE TO '$3'"} &&
    upgrade_psql "$name" -f tests/upgrade/describe.sql >"$private/out/$1.txt"
}

equal() {  # VERSION VERSION: the second, reached from the first, is the second
  described fresh "$2" && described updated "$1" "$2" && diff "$private/out/fresh.txt" "$private/out/updated.txt"
}

try_upgrade() {  # WHAT COMMAND…: counts it
  local what=$1
  shift
  if "$@" >>"$log" 2>&1; then
    good=$((good + 1))
  else
    bad=$((bad + 1))
    echo "    $what"
    show "$log"
  fi
}

# What the made-up version lacks or has too much, and what a step from it must say: lines of both, in pairs.
made_up_changes() {
  cat <<'CHANGES'
CREATE TABLE coord._gone (a int)
DROP TABLE coord._gone
ALTER TABLE coord._lock ADD COLUMN gone int
ALTER TABLE coord._lock DROP COLUMN gone
ALTER TABLE coord._beat ALTER load_factor DROP DEFAULT
ALTER TABLE coord._beat ALTER load_factor SET DEFAULT 0
ALTER TABLE coord._change ALTER cause DROP NOT NULL
ALTER TABLE coord._change ALTER cause SET NOT NULL
ALTER TABLE coord._election RESET (fillfactor)
ALTER TABLE coord._election SET (fillfactor = 50)
DROP INDEX coord._change_election
CREATE INDEX _change_election ON coord._change (election, term)
ALTER SEQUENCE coord._incarnation CACHE 7
ALTER SEQUENCE coord._incarnation CACHE 1
GRANT SELECT ON coord.elections TO PUBLIC
REVOKE SELECT ON coord.elections FROM PUBLIC
GRANT EXECUTE ON FUNCTION coord.unlock(text) TO PUBLIC
REVOKE EXECUTE ON FUNCTION coord.unlock(text) FROM PUBLIC
ALTER FUNCTION coord.leave() SECURITY INVOKER
ALTER FUNCTION coord.leave() SECURITY DEFINER
ALTER FUNCTION coord.sweep() RESET ALL
ALTER FUNCTION coord.sweep() SET search_path = pg_catalog, pg_temp
SELECT pg_catalog.pg_extension_config_dump('coord._candidate', '')
UPDATE pg_extension SET extconfig = extconfig[1:3], extcondition = extcondition[1:3] WHERE extname = 'pg_coord'
CHANGES
  echo "COMMENT ON VIEW coord.locks IS 'old'"
  upgrade_psql upgrade_fresh -c "SELECT format('COMMENT ON VIEW coord.locks IS %L', obj_description('coord.locks'::regclass))"
  echo "DROP FUNCTION coord.unlock_all()"
  upgrade_psql upgrade_fresh -c "SELECT replace(pg_get_functiondef(f), E'\n', ' ') || '; REVOKE ALL ON FUNCTION coord.unlock_all() FROM PUBLIC; '
    || format('COMMENT ON FUNCTION coord.unlock_all() IS %L', obj_description(f)) FROM CAST('coord.unlock_all()' AS regprocedure) AS f"
}

step_without() {  # NUMBER: the step from the made-up version, less one of its statements
  head -3 extension/header.sql
  awk -v number="$1" 'NR % 2 == 0 && NR / 2 != number { print $0 ";" }' "$changes"
}

made_up_updated() {  # and rolled back
  upgrade_psql upgrade_old -c "BEGIN" -c "ALTER EXTENSION pg_coord UPDATE TO '$newest'" -f tests/upgrade/describe.sql >"$private/out/updated.txt"
}
arrives() { made_up_updated && diff "$private/out/fresh.txt" "$private/out/updated.txt"; }
notices() { made_up_updated && ! diff "$private/out/fresh.txt" "$private/out/updated.txt"; }

prove_comparison() {
  local number count step changes=$private/out/changes
  step=$(scripts)/pg_coord--0.0.1test--$newest.sql
  try_upgrade "a fresh install is described" described fresh "$newest"
  made_up_changes >"$changes"
  { cat "extension/pg_coord--$newest.sql"; awk 'NR % 2 == 1 { print $0 ";" }' "$changes"; } >"$(scripts)/pg_coord--0.0.1test.sql"
  step_without 0 >"$step"
  private_give
  try_upgrade "a made-up version" described old 0.0.1test
  try_upgrade "a complete step from it" arrives
  count=$(($(wc -l <"$changes") / 2))
  for ((number = 1; number <= count; number++)); do
    step_without "$number" >"$step"
    try_upgrade "a step that forgets: $(sed -n "$((2 * number))p" "$changes")" notices
  done
  { step_without 0; echo "ALTER TABLE coord._epoch DROP epoch, ADD epoch int NOT NULL;"; } >"$step"
  try_upgrade "a step that puts a column in another place" notices
  rm -f "$(scripts)"/pg_coord--0.0.1test*
}

suite_upgrade() {
  local newest step versions
  newest=$(newest_version)
  shared_server
  mkdir -p "$private/tests/upgrade"
  cp tests/upgrade/describe.sql "$private/tests/upgrade/"
  cp tests/upgrade/released/pg_coord--*.sql "$(scripts)/" 2>/dev/null || true
  private_give
  for step in extension/pg_coord--*--*.sql; do
    [[ -e $step ]] || continue
    versions=$(basename "$step" .sql)
    versions=${versions#pg_coord--}
    try_upgrade "$step" equal "${versions%--*}" "${versions#*--}"
  done
  for step in tests/upgrade/released/pg_coord--*.sql; do
    [[ -e $step ]] || continue
    versions=$(basename "$step" .sql)
    versions=${versions#pg_coord--}
    [[ $versions == "$newest" ]] || try_upgrade "from $versions to $newest" equal "$versions" "$newest"
  done
  prove_comparison
}
