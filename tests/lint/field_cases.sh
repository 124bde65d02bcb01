# Every test that the table of field cases names exists, and every case has a test or says why it has none.
set -u
table=tests/field-cases.md
status=0
complain() { echo "field_cases: $*"; status=1; }
known=$(cat tests/unit/*_test.cpp tests/integration/*_test.cpp tests/support/*.hpp | tr -s '\n ' '  ' |
  grep -oE '\bTEST(_F|_P)?\( ?[A-Za-z0-9_]+, [A-Za-z0-9_]+' | sed -E 's/.*\( ?//; s/, /./')
exists() {  # TEST: as the page writes it, pgtap/x, regress/x, … or Suite.test
  case $1 in
    pgtap/*) [ -e "tests/$1.sql" ] ;;
    regress/*) [ -e "sql/${1#*/}.sql" ] ;;
    isolation/*) [ -e "tests/isolation/specs/${1#*/}.spec" ] ;;
    bench/*) [ -e "tests/$1.cpp" ] ;;
    lint/* | upgrade/*) [ -e "tests/$1.sh" ] ;;
    matrix/*) [ -e "tests/$1" ] ;;
    */*) false ;;
    *) grep -qxF "$1" <<<"$known" ;;
  esac
}
last=0
while IFS='|' read -r _ number _ held _; do
  number=${number// /}
  [ "$number" -gt "$last" ] 2>/dev/null || complain "case $number comes after case $last"
  last=$number tests=$(grep -oE '`[A-Za-z0-9_]+[./][A-Za-z0-9_./]+`' <<<"$held" | tr -d '`')
  [ -n "$tests" ] || grep -q 'cannot apply' <<<"$held" || complain "case $number has neither a test nor a reason"
  for test in $tests; do
    exists "$test" || complain "case $number: there is no test $test"
  done
done < <(grep -E '^\| *[0-9]+ *\|' "$table")
[ "$last" -gt 0 ] || complain "$table has no case"
[ $status -ne 0 ] || echo "field_cases: every test exists"
exit $status
