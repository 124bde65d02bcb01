# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by tests/run: one function a suite. Each adds to good and bad, or sets skipped; output goes to $log.

builds=${PGCOORD_BUILD:-build/cmake} staged=${PGCOORD_STAGED:-build/stage} logs=${PGCOORD_LOGS:-build/log}

pgxs_tool() {  # regress/pg_regress, isolation/pg_isolation_regress
  echo "$("$PG_CONFIG" --pkglibdir)/pgxs/src/test/$1"
}

show() {  # FILE: the end of it, indented
  [[ ! -s $1 ]] || tail -40 "$1" | sed 's/^/    /'
}

count() {  # PATTERN FILE: lines that match
  grep -cE "$1" "$2" || true
}

built() {  # NAME: the newest executable of that name in the build folder
  [[ -d $builds ]] || return 0
  find "$builds" -type f -name "$1" -perm -u+x -printf '%T@ %p\n' | sort -rn | sed -n '1s/^[^ ]* //p'
}

files_of() {  # FOLDER SUFFIX: base names
  [[ -d $1 ]] || return 0
  find "$1" -maxdepth 1 -name "*$2" -printf '%f\n' | sed "s/\\$2\$//" | LC_ALL=C sort
}

bounded_user() {  # SECONDS LOG COMMAND…: as the server's user, in the private folder
  local seconds=$1 into=$2
  shift 2
  bounded "$seconds" "$into" "${private_user[@]}" "$@"
}

suite_lint() {
  local script
  for script in tests/lint/*.sh; do
    [[ -e $script ]] || { skipped="no lints yet"; return; }
    : >"$log.one"
    if bounded 120 "$log.one" bash "$script"; then
      good=$((good + 1))
    else
      bad=$((bad + 1))
      show "$log.one"
    fi
    cat "$log.one" >>"$log"
  done
  rm -f "$log.one"
}

gtest() {  # SECONDS RUNNER COMMAND…: counts by GoogleTest's lines; a crash is one more failure
  local status=0
  "$2" "$1" "$log" "${@:3}" --gtest_color=no || status=$?
  good=$(count '\[       OK \]' "$log")
  bad=$(count '^\[  FAILED  \] .* \([0-9]+ ms\)$' "$log")
  [[ $status -eq 0 || $bad -gt 0 ]] || { bad=1; show "$log"; }
  told "$log" | sed 's/^/    /'
}

told() {  # LOG: what a GoogleTest program measured, skipped, and said of each failure
  awk '{ said[lines++] = substr($0, 1, 400) }
    /^\[ MEASURED \] |^\[  SKIPPED \] .* ms\)$/ { print }
    /^\[  FAILED  \] .* ms\)$/ { for (i = lines > 60 ? lines - 60 : 0; i < lines; i++) print said[i] }
    /^\[ (      OK|  FAILED | SKIPPED) \] .* ms\)$/ { lines = 0 }' "$1"
}

suite_unit() {
  local binary
  binary=$(built pgcoord_unit_tests)
  [[ -n $binary ]] || { skipped="no unit tests built"; return; }
  gtest 300 bounded "$binary"
}

suite_fuzz() {  # a short run; tests/fuzz/run takes longer ones
  command -v clang++ >/dev/null || { skipped="no clang++"; return; }
  local counts
  bounded 900 "$log" bash tests/fuzz/run 10 || true
  counts=$(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$log")
  read -r good bad <<<"${counts:-0 1}"
  [[ $bad -eq 0 ]] || show "$log"
}

prepared=
server_folder() {  # copies what the server's suites need, once
  [[ -z $prepared ]] || return 0
  prepared=yes
  mkdir -p "$private/bin" "$private/lib" "$private/out" "$private/tests"
  cp -a "$staged" "$private/stage"
  local item
  for item in sql expected tests/isolation tests/pgtap; do
    [[ ! -d $item ]] || cp -a "$item" "$private/$item"
  done
  for item in pgcoord pgcoord_integration_tests pgcoord_chaos_{tests,member} pgcoord_{quickstart,workers,second_transport,cutover}; do
    item=$(built "$item")
    [[ -z $item ]] || cp "$item" "$private/bin/"
  done
  [[ ! -d $builds ]] || find "$builds" -name 'libpgcoord*.so*' -exec cp -a {} "$private/lib/" \;
  private_give
}

running=
shared_server() {  # the one of regress, pgtap and isolation; each uses databases of its own
  server_folder
  [[ -z $running ]] || return 0
  server_start "max_prepared_transactions = 10"
  running=yes
}

# SUITE TOOL INPUT NAME…: pg_regress prints "test x ... ok" up to version 15, TAP from 16 on
regress_with() {
  local suite=$1 tool=$2 input=$3 status=0 out=$private/out/$1
  shift 3
  shared_server
  as_user mkdir -p "$out"
  bounded_user 600 "$log" PGISOLATIONTIMEOUT=60 "$(pgxs_tool "$tool")" --inputdir="$input" --outputdir="$out" \
    --bindir="$PGCOORD_PG_BINDIR" --host="$PGHOST" --port="$PGPORT" --user=postgres --dbname="pgcoord_$suite" \
    --load-extension=pg_coord "$@" || status=$?
  good=$(count '^(test .* \.\.\. ok|ok )' "$log")
  bad=$(($# - good))
  [[ $status -eq 0 || $bad -gt 0 ]] || bad=1
  [[ $bad -eq 0 ]] && return
  cp "$out/regression.diffs" "$logs/$suite.diffs" 2>/dev/null || true
  grep -E '^(test .* FAILED|not ok )' "$log" | sed 's/^/    /' || show "$log"
  show "$logs/$suite.diffs"
}

suite_regress() {
  local names
  mapfile -t names < <(files_of sql .sql)
  [[ ${#names[@]} -gt 0 ]] || { skipped="no sql/*.sql yet"; return; }
  regress_with regress regress/pg_regress "$private" "${names[@]}"
}

suite_isolation() {
  local names
  mapfile -t names < <(files_of tests/isolation/specs .spec)
  [[ ${#names[@]} -gt 0 ]] || { skipped="no tests/isolation/specs yet"; return; }
  regress_with isolation isolation/pg_isolation_regress "$private/tests/isolation" "${names[@]}"
}

pgtap_file() {  # NAME: in a database of its own; counts assertions
  local one=$log.one status=0 wrong psql=("$PGCOORD_PG_BINDIR/psql" -X -q -v ON_ERROR_STOP=1)
  : >"$one"
  { as_user "${psql[@]}" -c "CREATE DATABASE \"pgtap_$1\"" &&
    as_user "${psql[@]}" -d "pgtap_$1" -c "CREATE EXTENSION pgtap" -c "CREATE EXTENSION pg_coord" &&
    bounded_user 120 "$one" pg_prove --verbose --psql-bin "$PGCOORD_PG_BINDIR/psql" -d "pgtap_$1" "tests/pgtap/$1.sql"
  } >>"$one" 2>&1 || status=$?
  good=$((good + $(count '^ok ' "$one")))
  wrong=$(grep -E '^not ok ' "$one" | grep -vciE '# *(todo|skip)' || true)
  [[ $status -eq 0 || $wrong -gt 0 ]] || wrong=1
  bad=$((bad + wrong))
  cat "$one" >>"$log"
  [[ $status -eq 0 ]] || { echo "    tests/pgtap/$1.sql:"; show "$one"; }
  rm -f "$one"
}

suite_pgtap() {
  local name names
  mapfile -t names < <(files_of tests/pgtap .sql)
  [[ ${#names[@]} -gt 0 ]] || { skipped="no tests/pgtap/*.sql yet"; return; }
  shared_server
  for name in "${names[@]}"; do
    pgtap_file "$name"
  done
}

suite_integration() {
  [[ -n $(built pgcoord_integration_tests) ]] || { skipped="no integration tests built"; return; }
  server_folder
  gtest 3000 bounded_user "LD_LIBRARY_PATH=$private/lib" "PGCOORD_TOOL=$private/bin/pgcoord" \
    "PGCOORD_EXAMPLES=$private/bin" \
    "$private/bin/pgcoord_integration_tests"
}

suite_chaos() {  # PGCOORD_CHAOS_SECONDS is how long each of its runs takes
  [[ -n $(built pgcoord_chaos_tests) ]] || { skipped="no chaos tests built"; return; }
  server_folder
  gtest $((600 + 3 * ${PGCOORD_CHAOS_SECONDS:-0})) bounded_user "LD_LIBRARY_PATH=$private/lib" \
    "PGCOORD_CHAOS_MEMBER=$private/bin/pgcoord_chaos_member" "PGCOORD_CHAOS_SECONDS=${PGCOORD_CHAOS_SECONDS:-}" \
    "PGCOORD_SEED=${PGCOORD_SEED:-}" "$private/bin/pgcoord_chaos_tests"
}

fenced() {  # LANGUAGE: the code of that language in the README
  awk -v open="^\`\`\`$1\$" '$0 ~ open { on = 1; next } /^```/ { on = 0 } on' README.md
}

example() {  # NAME COMMAND…: counts it
  local name=$1
  shift
  if "$@" >>"$log" 2>&1; then good=$((good + 1)); else bad=$((bad + 1)); echo "    $name:"; show "$log"; fi
}

suite_docs() {  # the README's examples do what it says
  shared_server
  local psql=(as_user "$PGCOORD_PG_BINDIR/psql" -X -q -v ON_ERROR_STOP=1)
  fenced sql >"$private/readme.sql"
  private_give
  "${psql[@]}" -c "CREATE DATABASE readme" -c '\c readme' -c "CREATE EXTENSION pg_coord" >>"$log" 2>&1
  example "README, SQL" "${psql[@]}" -d readme -f "$private/readme.sql"
  example "README, C++ as in client/examples" diff <(fenced cpp) client/examples/quickstart.cpp
  example "client/examples/quickstart" bounded_user 30 "$log" "LD_LIBRARY_PATH=$private/lib" \
    "$private/bin/pgcoord_quickstart" "dbname=readme" quickstart
  example "… led" grep -q '^leading$' "$log"
  local program
  for program in workers cutover; do
    example "client/examples/$program" bounded_user 90 "$log" "LD_LIBRARY_PATH=$private/lib" \
      "$private/bin/pgcoord_$program" "dbname=readme"
  done
  example "client/examples/second_transport" bounded_user 30 "$log" "LD_LIBRARY_PATH=$private/lib" \
    "$private/bin/pgcoord_second_transport" "$private"
}
