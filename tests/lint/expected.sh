# Every SQL test and isolation spec has its expected output, and no output lies about without its test.
set -u
status=0
pairs() {  # INPUTS SUFFIX OUTPUTS
  local file name
  for file in "$1"/*"$2"; do
    name=$(basename "$file" "$2")
    [ ! -e "$file" ] || [ -e "$3/$name.out" ] || { echo "expected: $file has no $3/$name.out"; status=1; }
  done
  for file in "$3"/*.out; do
    name=$(basename "$file" .out)
    [ ! -e "$file" ] || [ -e "$1/$name$2" ] || [ -e "$1/${name%_[0-9]}$2" ] || { echo "expected: $file has no test"; status=1; }
  done
}
pairs sql .sql expected
pairs tests/isolation/specs .spec tests/isolation/expected
for file in tests/pgtap/*.sql; do
  [ ! -e "$file" ] || grep -qiE '\b(plan|no_plan)\s*\(' "$file" || { echo "expected: $file has no plan"; status=1; }
done
[ $status -ne 0 ] || echo "expected: complete"
exit $status
