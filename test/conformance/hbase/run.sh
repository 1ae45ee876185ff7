#!/usr/bin/env bash
# The Java conformance programs with every stock client, against Basalt or any HBase.
#
#   run.sh                     builds and starts a Basalt, runs all clients over both registries, stops it
#   TARGET='zk://HOST:PORT rpc://HOST:PORT' run.sh
#                              the same against a server that runs; one target or several
#   run.sh GROUP...            only these groups of checks, e.g. run.sh Scan Filter
#
# Settings, all in the environment:
#   VERSIONS     2.2.3 2.4.18 2.5.10 2.6.1 3.0.0-beta-1
#   JOBS         clients at a time (2)
#   VERBOSE=1    prints every check, not only the failures
#   BASALT       a binary to use instead of building one
#   PEERS_HOME   where jars and classes are kept (default ~/.cache/basalt-peers)
#
# Prints the failed checks of each client and 'N passed, N failed' over all; fails when a check did.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac
home=${PEERS_HOME:-$HOME/.cache/basalt-peers}
hbase=$here/../../peers/hbase/hbase.sh
read -ra versions <<<"${VERSIONS:-2.2.3 2.4.18 2.5.10 2.6.1 3.0.0-beta-1}"
. "$here/../../basalt.sh"

# sources VERSION: the folders whose programs this client can compile.
sources() {
  echo "$here/java/all"
  case $1 in 2.*) echo "$here/java/until2" ;; esac
  case $1 in 2.[0-3].*) ;; *) echo "$here/java/since24" ;; esac
}

# compile VERSION: the programs' classes, compiled once for each state of the source. Prints the folder.
compile() {
  local version=$1 files classes
  mapfile -t files < <(sources "$version" | xargs -I{} find {} -name '*.java' | sort)
  classes=$home/conformance-$version-$(cat "${files[@]}" | sha256sum | cut -c1-12)
  if [ ! -e "$classes/.complete" ]; then
    rm -rf "$home/conformance-$version-"*
    mkdir -p "$classes"
    javac -nowarn -proc:none -Xlint:none -d "$classes" \
      -cp "$(HBASE_VERSION=$version "$hbase" classpath)" "${files[@]}" 2>"$classes/javac.log" ||
      { cat "$classes/javac.log" >&2; return 1; }
    touch "$classes/.complete"
  fi
  echo "$classes"
}

# client VERSION TARGET CLASSES GROUP...: one JVM with all groups. Its output goes to a file named after both.
client() {
  local version=$1 target=$2 classes=$3 out started=$SECONDS
  shift 3
  out=$results/$version-${target%%:*}
  HBASE_VERSION=$version TARGET=$target JAVA_CLASSES=$classes CLIENT_HEAP=512m HBASE_OPTS='-XX:+UseSerialGC -XX:TieredStopAtLevel=1' \
    timeout -k 5 300 "$hbase" java basalt.conformance.Main "$@" >"$out.out" 2>"$out.err" || true
  grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$out.out" || {
    tail -5 "$out.err"
    echo "FAIL the client did not come to its end"
    echo "0 passed, 1 failed"
  } >>"$out.out"
  printf 'client %-12s %-3s  %s  (%ss)\n' "$version" "${target%%:*}" "$(tail -1 "$out.out")" $((SECONDS - started))
  if [ -n "${VERBOSE:-}" ]; then grep -E '^(ok|FAIL)' "$out.out" || true; else grep '^FAIL' "$out.out" || true; fi
}

results=$(mktemp -d)
if [ -z "${TARGET:-}" ]; then
  basalt_build
  basalt_ports
  basalt_start
  TARGET="zk://127.0.0.1:$zk_port rpc://127.0.0.1:$master_port"
fi
read -ra targets <<<"$TARGET"

for version in "${versions[@]}"; do
  classes=$(compile "$version")
  if [ $# -gt 0 ]; then chosen=("$@"); else
    mapfile -t chosen < <(cd "$classes/basalt/conformance" && ls | sed -n 's/^\([A-Za-z]\{1,\}\)Checks\.class$/\1/p')
  fi
  groups=()
  for group in "${chosen[@]}"; do
    [ ! -e "$classes/basalt/conformance/${group}Checks.class" ] || groups+=("basalt.conformance.${group}Checks")
  done
  [ ${#groups[@]} -gt 0 ] || continue
  for target in "${targets[@]}"; do
    case $version:$target in 2.[0-3].*:rpc://*) continue ;; esac # ZooKeeper is all that it knows
    while [ "$(jobs -rp | grep -cvx "${basalt_pid:-0}")" -ge "${JOBS:-2}" ]; do wait -n 2>/dev/null || true; done
    client "$version" "$target" "$classes" "${groups[@]}" &
  done
done
for job in $(jobs -rp | grep -vx "${basalt_pid:-0}"); do wait "$job" || true; done

sum=$(cat "$results"/*.out | awk '/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 } END { print p + 0 " passed, " f + 0 " failed" }')
rm -rf "$results"
echo "$sum"
[[ $sum != '0 passed,'* && $sum == *' 0 failed' ]]
