# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by tests/sanitize/run: the client library, the tool and their tests, built with sanitizers in build/<kind>.

# The integration tests that run the client library or the tool. The others speak SQL to the server, so there is nothing
# of ours in them to sanitize. Left out: tests that preload another clock (a sanitizer must be loaded first).
client_tests='*Session.*:SessionHosts.*:ClientProcess.*:PgLeaderElector*:WiredCoordinator.*:PeersResync.*:Observe*.*'
client_tests+=':Pg*/*:PgLock*:LockOptions.*:Drain*:Failover.*:*Overtaken*:Forged.*:GrantedRights.*:HostileNames.*'
client_tests+=':*Outage*:Unreachable.*:Woken*:ReadOnlyServer.*:*CutoverOnServer*:*CutoverKilled*:*PgBouncer*:SessionPool.*'
client_tests+=':Tool*.*'

configure_client() {  # FOLDER SANITIZERS: by clang++, which takes half the time that g++ takes
  step cmake -S tests -B "build/$1" -G Ninja "-DCMAKE_CXX_COMPILER=$(newest clang++)" -DPGCOORD_WERROR=ON \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1" "-DPGCOORD_SANITIZE=$2"
}

build_client() {  # FOLDER SANITIZERS
  configure_client "$@"
  step cmake --build "build/$1" -j "$jobs" --target pgcoord_unit_tests pgcoord_integration_tests pgcoord_tool pgcoord_cutover
}

test_client() {  # FOLDER TESTS: which of the integration tests, unless the environment says so
  export PGCOORD_BUILD=build/$1 PGCOORD_LOGS=$logs PGCOORD_SLOW=6
  suites unit
  GTEST_FILTER=${PGCOORD_SANITIZE_TESTS:-$2} suites integration
  unset PGCOORD_BUILD PGCOORD_LOGS PGCOORD_SLOW
  take_reports
}

kind_thread() {
  step make -s -j"$jobs" stage
  build_client tsan thread
  # A child of fork() may start threads: tests do. Reports are counted, so the status stays that of the tests.
  export TSAN_OPTIONS="log_path=$reports/report:exitcode=0:die_after_fork=0:second_deadlock_stack=1"
  test_client tsan "$client_tests"
  unset TSAN_OPTIONS
}

kind_address() {
  step make -s -j"$jobs" stage
  build_client asan address,undefined
  # Less freed memory is kept back than its 256 MB: a test bounds by how much a process grows.
  export ASAN_OPTIONS="log_path=$reports/report:detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1"
  ASAN_OPTIONS+=:quarantine_size_mb=16
  export UBSAN_OPTIONS="log_path=$reports/report:print_stacktrace=1"
  # Children of fork() that go on: a lock of AddressSanitizer's allocator that another thread had is theirs for ever.
  test_client asan "$client_tests-*.field_case_85*"
  unset ASAN_OPTIONS UBSAN_OPTIONS
}
