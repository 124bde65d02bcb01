# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by tests/sanitize/run: what sanitizers and valgrind wrote into $reports, one file a process. Each report is a
# failure, whether or not a test noticed; all are kept in $logs.

titles='WARNING: ThreadSanitizer|ERROR: (Address|Leak)Sanitizer|runtime error: '

reports_of() {  # [PATTERN]: files with a report, those alone in which the pattern is found
  find "$reports" -type f -size +0 -name 'report*' -exec grep -lE "$titles" {} + | if [[ -n ${1:-} ]]; then
    xargs -r grep -lE "$1"
  else
    cat
  fi
}

take_reports() {  # [PATTERN]: counts and shows them
  local files found=0
  mapfile -t files < <(reports_of "${1:-}" || true)
  [[ ${#files[@]} -gt 0 ]] || return 0
  cp "${files[@]}" "$logs/"
  found=$(cat "${files[@]}" | grep -cE "$titles")
  failed=$((failed + found))
  echo "    $found reports, kept in $logs; by kind and place:"
  cat "${files[@]}" | grep -hE '^SUMMARY: |runtime error: ' | sed 's/^SUMMARY: //' | sort | uniq -c | sort -rn | sed -n '1,20s/^/    /p' | cut -c1-200
  echo "    the first:"
  grep -vE ' (std::|__gnu_cxx|(void|auto|bool) std::|operator\(\)|__invoke|testing::)' "${files[0]}" | sed -n '1,40s/^/      /p' | cut -c1-200
}

# Valgrind's reports are XML, because its text does not say which library a frame lies in.
ours_of_valgrind() {  # FILE…: the errors with a frame of the module, as text
  awk '
    function word(line) { gsub(/^ *<[a-z]+>|<\/[a-z]+>$/, "", line); gsub(/&lt;/, "<", line); gsub(/&gt;/, ">", line); return line }
    /<error>/ { text = ""; ours = 0; inside = 1 }
    !inside { next }
    /<what>|<text>|<auxwhat>/ { text = text word($0) "\n" }
    /<obj>.*\/pg_coord\.so</ { ours = 1 }
    /<frame>/ { name = "???"; place = "" }
    /<fn>/ { name = word($0) }
    /<file>/ { place = " " word($0) }
    /<line>/ { place = place ":" word($0) }
    /<\/frame>/ { text = text "  " name place "\n" }
    /<\/error>/ { if (ours) print text; inside = 0 }' "$@"
}

take_valgrind() {  # counts and shows them
  local files
  mapfile -t files < <(find "$reports" -type f -name 'valgrind*.xml')
  [[ ${#files[@]} -gt 0 ]] || { echo "    valgrind wrote nothing"; failed=$((failed + 1)); return; }
  ours_of_valgrind "${files[@]}" >"$logs/errors"
  [[ -s $logs/errors ]] || return 0
  cp "${files[@]}" "$logs/"
  local found
  found=$(grep -c '^$' "$logs/errors")
  failed=$((failed + found))
  echo "    $found errors, kept in $logs/errors; the first:"
  sed -n '1,60s/^/      /p' "$logs/errors"
}
