# One version: the control file's. META.json, CMake and the changelog follow.
set -u
want=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" extension/pg_coord.control)
[ -n "$want" ] || { echo "versions: no default_version in extension/pg_coord.control"; exit 1; }
status=0
check() {  # PLACE VERSION
  [ "$2" = "$want" ] || { echo "versions: $1 says '$2', the control file '$want'"; status=1; }
}
while IFS= read -r version; do
  check META.json "$version"
done < <(sed -n 's/^ *"version": "\([0-9]*\.[0-9]*\.[0-9]*\)".*/\1/p' META.json | grep -vx '1\.0\.0' || echo none)
check META.json/file "$(sed -n 's/.*pg_coord--\([^"]*\)\.sql".*/\1/p' META.json)"
check client/CMakeLists.txt "$(sed -n 's/^project(pgcoord VERSION \([0-9.]*\).*/\1/p' client/CMakeLists.txt)"
check CHANGELOG.md "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -1)"
[ $status -ne 0 ] || echo "versions: all $want"
exit $status
