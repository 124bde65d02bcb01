# shellcheck shell=bash disable=SC2154
# Sourced by tests/bench/run: figures by pgbench. Ours and the baseline run in turn, in short slices whose order
# changes each time, so that what else the machine does meets both; the ratio is the median of the pairs' ratios.

: "${PAIRS:=12}"
: "${SLICE:=1}"  # seconds

bench_server() {  # a server with a leader that stays, once; token is that of its term
  [[ -z ${token:-} ]] || return 0
  local port
  port=$(free_port) &&
    server_start "listen_addresses = '127.0.0.1'" "port = $port" "fsync = on" || return
  export PGHOST=127.0.0.1 PGPORT=$port
  psql_user -f "$private/bench/tables.sql" && hold_lead || return
  token=$(psql_user -At -c "SELECT token FROM coord.leader('bench')")
  [[ -n $token ]] || { echo "nobody leads" >&2; return 1; }
}

free_port() {
  local port
  for port in $(shuf -i 15000-31999 -n 20); do
    (: >"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
  done
  return 1
}

psql_user() {
  as_user "$PGCOORD_PG_BINDIR/psql" -X -q -v ON_ERROR_STOP=1 "$@"
}

hold_lead() {  # by a session that then idles, until this script ends
  local answer
  coproc holder { psql_user -At; }
  printf '%s\n' "SELECT coord.join('holder', heartbeat_timeout => '1 day') > 0;" \
    "SELECT is_leader FROM coord.campaign('bench');" >&"${holder[1]}"
  read -r -t 20 answer <&"${holder[0]}" && read -r -t 20 answer <&"${holder[0]}" && [[ $answer == t ]]
}

slice() {  # MODE CLIENTS SCRIPT: transactions a second
  local output
  output=$(as_user "$PGCOORD_PG_BINDIR/pgbench" -n -T "$SLICE" -M "$1" -c "$2" -j 2 -D "token=$token" -D joined=0 -D warm=0 \
    -f "$private/bench/$3.sql" 2>&1 </dev/null) || { echo "$output" >&2; return 1; }
  sed -n 's/^tps = \([0-9.]*\) .*/\1/p' <<<"$output"
}

pair() {  # NUMBER MODE CLIENTS OURS BASELINE: both, ours first in the line
  local ours baseline
  if (($1 % 2)); then
    ours=$(slice "$2" "$3" "$4") && baseline=$(slice "$2" "$3" "$5") || return
  else
    baseline=$(slice "$2" "$3" "$5") && ours=$(slice "$2" "$3" "$4") || return
  fi
  echo "$ours $baseline"
}

pairs() {  # MODE CLIENTS OURS BASELINE
  local i
  for ((i = 1; i <= PAIRS; ++i)); do
    pair "$i" "$@" || return 1
  done
}

medians() {  # of the first column, the second, and their ratio
  awk '{ a[NR] = $1; b[NR] = $2; r[NR] = $1 / $2 }
    function median(v, sorted, i, j, x) {
      for (i = 1; i <= NR; ++i) { x = v[i]; for (j = i; j > 1 && sorted[j - 1] > x; --j) sorted[j] = sorted[j - 1]; sorted[j] = x }
      return NR % 2 ? sorted[(NR + 1) / 2] : (sorted[NR / 2] + sorted[NR / 2 + 1]) / 2
    }
    END { if (!NR) exit 1; printf "%.6g|%.6g|%.4g\n", median(a, s), median(b, t), median(r, u) }'
}

throughput() {  # NAME TARGET MODE CLIENTS OURS BASELINE: TARGET is "sign|limit"
  local found
  bench_server || return
  found=$(set -o pipefail; pairs "${@:3}" | medians) || return
  echo "figure|$1|tps|$found|$2"
}

latency() {  # the same for one client, in microseconds
  local found
  bench_server || return
  found=$(set -o pipefail; pairs "$3" 1 "$4" "$5" | awk '{ print 1e6 / $1, 1e6 / $2 }' | medians) || return
  echo "figure|$1|us|$found|$2"
}
