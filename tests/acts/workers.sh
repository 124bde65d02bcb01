# shellcheck shell=bash disable=SC2154
# Sourced by tests/demo. The client's example: work that goes on although one worker leaves and one is killed.

act_workers() {
  say "" "Three workers share three subscriptions; each owns one by an election of its own, and fences what it writes."
  say "One is asked to leave (SIGTERM), then the leader is killed (client/examples/workers.cpp):"
  "${private_user[@]}" "LD_LIBRARY_PATH=$private/lib" timeout 60 "$private/pgcoord_workers" \
    "dbname=$PGDATABASE" 2>&1 </dev/null | sed 's/^/    /'
}
