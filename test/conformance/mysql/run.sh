#!/usr/bin/env bash
# Stock MySQL clients against Basalt, or any MySQL server: command line clients, Connector/J, go-sql-driver, mysql2, PyMySQL.
#
#   run.sh [CLIENT...]         builds and starts a Basalt, runs the clients, stops it; clients: cli java go node python
#   TARGET=HOST:PORT run.sh    the same against a server that runs, which lets root in without a password
#
# Settings, all in the environment:
#   BASALT       a binary to use instead of building one
#   PEERS_HOME   where clients are kept (default ~/.cache/basalt-peers)
#   VERBOSE=1    prints every check, not only the failures
#
# Installs what is missing: Debian's default-mysql-client as root, the others from Maven, npm, PyPI and Go's modules.
# Prints the failed checks of each client and 'N passed, N failed' over all; fails when a check did. Checks that known.txt
# names are shown and not counted as long as they fail; one that passes must be taken off the list.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac
home=${PEERS_HOME:-$HOME/.cache/basalt-peers}/mysql-conformance
connector=9.7.0
mkdir -p "$home"
. "$here/../../basalt.sh"

# Each client: what it needs, once, and how it runs with HOST PORT.
ready_cli() {
  command -v mysqldump >/dev/null || { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends default-mysql-client; }
}
run_cli() { bash "$here/cli/checks.sh" "$1" "$2" root ''; }

jar=$home/mysql-connector-j-$connector.jar
ready_java() {
  if [ ! -e "$jar" ]; then
    mvn -q -B dependency:copy -Dartifact="com.mysql:mysql-connector-j:$connector" -DoutputDirectory="$home"
  fi
  rm -rf "$home/classes"
  javac -nowarn -proc:none -d "$home/classes" "$here/java/Checks.java"
}
run_java() { java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "$jar:$home/classes" Checks "$1:$2" root ''; }

ready_go() { (cd "$here/go" && go build -o "$home/go-checks" .); }
run_go() { "$home/go-checks" "$1:$2" root ''; }

ready_node() {
  mkdir -p "$home/node"
  cp "$here/node/package.json" "$here/node/checks.mjs" "$home/node/"
  if ! cmp -s "$here/node/package.json" "$home/node/installed"; then
    (cd "$home/node" && npm install --no-audit --no-fund --silent)
    cp "$here/node/package.json" "$home/node/installed"
  fi
}
run_node() { node "$home/node/checks.mjs" "$1" "$2" root ''; }

ready_python() {
  if ! cmp -s "$here/python/requirements.txt" "$home/python/installed"; then
    python3 -m venv "$home/python" || { apt-get update && apt-get install -y --no-install-recommends python3-venv && python3 -m venv "$home/python"; }
    "$home/python/bin/pip" -q --disable-pip-version-check install -r "$here/python/requirements.txt"
    cp "$here/python/requirements.txt" "$home/python/installed"
  fi
}
run_python() { "$home/python/bin/python" "$here/python/checks.py" "$1" "$2" root ''; }

# judge CLIENT FILE: applies known.txt to its results.
judge() {
  awk -v client="$1" '
    FILENAME == ARGV[1] { if ($0 !~ /^#/ && NF) { split($0, f, "  +"); if (f[1] == client) known[f[2]] = 1 }; next }
    /^(ok|FAIL) / {
      for (k in known) {
        rest = substr($0, length($1) + 2)
        if (index(rest, k) == 1 && (substr(rest, length(k) + 1, 1) ~ /^[: ]?$/)) {
          if ($1 == "FAIL") { sub(/^FAIL/, "known"); listed++ }
          else { $0 = "FAIL " rest ": passes, and known.txt says that it does not"; unlisted++ }
          break
        }
      }
    }
    /^[0-9]+ passed, [0-9]+ failed$/ { $0 = ($1 - unlisted) " passed, " ($3 - listed + unlisted) " failed" }
    { print }' "$here/known.txt" "$2" >"$2.judged"
  mv "$2.judged" "$2"
}

clients=("$@")
[ $# -gt 0 ] || clients=(cli java go node python)
if [ -z "${TARGET:-}" ]; then
  basalt_build
  basalt_ports
  basalt_start
  TARGET=127.0.0.1:$mysql_port
fi

results=$(mktemp -d)
for client in "${clients[@]}"; do
  out=$results/$client started=$SECONDS
  if "ready_$client" >"$out.ready" 2>&1; then
    timeout -k 5 100 bash -c "$(declare -f "run_$client"); here='$here' home='$home' jar='$jar'; run_$client $(printf '%q ' "${TARGET%:*}" "${TARGET##*:}")" >"$out" 2>"$out.err" || true
  fi
  grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$out" 2>/dev/null || {
    tail -n 5 "$out.ready" "$out.err" 2>/dev/null || true
    echo "FAIL the client did not come to its end"
    echo "$(grep -c '^ok' "$out" 2>/dev/null || echo 0) passed, $(($(grep -c '^FAIL' "$out" 2>/dev/null || echo 0) + 1)) failed"
  } >>"$out"
  judge "$client" "$out"
  printf 'client %-7s %s  (%ss)\n' "$client" "$(tail -n 1 "$out")" $((SECONDS - started))
  if [ -n "${VERBOSE:-}" ]; then grep -E '^(ok|FAIL|known)' "$out" || true; else grep -E '^(FAIL|known)' "$out" || true; fi
done
sum=$(for client in "${clients[@]}"; do tail -n 1 "$results/$client"; done |
  awk '/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 } END { print p + 0 " passed, " f + 0 " failed" }')
rm -rf "$results"
echo "$sum"
[[ $sum != '0 passed,'* && $sum == *' 0 failed' ]]
