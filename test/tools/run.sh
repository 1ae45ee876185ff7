#!/usr/bin/env bash
# Stock tools against Basalt or any HBase: PerformanceEvaluation, LoadTestTool, YCSB.
#
#   run.sh                    builds and starts a Basalt, runs them all, stops it
#   TARGET=zk://HOST:PORT run.sh     the same against a server that runs
#   run.sh pe|load|ycsb...    only these
#
# Settings, all in the environment:
#   LONG=1         the sizes of a real run (half an hour) instead of some thousand rows
#   PE_VERSIONS    2.6.1 2.4.18
#   YCSB_CLIENTS   2.2.3 2.6.1
#   BASALT         a binary to use instead of building one
#   PEERS_HOME     where jars and classes are kept (default ~/.cache/basalt-peers)
#
# A tool passes when it says itself that nothing failed, and when what it left in its table is what it must leave.
# Prints 'ok NAME' or 'FAIL NAME' for each and ends with 'N passed, N failed'.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac
home=${PEERS_HOME:-$HOME/.cache/basalt-peers}
hbase=$here/../peers/hbase/hbase.sh ycsb=$here/../peers/ycsb/ycsb.sh
read -ra pe_versions <<<"${PE_VERSIONS:-2.6.1 2.4.18}"
read -ra ycsb_clients <<<"${YCSB_CLIENTS:-2.2.3 2.6.1}"
wanted=" ${*:-pe load ycsb} "
. "$here/../basalt.sh"
if [ -n "${LONG:-}" ]; then
  rows=50000 few=5000 keys=100000 records=100000 operations=100000 step_seconds=1800
else
  rows=1500 few=150 keys=4000 records=1500 operations=1500 step_seconds=120
  # Short lives: compiling less is faster.
  HBASE_OPTS="${HBASE_OPTS:-} -XX:+UseSerialGC -XX:TieredStopAtLevel=1"
fi
export HBASE_OPTS="${HBASE_OPTS:-} -Dstep.seconds=$step_seconds"

# compile VERSION: the program that runs the tools, compiled once for each state of the source. Prints the folder.
compile() {
  local files classes
  mapfile -t files < <(find "$here/java" -name '*.java' | sort)
  classes=$home/tools-$1-$(cat "${files[@]}" | sha256sum | cut -c1-12)
  if [ ! -e "$classes/.complete" ]; then
    rm -rf "$home/tools-$1-"*
    mkdir -p "$classes"
    javac -nowarn -proc:none -Xlint:none -d "$classes" \
      -cp "$(HBASE_VERSION=$1 "$hbase" classpath server)" "${files[@]}" 2>"$classes/javac.log" ||
      { cat "$classes/javac.log" >&2; return 1; }
    touch "$classes/.complete"
  fi
  echo "$classes"
}

# steps VERSION NAME: runs the steps of the standard input in one JVM. What they came to goes to $results/NAME.
steps() {
  local classes
  classes=$(compile "$1")
  HBASE_VERSION=$1 JAVA_CLASSES=$classes CLIENT_HEAP=1g "$hbase" tool basalt.tools.Main \
    >"$results/$2.out" 2>"$results/$2.err" || true
  grep -E '^(ok|FAIL) ' "$results/$2.out" >"$results/$2" || true
  grep -qE '^[0-9]+ passed, [0-9]+ failed$' "$results/$2.out" || {
    echo "FAIL $2: the tools did not come to their end"
    tail -5 "$results/$2.err"
  } >>"$results/$2"
}

# Four clients, each with rows of its own, but that the counters and conditions of all hit the same rows.
pe_steps() {
  local v=$1 t=pe_${1//./_} all=$((4 * rows))
  local pe="pe --nomapred --table=$t --rows=$rows" pe_few="pe --nomapred --table=$t --rows=$few"
  cat <<END
pe $v sequentialWrite: $pe sequentialWrite 4
pe $v sequentialWrite, rows: rows $t $all $all 1
pe $v randomWrite: $pe randomWrite 4
pe $v randomWrite, rows: rows $t $all $all 1
pe $v randomRead: $pe randomRead 4
pe $v randomRead multiGet: $pe --multiGet=50 randomRead 4
pe $v sequentialRead: $pe sequentialRead 4
pe $v scan: $pe scan 4
pe $v scan asyncPrefetch: $pe --asyncPrefetch scan 4
pe $v randomSeekScan: $pe_few randomSeekScan 4
pe $v scanRange10: $pe_few scanRange10 4
pe $v scanRange100: $pe_few scanRange100 4
pe $v filterScan: pe --nomapred --table=$t --rows=20 filterScan 4
pe $v increment: $pe_few increment 4
pe $v increment, sum: sum $t info0:IncrementTest $((4 * few))
pe $v append: $pe_few append 4
pe $v append, bytes: bytes $t info0:AppendTest $((4 * 26 * few))
pe $v checkAndPut: $pe_few checkAndPut 4
pe $v checkAndPut, bytes: bytes $t info0:CheckAndPutTest $((26 * few))
pe $v checkAndMutate: $pe_few checkAndMutate 4
pe $v checkAndMutate, bytes: bytes $t info0:CheckAndMutateTest $((26 * few))
pe $v checkAndDelete: $pe_few checkAndDelete 4
pe $v sequentialWrite presplit multiPut: $pe --presplit=8 --autoFlush=true --multiPut=50 sequentialWrite 4
pe $v sequentialWrite presplit multiPut, rows: rows $t $all $all 1
pe $v randomWrite autoFlush: $pe --autoFlush=true randomWrite 4
pe $v randomWrite autoFlush, rows: rows $t $all $all 1
pe $v randomWrite presplit: $pe --presplit=4 randomWrite 4
pe $v randomWrite presplit, rows: rows $t $((all * 60 / 100)) $((all * 66 / 100)) 1
pe $v columns, families: $pe --presplit=4 --columns=5 --families=3 sequentialWrite 4
pe $v columns, families, rows: rows $t $all $all 15
pe $v columns, families, randomRead: $pe --columns=5 --families=3 randomRead 4
pe $v columns, families, scan: $pe --columns=5 --families=3 scan 4
pe $v columns, families, increment: $pe_few --columns=5 --families=3 increment 4
END
}

# The tool reads back and verifies every value that it wrote. It knows of one update of a key, so each kind gets keys of
# its own; and after updates in batches it finds faults on a real HBase too, so nothing is read back after these.
load_steps() {
  local load="load -tn load_tool -num_keys $keys"
  cat <<END
load write: $load -write 3:256:10
load write, rows: rows load_tool $keys $keys any
load read: $load -read 100:10 -skip_init
load update: $load -update 20:10 -skip_init
load read after update: $load -read 100:10 -skip_init
load write, multi put: $load -start_key $keys -write 3:256:10 -multiput -skip_init
load read after multi put: $load -start_key $keys -read 100:10 -multiget_batchsize 20 -skip_init
load update, batches: $load -start_key $keys -update 20:10 -batchupdate -skip_init
load rows: rows load_tool $((2 * keys)) $((2 * keys)) any
END
}

# ycsb_client VERSION: load and all workloads, with verified reads. Leaves the number of rows that must be in the table.
ycsb_client() {
  local v=$1 out=$results/ycsb-$1 inserted=0 n workload
  export HBASE_CLIENT=$v TABLE=ycsb_${v//./_}
  "$ycsb" create hbase2 >"$out.create" 2>&1 || { echo "FAIL ycsb $v create: $(tail -3 "$out.create")" >"$out"; return; }
  for workload in load a b c f d e; do
    if "$ycsb" "$([ $workload = load ] && echo load || echo run)" hbase2 "${workload/load/a}" -threads 16 \
      -p recordcount="$records" -p operationcount="$operations" -p dataintegrity=true -p fieldlengthdistribution=constant \
      >"$out.$workload" 2>"$out.$workload.err"; then
      echo "ok   ycsb $v $workload"
    else
      echo "FAIL ycsb $v $workload:"
      grep '^|' "$out.$workload" || tail -5 "$out.$workload.err"
    fi
    # d and e insert the same keys, from the first after those of the load on.
    n=$(sed -nE 's/^\[INSERT\], Return=OK, ([0-9]+).*/\1/p' "$out.$workload")
    if [ $workload != load ] && [ "${n:-0}" -gt "$inserted" ]; then inserted=$n; fi
  done >"$out"
  echo "ycsb $v rows: rows $TABLE $((records + inserted)) $((records + inserted)) 10" >"$out.steps"
}

results=$basalt_home/results
mkdir "$results"
if [ -z "${TARGET:-}" ]; then
  basalt_build
  basalt_ports
  basalt_start
  TARGET=zk://127.0.0.1:$zk_port
fi
export TARGET

# Two tools at a time, so that a wait of one is not a wait of all.
jobs=()
finish() {
  local job
  for job in ${jobs[@]+"${jobs[@]}"}; do wait "$job" || true; done
  jobs=()
}
if [[ $wanted = *' pe '* ]]; then
  for v in "${pe_versions[@]}"; do pe_steps "$v" | steps "$v" "pe-$v" & jobs+=($!); done
  finish
fi
if [[ $wanted = *' ycsb '* ]]; then
  for v in "${ycsb_clients[@]}"; do ycsb_client "$v" & jobs+=($!); done
  finish
  cat "$results"/ycsb-*.steps | steps 2.6.1 ycsb-rows
fi
if [[ $wanted = *' load '* ]]; then load_steps | steps 2.6.1 load; fi

cd "$results"
for name in pe-* ycsb-* load; do
  case $name in *.out | *.err | *.steps | *.create | *.[a-f] | *.load | *\*) continue ;; esac
  [ ! -e "$name" ] || cat "$name"
done | tee "$basalt_home/lines"
passed=$(grep -c '^ok ' "$basalt_home/lines" || true) failed=$(grep -c '^FAIL ' "$basalt_home/lines" || true)
if [ "$failed" -gt 0 ]; then
  cp -r "$results" "${TMPDIR:-/tmp}/basalt-tools-$$"
  echo "what the tools said: ${TMPDIR:-/tmp}/basalt-tools-$$"
fi
echo "$passed passed, $failed failed"
[ "$passed" -gt 0 ] && [ "$failed" = 0 ]
