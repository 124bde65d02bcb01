# shellcheck shell=bash disable=SC2154
# Sourced by tests/matrix/run: pg_upgrade from 15 to 17. The older server's programs are put beside the newer ones, with those
# of their libraries that the newer system does not have.

old_libraries() {  # ROOT ROOT: what programs and modules of 15 in the first need and the second lacks
  local file
  for file in "$1"/usr/lib/postgresql/15/bin/* "$1"/usr/lib/postgresql/15/lib/*.so; do
    chroot "$1" ldd "${file#"$1"}" 2>/dev/null
  done | awk '/=> \// { print $3 }' | sort -u | while IFS= read -r file; do
    [[ -e $2$file || -e $2/usr$file ]] || echo "$1$file"
  done
}

put_old_server() {  # ROOT ROOT
  local file
  rm -rf "$2/usr/lib/postgresql/15" "$2/usr/share/postgresql/15"
  cp -a "$1/usr/lib/postgresql/15" "$2/usr/lib/postgresql/"
  cp -a "$1/usr/share/postgresql/15" "$2/usr/share/postgresql/"
  mkdir -p "$2/usr/lib/postgresql/15/more"
  old_libraries "$1" "$2" | while IFS= read -r file; do cp -L "$file" "$2/usr/lib/postgresql/15/more/"; done
}

test_upgrade() {
  local old=$roots/15 new=$roots/17 log=build/log/matrix-upgrade.log begin=$SECONDS was_passed=$passed was_failed=$failed stage
  if [[ ! -d $old/src/build/stage || ! -d $new/src/build/stage ]]; then
    echo "pg_upgrade from 15 to 17: skipped, it needs both"
    return
  fi
  put_old_server "$old" "$new"
  for stage in "$old/src/build/stage" "$new/src/build/stage"; do cp -a "$stage/." "$new/"; done
  inside "$new" runuser -u postgres -- bash /src/tests/matrix/pg_upgrade 15 17 2>&1 | tee "$log" | sed 's/^/    /' || true
  for stage in "$old/src/build/stage" "$new/src/build/stage"; do
    (cd "$stage" && find . -type f) | (cd "$new" && xargs rm -f)
  done
  count_in "$log"
  echo "pg_upgrade from 15 to 17: $((passed - was_passed)) passed, $((failed - was_failed)) failed ($(took "$begin") s)"
}
