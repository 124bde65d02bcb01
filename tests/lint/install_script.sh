# Every function and view of the install script is commented, every function is taken from PUBLIC, every part is built in.
set -u
version=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" extension/pg_coord.control)
script=extension/pg_coord--$version.sql
[ -e "$script" ] || { echo "install_script: no $script: run make"; exit 1; }
status=0
complain() { echo "install_script: $*"; status=1; }
flat=$(sed 's/--.*//' "$script" | tr -s '\n ' '  ')
names() {  # KIND: the qualified names that CREATE KIND makes
  grep -oiE "CREATE (OR REPLACE )?$1 [a-z_.@]+" <<<"$flat" | awk '{ print $NF }' | sort -u
}
for kind in FUNCTION PROCEDURE; do
  for name in $(names $kind); do
    grep -qiE "COMMENT ON $kind ${name//./\\.}( |\()" <<<"$flat" || complain "no COMMENT ON $kind $name"
    grep -qiE "REVOKE [A-Z ]+ ON $kind [^;]*\b${name//./\\.}\b[^;]* FROM PUBLIC" <<<"$flat" ||
      grep -qiE "REVOKE [A-Z ]+ ON ALL (${kind}S|ROUTINES) IN SCHEMA [a-z_@]+ FROM PUBLIC" <<<"$flat" || complain "no REVOKE of $name"
  done
done
for name in $(names VIEW) $(names TYPE); do
  grep -qiE "COMMENT ON (VIEW|TYPE) ${name//./\\.} " <<<"$flat" || complain "no COMMENT ON $name"
done
for part in extension/*.sql; do
  case $part in *--*) continue ;; esac
  [[ $(<"$script") == *"$(<"$part")"* ]] || complain "$part is not in $script: make builds it from SQL_PARTS"
done
[ $status -ne 0 ] || echo "install_script: commented and closed"
exit $status
