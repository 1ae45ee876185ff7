#!/usr/bin/env bash
# Kills Basalt in the middle of work, again and again, and sees what is left.
#
#   run.sh [ROUNDS]     2 rounds; 20 by hand
#
# Stock Java clients write, read, increment and append all the time, and log what was acknowledged and what they were
# shown. Each round ends the server with kill -9 at a random moment, starts it on the same ports and waits until every
# client goes on, by itself. In the end everything acknowledged or shown must be there, and every increment and append
# that a client sent again across a kill counted once.
#
# Settings, all in the environment:
#   HBASE_CLIENT   version of the client (2.6.1)
#   FLAGS          more flags for the server, e.g. --sync=os
#   BASALT         a binary to use instead of building one
#   PEERS_HOME     where jars and classes are kept (default ~/.cache/basalt-peers)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac
rounds=${1:-2}
export HBASE_VERSION=${HBASE_CLIENT:-2.6.1} CLIENT_HEAP=512m HBASE_OPTS=-XX:+UseSerialGC
hbase=$here/../peers/hbase/hbase.sh
read -ra flags <<<"${FLAGS:-}"
. "$here/../basalt.sh"

basalt_build
basalt_ports
basalt_start "${flags[@]}"
export TARGET=zk://127.0.0.1:$zk_port

work=$basalt_home/crash table=crash
export JAVA_CLASSES=$work/classes
mkdir -p "$work/classes" "$work/logs"
javac -nowarn -proc:none -Xlint:none -d "$JAVA_CLASSES" -cp "$("$hbase" classpath)" "$here"/java/basalt/crash/*.java

"$hbase" java basalt.crash.Load "$work/logs" "$table" >"$work/load.out" 2>"$work/load.err" &
load=$!
trap 'kill "$load" 2>/dev/null || true; basalt_end' EXIT

failed=0 passed=0
fail() { echo "FAIL $1"; failed=$((failed + 1)); }
operations() { cat "$work/logs/status" 2>/dev/null || echo 0; }

# goes_on N: does every client do N more operations within a minute?
goes_on() {
  local target=$(($(operations) + $1))
  for _ in $(seq 600); do
    kill -0 "$load" 2>/dev/null || return 1
    [ "$(operations)" -lt "$target" ] || return 0
    sleep 0.1
  done
  return 1
}

goes_on 5 || { fail "the clients do not start"; tail -5 "$work/load.out" "$work/load.err"; exit 1; }
for round in $(seq "$rounds"); do
  sleep "$((RANDOM % 2)).$((RANDOM % 10))"
  basalt_kill KILL
  sleep "0.$((RANDOM % 10))"
  basalt_start "${flags[@]}" || { fail "round $round: no start after kill -9"; break; }
  started=$SECONDS
  if goes_on 3; then
    passed=$((passed + 1))
    echo "ok round $round: all clients go on after $((SECONDS - started)) s, $(cat "$work"/logs/*.log | wc -l) lines logged"
  else
    fail "round $round: not all clients go on: $(operations) operations"
    tail -3 "$work/load.out" "$work/load.err"
    break
  fi
done

touch "$work/logs/stop"
for _ in $(seq 900); do kill -0 "$load" 2>/dev/null || break; sleep 0.1; done
if kill -0 "$load" 2>/dev/null; then fail "the clients do not come to their end"; kill -9 "$load"; fi
wait "$load" 2>/dev/null || fail "the clients: $(tail -1 "$work/load.out")"

"$hbase" java basalt.crash.Verify "$work/logs" "$table" >"$work/verify.out" 2>"$work/verify.err" || true
if ! grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$work/verify.out"; then
  fail "the verification does not come to its end"
  tail -5 "$work/verify.err"
fi
grep -E '^(ok|FAIL)' "$work/verify.out" | cut -c1-400
passed=$((passed + $(grep -c ^ok "$work/verify.out" || true)))
failed=$((failed + $(grep -c ^FAIL "$work/verify.out" || true)))
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
