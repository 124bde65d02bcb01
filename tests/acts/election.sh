# shellcheck shell=bash disable=SC2154
# Sourced by tests/demo. Three candidates, a leader that is killed, and a write that comes too late.

# What a leader runs: it writes down when, who and under which token, in microseconds since 1970, and then works.
# shellcheck disable=SC2016 # for the leader's shell
work='echo "${EPOCHREALTIME/[^0-9]/} $PGCOORD_INSTANCE $PGCOORD_TOKEN $$" >"term.tmp.$$"
mv "term.tmp.$$" "term.$PGCOORD_TOKEN"; exec sleep 600'

newer_term() { find "$private" -name 'term.[0-9]*' | sort -V | tail -1 | grep -vxF "${1:-none}"; }
has_newer_term() { newer_term "$@" >/dev/null; }
all_queued() { [[ $(sql "SELECT count(*) FROM coord.peers WHERE session_pid IS NOT NULL" \
  "SELECT count(*) FROM coord.candidates") == $'3\n2' ]]; }

start_candidates() {
  local id
  for id in "${names[@]}"; do
    "${private_user[@]}" "LD_LIBRARY_PATH=$private/lib" "$private/pgcoord" elect billing --id "$id" -- \
      bash -c "$work" >"$private/$id.log" 2>&1 </dev/null &
    candidates+=($!)
  done
  disown -a  # no word from bash about those that are killed
}

kill_leader() {  # sets killed_at
  local place
  for place in "${!names[@]}"; do
    [[ ${names[place]} == "$leader" ]] || continue
    killed_at=${EPOCHREALTIME/[^0-9]/}
    kill -KILL "${candidates[place]}"
  done
  for_commands KILL
}

write_as() {  # INSTANCE TOKEN: one transaction, fenced
  sql "BEGIN" "SELECT coord.fence('billing', $2)" "INSERT INTO invoices (written_by) VALUES ('$1')" "COMMIT" 2>&1 |
    sed -n '/ERROR:/p' || true
}

act_election() {
  local old leader token started successor new_token named_at answer rows
  say "Three copies of a program, a, b and c, all want to do the billing. Only one may:"
  say "    pgcoord elect billing --id a -- ./work      (and the same for b and c)"
  start_candidates
  until_true has_newer_term
  old=$(newer_term)
  read -r _ leader token _ <"$old"
  until_true all_queued
  say "    $leader leads, under the token $token; the two others stand in the queue." ""

  say "Now $leader dies: SIGKILL for it and for the work that it runs."
  kill_leader
  until_true has_newer_term "$old"
  read -r started successor new_token _ <"$(newer_term "$old")"
  named_at=$(sql "SELECT (extract(epoch FROM at) * 1000000)::bigint FROM coord.leadership_log WHERE token = $new_token")
  say "    the server handed the election to $successor after $(((named_at - killed_at) / 1000)) ms;" \
    "    its work started after $(((started - killed_at) / 1000)) ms, under the token $new_token." ""

  say "A late write of $leader, with its old token:"
  say "    BEGIN; SELECT coord.fence('billing', $token); INSERT INTO invoices ...; COMMIT;"
  answer=$(write_as "$leader" "$token")
  say "    $answer"
  [[ $answer == *PC002* ]] || { say "it should have been refused with PC002" >&2; exit 1; }
  say "The same by $successor, with the token $new_token:"
  answer=$(write_as "$successor" "$new_token")
  rows=$(sql "SELECT string_agg(written_by, ', ') FROM invoices")
  [[ -z $answer && $rows == "$successor" ]] || { say "refused: $answer ($rows)" >&2; exit 1; }
  say "    written; the table holds invoices by: $rows" ""

  say "What the server remembers (coord.leadership_log):"
  sql "SELECT format('    %s  %s -> %s  %s', to_char(at, 'HH24:MI:SS.MS'), coalesce(previous, '-'), coalesce(leader, '-'), cause)
    FROM coord.leadership_log ORDER BY event_id"
  stop_candidates
}
