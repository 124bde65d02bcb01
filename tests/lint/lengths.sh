# Small files: 250 lines; headers above 120 are only mentioned.
set -u
status=0
while IFS= read -r file; do
  lines=$(wc -l <"$file")
  limit=250
  if [ "$lines" -gt "$limit" ]; then
    echo "lengths: $file has $lines lines, at most $limit"
    status=1
  fi
  case $file in *.hpp) [ "$lines" -le 120 ] || echo "lengths: note: $file has $lines lines" ;; esac
done < <(find extension client tests \( -name '*.[ch]pp' -o -name '*.sh' -o -name '*.sql' \) ! -name 'pg_coord--*')
[ $status -ne 0 ] || echo "lengths: kept"
exit $status
