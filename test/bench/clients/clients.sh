#!/usr/bin/env bash
# Clients beside each other: the CPU that each takes for the same operations on the same server.
#
#   clients.sh            prints, for each server, client and operation, the median of the rounds
#
# Settings, all in the environment:
#   SYSTEMS  basalt hbase        servers, one at a time; HBase is 2.6.1
#   CLIENTS  basalt gohbase java
#   ROUNDS   3                   each round runs all clients, one after the other
#   ROWS     100000              of 1,000 bytes
#   THREADS  16                  that call at a time
#   WARM     2                   seconds before what counts (10 for Java)
#   TIME     5                   seconds that count
#   DELAY    1ms                 of the network, each way, of the last part: scans in each mode. A fetch is 100 rows there
#   BASALT   a binary to use instead of building one
#
# Client CPU is user and system time of the whole process of the client. A connection to the server is all that each
# client has, which is the default of all three; gohbase sends each request by itself. Where client and server share few
# cores, throughput tells less than CPU.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac
read -ra systems <<<"${SYSTEMS:-basalt hbase}"
read -ra clients <<<"${CLIENTS:-basalt gohbase java}"
rounds=${ROUNDS:-3} rows=${ROWS:-100000} threads=${THREADS:-16} warm=${WARM:-2} time=${TIME:-5} delay=${DELAY:-1ms}
hbase=$here/../../peers/hbase/hbase.sh
. "$here/../../basalt.sh"
basalt_build
(cd "$basalt_repository" && go build -o "$basalt_home/clients" ./test/bench/clients)
classes=$basalt_home/classes
mkdir "$classes"
case " ${clients[*]} " in *' java '*)
  javac -nowarn -proc:none -d "$classes" -cp "$("$hbase" classpath)" "$here"/java/basalt/bench/*.java ;;
esac

start() {
  basalt_ports
  case $1 in
    basalt)
      rm -rf "$basalt_data"
      basalt_start --sync=os --cache-size=256MiB ;;
    hbase)
      export HBASE_ZK_PORT=$zk_port HBASE_MASTER_PORT=$master_port HBASE_RS_PORT=$hbase_port HBASE_DATA=$basalt_home/hbase
      "$hbase" start >&2
      trap '"$hbase" stop; basalt_end' EXIT ;;
    *) echo "no system $1" >&2; return 2 ;;
  esac
  export TARGET=zk://127.0.0.1:$zk_port
}

stop() { case $1 in hbase) "$hbase" stop; trap basalt_end EXIT ;; *) basalt_kill TERM ;; esac; }

go_client() { "$basalt_home/clients" -target "$TARGET" -rows "$rows" -warm "${warm}s" -time "${time}s" "$@"; }

# one CLIENT OP [FLAG...]
one() {
  local client=$1 op=$2
  shift 2
  case $client in
    java) JAVA_CLASSES=$classes "$hbase" java basalt.bench.ClientCpu "$op" "$rows" 1000 "$threads" 10 "$time" 2>/dev/null ;;
    *) go_client -client "$client" -op "$op" -threads "$threads" "$@" ;;
  esac
}

# medians FILE: of the lines with one client and operation, the one in the middle by its CPU.
medians() {
  awk '{ print $1 "|" $2 }' "$1" | awk '!seen[$0]++' | while IFS='|' read -r client op; do
    awk -v c="$client" -v o="$op" '$1 == c && $2 == o { print $(NF - 1) "\t" $0 }' "$1" | sort -n | cut -f 2- | sed -n "$(((rounds + 1) / 2))p"
  done
}

for system in "${systems[@]}"; do
  start "$system"
  go_client -op load
  for op in get put scan; do
    for _ in $(seq "$rounds"); do
      for client in "${clients[@]}"; do one "$client" "$op"; done
    done >"$basalt_home/$op.out"
    echo "== $system, $op"
    medians "$basalt_home/$op.out"
  done
  for wait in 0s "$delay"; do
    for _ in $(seq "$rounds"); do
      for mode in sync prefetch prefetch-count; do
        go_client -op scan -threads 1 -caching 100 -delay "$wait" -mode "$mode" | sed "s/scan $mode/scan-$mode/"
      done
    done >"$basalt_home/modes.out"
    echo "== $system, one scan at a time, 100 rows a fetch, $wait more of network each way"
    medians "$basalt_home/modes.out"
  done
  stop "$system"
done
