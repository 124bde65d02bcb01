#!/bin/sh
# writer.sh FOLDER: what `pgcoord elect` runs in tests/patroni: fenced writes, one after another, until it is ended.
set -u
echo "$(date +%s%N) $PGCOORD_TOKEN $PGCOORD_INSTANCE" >>"$1/terms"
while :; do
  if "$PSQL" -XqAt -v ON_ERROR_STOP=1 -d "$HOSTS target_session_attrs=read-write" -c "BEGIN;
      SELECT coord.fence('x', $PGCOORD_TOKEN); INSERT INTO written VALUES ($PGCOORD_TOKEN, '$PGCOORD_INSTANCE'); COMMIT" \
    >/dev/null 2>&1; then
    echo "$(date +%s%N) $PGCOORD_TOKEN" >>"$1/acknowledged"
  fi
  sleep 0.02
done
