# The module shows PostgreSQL its functions and nothing else; it says itself that it needs libstdc++.
set -u
library=$(find build/stage -name pg_coord.so 2>/dev/null | head -1)
[ -n "$library" ] || { echo "exports: no staged pg_coord.so: run make stage"; exit 1; }
bad=$(nm -D --defined-only "$library" | awk '{ print $3 }' | grep -vxE 'Pg_magic_func|_PG_init|(pg_finfo_)?coord_[a-z0-9_]+')
[ -z "$bad" ] || { echo "exports: unwanted: ${bad//$'\n'/ }"; exit 1; }
for wanted in Pg_magic_func _PG_init; do
  nm -D --defined-only "$library" | grep -qw "$wanted" || { echo "exports: $wanted is missing"; exit 1; }
done
objdump -p "$library" | grep -q 'NEEDED *libstdc++' || { echo "exports: not linked as C++"; exit 1; }
echo "exports: only what PostgreSQL calls"
