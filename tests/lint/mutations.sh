# Every mutation still applies to the sources, and its row names a test that exists.
set -u
tests/mutations/run --check || { echo "mutations: see tests/mutations/README.md"; exit 1; }
echo "mutations: all apply"
