#!/usr/bin/env bash
# The whole test suite, in stages: format, vet, staticcheck, builds, Go tests, and
# every conformance stage, which is a script test/**/run.sh. Such a script prints
# what it checked and ends with a line "N passed, N failed"; it fails when a check
# failed or could not run.
#
#   run.sh              everything
#   run.sh NAME...      only the stages whose names contain one of the words
#
# On Debian as root it installs what is missing. Elsewhere it names it and fails.
# The full output of each stage stays in $LOGS (default: a new directory in /tmp).
set -uo pipefail
cd "$(dirname "$0")/.."
logs=${LOGS:-$(mktemp -d -t basalt-test.XXXXXX)}
mkdir -p "$logs"
export GOFLAGS="${GOFLAGS:-} -buildvcs=false"
stage_limit=${STAGE_LIMIT:-40m}
wanted=("$@")

# need COMMAND PACKAGE: notes the package when the command is missing.
missing=()
need() { command -v "$1" >/dev/null 2>&1 || missing+=("$2"); }
need go golang
need gcc gcc
need curl curl
need python3 python3
need javac openjdk-17-jdk-headless
need mvn maven
need node nodejs
need npm npm
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null 2>&1; then
    echo "missing, and only installed for you on Debian as root: ${missing[*]}"
    exit 1
  fi
  echo "installing ${missing[*]}"
  if ! { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } >"$logs/install.log" 2>&1; then
    tail -n 30 "$logs/install.log"
    echo "could not install ${missing[*]}"
    exit 1
  fi
fi

passed=0 failed=0 times=()

# count LOG STATUS: adds up a stage. The last "N passed, N failed" of its output
# counts; a stage without one is one check. A status that the counts do not
# explain is one failure.
count() {
  local line p=0 f=0
  line=$(grep -E '^([A-Za-z]+: )?[0-9]+ passed, [0-9]+ failed' "$1" | tail -n 1)
  if [ -n "$line" ]; then
    p=$(sed -E 's/^([A-Za-z]+: )?([0-9]+) passed.*/\2/' <<<"$line")
    f=$(sed -E 's/.*passed, ([0-9]+) failed.*/\1/' <<<"$line")
  elif [ "$2" = 0 ]; then
    p=1
  fi
  if [ "$2" != 0 ] && [ "$f" = 0 ]; then f=1; fi
  passed=$((passed + p)) failed=$((failed + f))
}

# stage NAME COMMAND...: runs a stage. A quiet success is one line; a failure
# shows the end of its output.
stage() {
  local name=$1 log status begin word match=
  shift
  for word in "${wanted[@]}"; do [[ $name == *"$word"* ]] && match=1; done
  if [ ${#wanted[@]} -gt 0 ] && [ -z "$match" ]; then return; fi
  log=$logs/${name//[ \/]/-}.log
  begin=$SECONDS
  echo "==> $name"
  timeout --kill-after=30s "$stage_limit" "$@" >"$log" 2>&1
  status=$?
  if [ $status = 124 ]; then echo "stopped: it took longer than $stage_limit" >>"$log"; fi
  count "$log" $status
  times+=("$(printf '%5ds  %s' $((SECONDS - begin)) "$name")")
  if [ $status = 0 ]; then
    # How much was checked, without the form that only the last line may have.
    grep -E '^([A-Za-z]+: )?[0-9]+ passed, [0-9]+ failed' "$log" | tail -n 1 | sed 's/^/    /'
  else
    tail -n "${TAIL:-80}" "$log" | sed 's/^/    /'
    echo "    FAILED: $name, status $status, all of its output in $log"
  fi
}

check_format() {
  local files
  files=$(gofmt -l cmd internal client basalttest test) || return 1
  [ -z "$files" ] || { echo "not formatted by gofmt:"; echo "$files"; return 1; }
}
go_tests() {
  go test -json -count=1 -timeout 20m ./... 2>&1 | go run ./test/summary
}
race_tests() {
  go test -race -short -json -count=1 -timeout 30m ./cmd/... ./internal/... ./client/... ./basalttest/... 2>&1 | go run ./test/summary
}
export -f check_format go_tests race_tests

stage "format" bash -c check_format
stage "vet" go vet ./...
stage "staticcheck" go tool staticcheck ./...
stage "build with cgo" env CGO_ENABLED=1 go build -o bin/basalt ./cmd/basalt
stage "build without cgo" env CGO_ENABLED=0 go build -o bin/basalt-nocgo ./cmd/basalt
stage "go tests" bash -o pipefail -c go_tests
stage "go tests, race detector" bash -o pipefail -c race_tests
while read -r script; do
  name=${script#test/}
  stage "${name%/run.sh}" bash "$script"
done < <(find test -mindepth 2 -name run.sh | sort)

echo
printf '%s\n' "${times[@]}"
printf '%5ds  in all\n' $SECONDS
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
