#!/usr/bin/env bash
# The same random operations on Basalt and on a real HBase, results compared.
#
#   run.sh [OPS [SEED]]        2000 operations, a seed from the clock
#
# Settings, all in the environment:
#   ORACLE       zk://HOST:PORT or rpc://HOST:PORT of a real HBase; without it one is started, and stopped at the end
#   SUBJECT      the server under test; without it a Basalt is built, started and stopped
#   RESTLESS=1   flushes the subject more often than the oracle. With one HBase as both it shows that the operations
#                never ask what HBase leaves to the time of its flushes
#   BASALT       a binary to use instead of building one
#   PEERS_HOME   where jars and classes are kept (default ~/.cache/basalt-peers)
#
# Stops at the first difference and prints it with the seed and the fewest operations that still show it. The last line
# is 'N passed, N failed'.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac
ops=${1:-2000} seed=${2:-$(date +%s)}
home=${PEERS_HOME:-$HOME/.cache/basalt-peers}
hbase=$here/../peers/hbase/hbase.sh
. "$here/../basalt.sh"

if [ -z "${ORACLE:-}" ]; then
  # An instance of its own, so that it is nobody else's to stop.
  export HBASE_ZK_PORT=${HBASE_ZK_PORT:-22281} HBASE_MASTER_PORT=${HBASE_MASTER_PORT:-22100} HBASE_RS_PORT=${HBASE_RS_PORT:-22120}
  export HBASE_DATA=$basalt_home/oracle HBASE_HEAP=${HBASE_HEAP:-1g}
  trap '"$hbase" stop; basalt_end' EXIT
  "$hbase" start
  ORACLE=zk://127.0.0.1:$HBASE_ZK_PORT
fi
if [ -z "${SUBJECT:-}" ]; then
  basalt_build
  basalt_ports
  basalt_start
  SUBJECT=zk://127.0.0.1:$zk_port
fi

mapfile -t files < <(find "$here/java" -name '*.java' | sort)
classes=$home/differential-$(cat "${files[@]}" | sha256sum | cut -c1-12)
if [ ! -e "$classes/.complete" ]; then
  rm -rf "$home/differential-"*
  mkdir -p "$classes"
  javac -nowarn -proc:none -Xlint:none -d "$classes" -cp "$("$hbase" classpath)" "${files[@]}" 2>"$classes/javac.log" ||
    { cat "$classes/javac.log" >&2; exit 2; }
  touch "$classes/.complete"
fi

status=0
JAVA_CLASSES=$classes CLIENT_HEAP=512m HBASE_OPTS=-XX:+UseSerialGC \
  "$hbase" java basalt.differential.Main "$ops" "$seed" "$ORACLE" "$SUBJECT" ${RESTLESS:+restless} \
  2>"$basalt_home/client.log" || status=$?
[ "$status" -eq 0 ] || grep -v WARN "$basalt_home/client.log" | tail -5 >&2 || true
exit "$status"
