#!/usr/bin/env bash
# Basalt and a real HBase 2.6.1 under the same load: server CPU for each operation, throughput, peak memory.
#
#   compare.sh            runs all and prints Markdown tables; what was measured stays in $OUT
#   compare.sh table      prints the tables of an $OUT of before
#
# Settings, all in the environment:
#   OUT        folder for what was measured (default a new one in /tmp)
#   SYSTEMS    hbase basalt-os basalt-disk      in this order, one at a time; basalt-os is Basalt with --sync=os, which
#              is what HBase does on a local disk, basalt-disk with its default
#   PARTS      pe ycsb lean isolation
#   ROUNDS     3      rounds that count, after one that does not
#   ROWS       25000  rows of each of PerformanceEvaluation's 4 clients, values of 1,000 bytes
#   RECORDS    100000 records of YCSB, 10 fields of 100 bytes, 16 threads; and rows of the lean client
#   SECONDS_LEAN  5   time of each of the lean client's runs
#   BASALT     a binary to use instead of building one
#
# Server CPU is user and system time of the whole process. Of writes it includes a flush of the table and what the
# server does afterwards until it is quiet. Throughput is operations by wall time, start of the client included.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac
out=${OUT:-$(mktemp -d -t basalt-compare.XXXXXX)}
mkdir -p "$out"
read -ra systems <<<"${SYSTEMS:-hbase basalt-os basalt-disk}"
read -ra parts <<<"${PARTS:-pe ycsb lean isolation}"
rounds=${ROUNDS:-3} rows=${ROWS:-25000} records=${RECORDS:-100000} lean_seconds=${SECONDS_LEAN:-5}
hbase=$here/../peers/hbase/hbase.sh ycsb=$here/../peers/ycsb/ycsb.sh

if [ "${1:-}" = table ]; then exec "$here/table.sh" "$out"; fi

. "$here/../basalt.sh"
basalt_build
(cd "$basalt_repository" && go build -o "$basalt_home/lean" ./test/bench/lean && go build -o "$basalt_home/isolation" ./test/bench/isolation)
classes=$basalt_home/classes
mkdir "$classes"
javac -nowarn -proc:none -Xlint:none -d "$classes" -cp "$("$hbase" classpath server)" "$here"/java/basalt/bench/*.java

# start SYSTEM: sets pid, server (of the regions) and TARGET.
start() {
  basalt_ports
  case $1 in
    hbase)
      export HBASE_ZK_PORT=$zk_port HBASE_MASTER_PORT=$master_port HBASE_RS_PORT=$hbase_port HBASE_DATA=$basalt_home/hbase
      "$hbase" start >&2
      trap '"$hbase" stop; basalt_end' EXIT
      pid=$(cat "$HBASE_DATA/pid") ;;
    basalt-*)
      rm -rf "$basalt_data"
      basalt_start --sync="${1#basalt-}" --cache-size=256MiB
      pid=$basalt_pid ;;
    *) echo "no system $1" >&2; return 2 ;;
  esac
  server=127.0.0.1:$hbase_port
  export TARGET=zk://127.0.0.1:$zk_port
}

stop() {
  case $1 in hbase) "$hbase" stop; rm -rf "$HBASE_DATA" ;; *) basalt_kill TERM ;; esac
}

cpu() { awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) / hz }' "/proc/$pid/stat"; }

# settle: waits until the server does nothing any more.
settle() {
  local before now
  before=$(cpu)
  for _ in $(seq 90); do
    sleep 1
    now=$(cpu)
    if awk "BEGIN { exit !($now - $before < 0.08) }"; then return; fi
    before=$now
  done
}

create() { TABLE=$1 FAMILY=$2 REGIONS=$3 HBASE_CLIENT=2.6.1 "$ycsb" create hbase2 >&2; } # create TABLE FAMILY REGIONS

run_pe() {
  local pe="--nomapred --rows=$rows" part="--nomapred --rows=$((rows / 5))" few="--nomapred --rows=$((rows / 25))"
  local all=$((4 * rows)) most=$((4 * (rows / 5))) some=$((4 * (rows / 25)))
  {
    echo "sequentialWrite $all write $pe --presplit=8 sequentialWrite 4"
    if [ "$1" != basalt-disk ]; then # which differs in writes only
      echo "randomRead $all read $pe randomRead 4"
      echo "scan $all read $pe scan 4"
      echo "scan,asyncPrefetch $all read $pe --asyncPrefetch scan 4"
      echo "scanRange10 $most read $part scanRange10 4"
      echo "scanRange100 $some read $few scanRange100 4"
    fi
    echo "randomWrite $all write $pe randomWrite 4"
    echo "randomWrite,autoFlush $most write $part --autoFlush=true randomWrite 4"
    echo "increment $most write $part increment 4"
    echo "checkAndPut $most write $part checkAndPut 4"
  } | JAVA_CLASSES=$classes "$hbase" tool basalt.bench.Rounds "$pid" "$rounds" 2>"$out/$1.pe.log" | sed 's/^/pe /' >>"$out/$1.tsv"
}

# timed NAME ROUND OPS COMMAND...: its server CPU and throughput to the file; the command prints the throughput.
timed() {
  local name=$1 round=$2 ops=$3 before rate
  shift 3
  settle
  before=$(cpu)
  rate=$("$@") || { echo "$name failed" >&2; return 1; }
  settle
  awk -v OFS='\t' -v n="$name" -v r="$round" -v b="$before" -v a="$(cpu)" -v o="$ops" -v t="$rate" \
    'BEGIN { printf "%s\t%d\t%.2f\t%.0f\n", n, r, (a - b) * 1e6 / o, t }' >>"$out/$system.tsv"
}

ycsb_rate() { # ycsb_rate ARGS...
  HBASE_CLIENT=2.6.1 "$ycsb" "$@" -p recordcount="$records" -threads 16 2>>"$out/$system.ycsb.log" |
    sed -nE 's/^\[OVERALL\], Throughput\(ops\/sec\), ([0-9.]+)/\1/p'
}

run_ycsb() {
  local round
  for round in $(seq 0 "$rounds"); do
    create usertable family 8
    timed "YCSB load" "$round" "$records" ycsb_rate load hbase2 a
    if [ "$1" != basalt-disk ]; then
      timed "YCSB C" "$round" "$records" ycsb_rate run hbase2 c -p operationcount="$records"
    fi
    timed "YCSB A" "$round" "$records" ycsb_rate run hbase2 a -p operationcount="$records"
    if [ "$1" != basalt-disk ]; then
      timed "YCSB E" "$round" $((records / 5)) ycsb_rate run hbase2 e -p operationcount=$((records / 5))
    fi
  done
}

run_lean() {
  local round op ops
  create lean f 1
  "$basalt_home/lean" -server "$server" -op load -rows "$records" >&2
  case $1 in basalt-disk) ops='put increment' ;; *) ops='get scan put increment' ;; esac
  for round in $(seq 0 "$rounds"); do
    for op in $ops; do
      settle
      "$basalt_home/lean" -server "$server" -op "$op" -rows "$records" -time "${lean_seconds}s" -pid "$pid" |
        sed -nE "s/^([a-z]+): ([0-9]+) ops.*CPU ([0-9.]+) us.*/lean \1\t$round\t\3\t\2/p" >>"$out/$1.tsv"
    done
  done
}

run_isolation() {
  local kind
  case $1 in basalt-disk) return ;; esac
  create isolation f 1
  for kind in shared hot idle; do
    "$basalt_home/isolation" -server "$server" -pid "$pid" -case "$kind" -rounds "$rounds" >"$out/$1.isolation.$kind"
  done
}

uptime >"$out/uptime"
for system in "${systems[@]}"; do
  rm -f "$out/$system.tsv"
  echo "$(date +%T) $system" >&2
  start "$system"
  for part in "${parts[@]}"; do
    echo "$(date +%T)   $part" >&2
    "run_$part" "$system"
    case $part in isolation) ;; *) awk '/VmHWM/ { print $2 / 1024 }' "/proc/$pid/status" >"$out/$system.memory" ;; esac
  done
  stop "$system"
done
uptime >>"$out/uptime"
echo "measured: $out" >&2
"$here/table.sh" "$out"
