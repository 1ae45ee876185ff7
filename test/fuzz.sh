#!/usr/bin/env bash
# fuzz.sh TIME: runs every fuzz test of the tree for so long, one after the
# other. A failure leaves its input under the package's testdata/fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
time=${1:-30s}
failed=0
while IFS=: read -r file name; do
  echo "== $name in $(dirname "$file")"
  go test "./$(dirname "$file")" -run '^$' -fuzz "^$name\$" -fuzztime "$time" || failed=$((failed + 1))
done < <(grep -rHoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' cmd internal client | sed 's/:func /:/')
exit $((failed > 0))
