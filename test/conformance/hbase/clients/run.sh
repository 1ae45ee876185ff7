#!/usr/bin/env bash
# Clients of HBase that others wrote, in Go, Java and JavaScript: gohbase, asynchbase and hbase-rpc-client.
#
#   run.sh                       builds and starts a Basalt, runs all of them, stops it
#   run.sh gohbase|gohbase_own|asynchbase|node...
#                                only these; gohbase_own are the integration tests that gohbase itself has
#   TARGET=zk://HOST:PORT run.sh the same against a server that runs
#
# Settings, all in the environment:
#   VERBOSE=1    prints every check, not only the failures
#   BASALT       a binary to use instead of building one
#   PEERS_HOME   where jars, classes and modules are kept (default ~/.cache/basalt-peers)
#
# Prints the failed checks of each client and 'N passed, N failed' over all; fails when a check did.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac
home=${PEERS_HOME:-$HOME/.cache/basalt-peers}
hbase=$here/../../../peers/hbase/hbase.sh
. "$here/../../../basalt.sh"
mkdir -p "$home"

# mark FILE...: a name for this state of the files.
mark() { cat "$@" | sha256sum | cut -c1-12; }

# java_classes NAME CLASSPATH FILE...: the classes of a program, compiled once for each state of it. Prints the folder.
java_classes() {
  local name=$1 classpath=$2 classes
  shift 2
  classes=$home/clients-$name-$(mark "$@")
  if [ ! -e "$classes/.complete" ]; then
    rm -rf "$home/clients-$name-"*
    mkdir -p "$classes"
    javac -nowarn -proc:none -Xlint:none -d "$classes" -cp "$classpath" "$@" >&2
    touch "$classes/.complete"
  fi
  echo "$classes"
}

# make_table create|drop NAME SPLIT...
make_table() {
  local classes
  classes=$(java_classes table "$("$hbase" classpath)" "$here/table/MakeTable.java")
  TARGET=$TARGET JAVA_CLASSES=$classes CLIENT_HEAP=256m HBASE_OPTS='-XX:+UseSerialGC -XX:TieredStopAtLevel=1' \
    timeout -k 5 90 "$hbase" java MakeTable "$@" 2>"$results/table.err" || { tail -5 "$results/table.err"; return 1; }
}

check_gohbase() {
  (cd "$here/gohbase" && go build -o "$results/gohbase" .)
  timeout -k 5 150 "$results/gohbase" "${TARGET#*://}"
}

# The tests of gohbase's repository that want a server. Left out are those of snapshots, which Basalt does not have, and
# one that starts and stops region servers by HBase's scripts. Each test counts.
check_gohbase_own() {
  local source=$results/gohbase-source status=0
  (cd "$here/gohbase" && go mod download && cp -r "$(go list -m -f '{{.Dir}}' github.com/tsuna/gohbase)" "$source")
  chmod -R u+w "$source"
  (cd "$source" && go test -c -tags integration -o "$results/gohbase-tests" .)
  timeout -k 5 150 "$results/gohbase-tests" -test.v -test.timeout 140s -host "${TARGET#*://}" \
    -test.skip '^(TestSnapshot|TestRestoreSnapshot|TestChangingRegionServers)$' >"$results/gohbase-tests.log" 2>&1 || status=$?
  sed -nE 's/^--- PASS: ([^ ]+).*/ok \1/p; s/^--- FAIL: ([^ ]+).*/FAIL \1/p; /^panic: /p; /^ +integration_test\.go:/p' "$results/gohbase-tests.log"
  echo "$(grep -c '^--- PASS' "$results/gohbase-tests.log") passed, $(grep -c '^--- FAIL' "$results/gohbase-tests.log") failed"
  return "$status"
}

check_asynchbase() {
  local jars classes table=conf_asynchbase_$$
  jars=$home/asynchbase-$(mark "$here/asynchbase/pom.xml")
  if [ ! -e "$jars/.complete" ]; then
    rm -rf "$home"/asynchbase-*
    mvn -B -q -Dstyle.color=never -f "$here/asynchbase/pom.xml" dependency:copy-dependencies -DoutputDirectory="$jars"
    touch "$jars/.complete"
  fi
  classes=$(java_classes asynchbase "$jars/*" "$here/asynchbase/java/AsynchbaseChecks.java")
  make_table create "$table" h p
  timeout -k 5 150 java -Xmx512m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$classes:$jars/*" AsynchbaseChecks "${TARGET#*://}" "$table"
  make_table drop "$table"
}

check_node() {
  local modules table=conf_node_$$
  modules=$home/node-$(mark "$here/node/package.json")
  if [ ! -e "$modules/.complete" ]; then
    rm -rf "$home"/node-*
    mkdir -p "$modules"
    cp "$here/node/package.json" "$modules/"
    (cd "$modules" && npm install --no-audit --no-fund --no-package-lock --ignore-scripts --loglevel=error)
    touch "$modules/.complete"
  fi
  # A program finds its modules beside itself or above.
  cp "$here/node/checks.js" "$modules/"
  make_table create "$table" h p
  timeout -k 5 150 node "$modules/checks.js" "${TARGET#*://}" "$table"
  make_table drop "$table"
}

# client NAME: the checks of one client. Their output goes to a file of that name; what ends without a count failed.
client() {
  local name=$1 started=$SECONDS status=0
  (set -e; "check_$name") >"$results/$name.out" 2>"$results/$name.err" & wait $! || status=$?
  if [ "$status" -ne 0 ] && ! grep -qE '^[0-9]+ passed, [1-9][0-9]* failed$' "$results/$name.out"; then
    { tail -15 "$results/$name.err"; echo "FAIL $name did not come to its end: status $status"; echo "0 passed, 1 failed"; } >>"$results/$name.out"
  fi
  printf 'client %-11s %s  (%ss)\n' "$name" "$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$results/$name.out" | tail -1)" $((SECONDS - started))
  if [ -n "${VERBOSE:-}" ]; then cat "$results/$name.out"; else grep -B 15 '^FAIL' "$results/$name.out" | grep -v '^ok' || true; fi
}

results=$basalt_home/results
mkdir -p "$results"
if [ -z "${TARGET:-}" ]; then
  basalt_build
  basalt_ports
  basalt_start
  TARGET=zk://127.0.0.1:$zk_port
fi
[ $# -gt 0 ] || set -- gohbase gohbase_own asynchbase node
for name in "$@"; do client "$name"; done

sum=$(cat "$results"/*.out | awk '/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 } END { print p + 0 " passed, " f + 0 " failed" }')
echo "$sum"
[[ $sum != '0 passed,'* && $sum == *' 0 failed' ]]
