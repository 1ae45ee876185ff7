#!/usr/bin/env bash
# YCSB against an HBase or a Basalt: stock YCSB core, stock HBase client.
#
#   ycsb.sh create hbase2                       makes the table anew
#   ycsb.sh load   hbase2 WORKLOAD ARGS...      WORKLOAD is a..f or a file;
#   ycsb.sh run    hbase2 WORKLOAD ARGS...      ARGS are YCSB's own: -p NAME=VALUE, -threads N, -target N, -s
#
# e.g. ycsb.sh create hbase2; ycsb.sh load hbase2 a -p recordcount=100000 -threads 8
#      ycsb.sh run hbase2 a -p recordcount=100000 -p operationcount=200000 -threads 20
#
# Workloads d and e insert from recordcount on: load again before the next one, or give it a higher insertstart.
# Prints YCSB's report, then one Markdown row per kind of operation. Fails when an operation failed or none succeeded.
#
# Settings, all in the environment:
#   TARGET        zk://HOST:PORT or rpc://HOST:PORT (default the HBase of ../hbase/hbase.sh)
#   HBASE_CLIENT  version of the HBase client: 2.2.3 (default, what YCSB's binding pins), 2.6.1, ...
#   TABLE         usertable   its name
#   FAMILY        family   column family
#   REGIONS       8        regions that create cuts, even for YCSB's hashed keys
#   CLIENT_HEAP   1g       heap of the client
#   YCSB_DB       class of another binding, with its jars or folders in YCSB_BINDINGS, colon-separated
#   PEERS_HOME    where jars and classes are kept (default ~/.cache/basalt-peers)
#
# Maven serves YCSB's core but not its bindings: HBaseDoor beside this script stands in for the hbase2 one, with the
# same calls and properties.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
home=${PEERS_HOME:-$HOME/.cache/basalt-peers}
export HBASE_VERSION=${HBASE_CLIENT:-2.2.3}
table=${TABLE:-usertable} family=${FAMILY:-family}

usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit "$1"; }
[ $# != 0 ] || usage 0
action=$1 door=${2:-}
case $action:$door in create:hbase2) ;; load:hbase2 | run:hbase2) [ $# -ge 3 ] || usage 2 ;; *) usage 2 ;; esac

jars=$home/ycsb
if [ ! -e "$jars/.complete" ]; then
  mkdir -p "$jars"
  mvn -B -q -Dstyle.color=never -f "$here/pom.xml" dependency:copy-dependencies -DoutputDirectory="$jars" >&2
  touch "$jars/.complete"
fi

# compile SOURCE CLASSPATH: into the folder $classes, when the source is newer.
compile() {
  classes=$home/ycsb-classes-$door-$HBASE_VERSION
  if [ ! "$classes/$1.class" -nt "$here/$1.java" ]; then
    mkdir -p "$classes"
    javac -nowarn -d "$classes" -cp "$2" "$here/$1.java" >&2
  fi
}

path=$("$here/../hbase/hbase.sh" classpath)
compile HBaseDoor "$path:$jars/*"
compile HBaseTable "$path"
export JAVA_CLASSES="$classes${YCSB_BINDINGS:+:$YCSB_BINDINGS}:$jars/*" CLIENT_HEAP=${CLIENT_HEAP:-1g}
client() { "$here/../hbase/hbase.sh" java "$@"; } # client CLASS ARGS...

if [ "$action" = create ]; then
  client HBaseTable "$table" "$family" "${REGIONS:-8}"
  exit
fi

workload=$3; shift 3
[ -e "$workload" ] || workload=$here/workloads/workload${workload#workload}
[ -e "$workload" ] || { echo "no workload $workload" >&2; exit 2; }
report=$(mktemp)
trap 'rm -f "$report"' EXIT
client site.ycsb.Client "$([ "$action" = load ] && echo -load || echo -t)" -db "${YCSB_DB:-HBaseDoor}" -P "$workload" \
  -p measurementtype=hdrhistogram -p hdrhistogram.percentiles=50,95,99 -p "table=$table" -p "columnfamily=$family" "$@" | tee "$report"
awk -F ', *' '
  /^\[OVERALL\]/ && /Throughput/ { throughput = $3 }
  /^\[[A-Z-]+\]/ {
    name = substr($1, 2, length($1) - 2)
    if (name == "OVERALL" || name == "CLEANUP" || name ~ /^TOTAL/) next
    if (!(name in seen)) { seen[name] = 1; order[++n] = name }
    value[name, $2] = $3
    if ($2 ~ /^Return=/) {
      if ($2 ~ /=(OK|BATCHED_OK)$/) ok[name] += $3; else { bad[name] += $3; failed += $3 }
      if ($2 ~ /=(OK|BATCHED_OK)$/) done += $3
    }
  }
  END {
    printf "\n| operation | ops/s in all | ok | failed | p50 us | p95 us | p99 us |\n|---|---|---|---|---|---|---|\n"
    for (i = 1; i <= n; i++) {
      name = order[i]
      printf "| %s | %.0f | %d | %d | %s | %s | %s |\n", name, throughput, ok[name], bad[name],
        value[name, "50thPercentileLatency(us)"], value[name, "95thPercentileLatency(us)"], value[name, "99thPercentileLatency(us)"]
    }
    exit done == 0 || failed > 0
  }' "$report"
