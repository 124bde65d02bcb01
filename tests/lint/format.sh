# clang-format has the last word on layout, where it is installed.
set -u
command -v clang-format >/dev/null || { echo "format: no clang-format here, not checked"; exit 0; }
mapfile -t files < <(find extension client tests -name '*.[ch]pp')
[ ${#files[@]} -gt 0 ] || { echo "format: nothing to check"; exit 0; }
bad=$(clang-format --dry-run -Werror "${files[@]}" 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:.*error:.*/\1/p' | sort -u)
[ -z "$bad" ] || { echo "format: run clang-format -i on: ${bad//$'\n'/ }"; exit 1; }
echo "format: clean"
