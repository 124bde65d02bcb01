# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by tests/sanitize/run: the module inside a server that was not built for any of this. Only reports with a frame
# of pg_coord.so count. Memory of palloc() comes from blocks that PostgreSQL keeps, so use after pfree() and overruns
# inside a block are seen only with a server built for valgrind: set PG_CONFIG to it.

build_server() {  # KIND COMPILER…: into build/KIND
  [[ $build == yes ]] || return 0
  source_tree "build/$1"
  step make -s -C "build/$1" -j"$jobs" "CXX=${*:2}" stage
}

server_program() {  # COMMAND…: what starts in place of postgres; the server's own arguments follow
  local program=$reports/postgres
  printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$*" "$("${PG_CONFIG:-pg_config}" --bindir)/postgres" >"$program"
  chmod 755 "$program"
  export PGCOORD_POSTGRES=$program
}

test_server() {  # KIND SLOWER SUITE…
  export PGCOORD_STAGED=build/$1/build/stage PGCOORD_LOGS=$logs PGCOORD_SLOW=$2
  # shellcheck disable=SC2086  # several words on purpose
  suites ${PGCOORD_SANITIZE_SUITES:-${*:3}}
  unset PGCOORD_STAGED PGCOORD_LOGS PGCOORD_SLOW PGCOORD_POSTGRES
}

kind_server() {  # no AddressSanitizer: a server that was not built with it hangs in its first calls of libc
  build_server server "${CXX:-g++}" -O1 -fno-omit-frame-pointer -fsanitize=undefined -fstack-protector-all -D_GLIBCXX_ASSERTIONS
  # By a function: the environment, where these options are looked for at the first report, is the server's title by then.
  printf 'extern "C" const char* __ubsan_default_options() { return "log_path=%s:print_stacktrace=1"; }' "$reports/report" |
    "${CXX:-g++}" -shared -fPIC -o "$reports/options.so" -x c++ -
  server_program env "LD_PRELOAD=$reports/options.so"
  test_server server 3 regress isolation pgtap
  take_reports
}

kind_valgrind() {
  cp tests/sanitize/valgrind.supp "$reports/"  # where the server's user can read it
  build_server valgrind "${CXX:-g++}" -O1 -fno-omit-frame-pointer
  server_program valgrind --quiet --trace-children=yes --leak-check=no --num-callers=40 --error-limit=no \
    "--suppressions=$reports/valgrind.supp" --xml=yes "--xml-file=$reports/valgrind-%p.xml"
  test_server valgrind 10 regress isolation
  take_valgrind
}
