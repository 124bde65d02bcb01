# Released scripts are as they were released, and every step begins at a released version.
set -u
kept=tests/upgrade/released
status=0
if [ -e $kept/SHA256SUMS ]; then
  sha256sum --quiet --strict -c $kept/SHA256SUMS || { echo "released: a released script was changed; write a step instead"; status=1; }
fi
for step in extension/pg_coord--*--*.sql; do
  [ -e "$step" ] || continue
  from=${step#extension/pg_coord--}
  from=${from%%--*}
  [ -e "$kept/pg_coord--$from.sql" ] || { echo "released: $step begins at $from, which $kept does not have: tests/upgrade/freeze"; status=1; }
  head -3 extension/header.sql | cmp -s - <(head -3 "$step") || { echo "released: $step does not begin as extension/header.sql"; status=1; }
done
[ $status -ne 0 ] || echo "released: unchanged"
exit $status
