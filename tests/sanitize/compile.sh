# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by tests/sanitize/run: what a second compiler and clang-tidy say.

newest() {  # NAME: clang's programs carry a version in Debian
  command -v "$1-14" || command -v "$1" || { echo "no $1 here" >&2; exit 1; }
}

compile() {  # FOLDER PATTERN COMMAND…: counts the objects it leaves there, and in the log what says that one failed
  local folder=$1 pattern=$2 status=0 broken
  shift 2
  "$@" >>"$log" 2>&1 </dev/null || status=1
  broken=$(grep -cE "$pattern" "$log" || true)
  [[ $status -eq 0 || $broken -gt 0 ]] || broken=1
  passed=$((passed + $(find "$folder" -name '*.o' | wc -l))) failed=$((failed + broken))
}

kind_clang() {  # the client's side goes to build/asan: the kind "address" needs most of it
  local compiler
  compiler=$(newest clang++)
  source_tree build/clang
  compile build/clang/extension '^make.*: \*\*\* \[.*\.o\] Error' make -k -C build/clang -j"$jobs" "CXX=$compiler" stage
  configure_client asan address,undefined
  compile build/asan '^FAILED: ' cmake --build build/asan -j "$jobs" -- -k 0
  grep -E '(error|warning): ' "$log" | sort -u | sed -n '1,40s/^/    /p' || true
}

tidy_one() {  # FILE [FLAG…]: prints what is wrong with it
  local file=$1 said
  shift
  if said=$(timeout -k 10 600 "$tidy" --quiet "$file" "$@" 2>/dev/null); then return 0; fi
  printf '%s\n' "$said" | grep -vE '^[0-9]+ warnings' >"$logs/$(tr / _ <<<"$file")"
}

kind_tidy() {
  local client extension version file
  tidy=$(newest clang-tidy)
  version=$(sed -n "s/^default_version *= *'\(.*\)'.*/\1/p" extension/pg_coord.control)
  # Configured only: clang-tidy reads from it how each source is compiled. It cannot read what another compiler precompiled.
  step cmake -S tests -B build/tidy -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_COMPILER=$(newest clang++)" \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
  mapfile -t client < <(find client -name '*.cpp' | LC_ALL=C sort)
  mapfile -t extension < <(find extension -name '*.cpp' | LC_ALL=C sort)
  export -f tidy_one
  export tidy logs
  printf '%s\0' "${client[@]}" | xargs -0 -P "$jobs" -I{} bash -c 'tidy_one "$@"' _ {} -p build/tidy
  printf '%s\0' "${extension[@]}" | xargs -0 -P "$jobs" -I{} bash -c 'tidy_one "$@"' _ {} -- -std=c++20 -Wall -Wextra \
    -isystem "$("${PG_CONFIG:-pg_config}" --includedir-server)" -Iclient/include "-DCOORD_VERSION=\"$version\""
  for file in "${client[@]}" "${extension[@]}"; do
    if [[ -e $logs/$(tr / _ <<<"$file") ]]; then failed=$((failed + 1)); else passed=$((passed + 1)); fi
  done
  find "$logs" -type f ! -name log -exec cat {} + | grep -E '(error|warning): ' | sort -u | sed -n '1,60s/^/    /p' || true
}
