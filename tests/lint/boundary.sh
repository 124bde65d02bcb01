# The border between C++ and PostgreSQL: one header includes the server, glue owns nothing, one header jumps.
set -u
bad=$(
  grep -nE '#include [<"](postgres|fmgr|utils/|access/|executor/|storage/|catalog/|commands/|miscadmin)' -r extension \
    --include='*.[ch]pp' | grep -v '^extension/pg.hpp:'
  grep -nE 'std::(string|vector|map|set|deque|list|function|unique_ptr|shared_ptr|lock_guard|thread)\b' extension/*.cpp
  grep -rn 'PG_TRY\|sigsetjmp\|PG_FUNCTION_INFO_V1' extension --include='*.[ch]pp' | grep -v '^extension/guard.hpp:'
  grep -rn 'PG_VERSION_NUM' extension --include='*.[ch]pp' | grep -v '^extension/compat.hpp:'
  grep -rnE '#include [<"](postgres|fmgr|.*pg\.hpp)' extension/rules 2>/dev/null
)
[ -z "$bad" ] || { printf 'boundary: must not be:\n%s\n' "$bad"; exit 1; }
echo "boundary: kept"
