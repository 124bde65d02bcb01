# shellcheck shell=bash disable=SC2154
# Sourced by tests/patroni/run: an etcd and Patroni's nodes in the private folder, each on ports of its own.

declare -A pid_of=() port_of=() rest_of=()

free_port() {  # below those that the kernel gives to outgoing connections
  local port
  while port=$((15000 + RANDOM % 16000)); (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do :; done
  echo "$port"
}

start() {  # NAME COMMAND…: in the background, as the server's user
  local name=$1
  shift
  "${private_user[@]}" "$@" >>"$private/$name.log" 2>&1 </dev/null &
  pid_of[$name]=$!
}

start_etcd() {  # at the address $etcd
  local peer
  peer=$(free_port)
  start etcd etcd --data-dir "$private/etcd" --listen-client-urls "http://$etcd" --advertise-client-urls "http://$etcd" \
    --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
    --initial-cluster "default=http://127.0.0.1:$peer"
}

extension_lines() {  # what server_settings says of the extension, for Patroni's file
  server_settings | sed -n "s/^\(dynamic_library_path\|extension_[a-z_]*\) = '\(.*\)'$/    \1: '\2'/p"
}

write_node() {  # NAME
  local name=$1
  port_of[$name]=$(free_port) rest_of[$name]=$(free_port)
  mkdir -p "$private/$name"
  cat >"$private/$name/patroni.yml" <<CONFIG
scope: pgcoord
name: $name
restapi: {listen: '127.0.0.1:${rest_of[$name]}', connect_address: '127.0.0.1:${rest_of[$name]}'}
etcd3: {host: '$etcd'}
bootstrap:
  dcs:
    ttl: 5
    loop_wait: 1
    retry_timeout: 2
    synchronous_mode: $([[ $mode != synchronous ]] && echo false || echo true)
    postgresql: {use_pg_rewind: true, parameters: {wal_log_hints: 'on', track_commit_timestamp: 'on'}}
  initdb: [encoding: UTF8, locale: C.UTF-8, no-sync]
  pg_hba: [host all all 127.0.0.1/32 trust, host replication all 127.0.0.1/32 trust, local all all trust]
postgresql:
  listen: 127.0.0.1:${port_of[$name]}
  connect_address: 127.0.0.1:${port_of[$name]}
  data_dir: $private/$name/data
  bin_dir: $PGCOORD_PG_BINDIR
  pgpass: $private/$name/pgpass
  authentication: {replication: {username: standby, password: x}, superuser: {username: postgres, password: x}}
  parameters:
    unix_socket_directories: '$private/$name'
    shared_buffers: 16MB
$(extension_lines)
CONFIG
}

start_node() { start "$1" patroni "$private/$1/patroni.yml"; }

node_answers() {  # NAME PATH: Patroni's REST interface says yes
  curl -sf -o /dev/null --max-time 2 "http://127.0.0.1:${rest_of[$1]}/$2"
}

kill_node() {  # NAME: with its server and that one's sessions, as if the host had lost its power
  local postmaster children
  read -r postmaster <"$private/$1/data/postmaster.pid"
  children=$(ps -o pid= --ppid "$postmaster")
  # shellcheck disable=SC2086
  kill -KILL "${pid_of[$1]}" "$postmaster" $children
  wait "${pid_of[$1]}" 2>/dev/null || true
  unset "pid_of[$1]"
}

stop_cluster() {  # Patroni first, or it would start its server again
  local name
  for name in "${!pid_of[@]}"; do
    kill -KILL "${pid_of[$name]}" 2>/dev/null || true
    wait "${pid_of[$name]}" 2>/dev/null || true
  done
  pid_of=()
}
