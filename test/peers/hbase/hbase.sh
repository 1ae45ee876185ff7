#!/usr/bin/env bash
# A stock Apache HBase and its stock tools, from Maven: a real peer on this machine.
#
#   hbase.sh start                  real HBase in one JVM: ZooKeeper, master, region server
#   hbase.sh stop
#   hbase.sh wipe                   removes its data (stopped only)
#   hbase.sh cpu                    CPU seconds that the server has used so far
#   hbase.sh pe ARGS...             PerformanceEvaluation, e.g. pe --nomapred --rows=100000 randomRead 4
#   hbase.sh load ARGS...           LoadTestTool
#   hbase.sh java CLASS ARGS...     any class on the client's class path (plus JAVA_CLASSES)
#   hbase.sh tool CLASS ARGS...     any class on the class path of pe and load (plus JAVA_CLASSES)
#   hbase.sh classpath [server]     the client's class path, or that of pe and load
#
# Settings, all in the environment:
#   HBASE_VERSION   server and PE: 2.6.1 (default), 2.4.18
#                   java, classpath: also 2.2.3, 2.5.10, 3.0.0-beta-1 (client jars only)
#   TARGET          what the tools talk to: zk://HOST:PORT (default the server that `start` runs)
#                   or rpc://HOST:PORT, the registry without ZooKeeper (2.4 and later; with the
#                   server that `start` runs: rpc://127.0.0.1:22000)
#   HBASE_HEAP      heap of the server (default 4g); CLIENT_HEAP of the tools (2g)
#   HBASE_OPTS      more -D options for the tools' JVM
#   HBASE_ZK_PORT, HBASE_MASTER_PORT, HBASE_RS_PORT   22181, 22000, 22020; a second instance needs its own HBASE_DATA too
#   PEERS_HOME      where jars and data are kept (default ~/.cache/basalt-peers); HBASE_DATA: the server's data elsewhere
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
version=${HBASE_VERSION:-2.6.1}
home=${PEERS_HOME:-$HOME/.cache/basalt-peers}
zk_port=${HBASE_ZK_PORT:-22181} master_port=${HBASE_MASTER_PORT:-22000} rs_port=${HBASE_RS_PORT:-22020}
data=${HBASE_DATA:-$home/hbase-data}
pidfile=$data/pid
target=${TARGET:-zk://127.0.0.1:$zk_port}

java_options=(
  --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.lang=ALL-UNNAMED
  --add-opens=java.base/sun.nio.ch=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED
  --add-exports=java.base/jdk.internal.misc=ALL-UNNAMED --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED
  -Dorg.apache.hbase.thirdparty.io.netty.tryReflectionSetAccessible=true
)

# jars server|client: fetches once for each state of the list, prints the folder.
jars() {
  local dir=$home/hbase-$1-$version mark
  mark=$dir/.complete-$(sha256sum <"$here/$1-pom.xml" | cut -c1-12)
  if [ ! -e "$mark" ]; then
    mkdir -p "$dir"
    mvn -B -q -Dstyle.color=never -f "$here/$1-pom.xml" -Dhbase.version="$version" \
      dependency:copy-dependencies -DoutputDirectory="$dir" >&2
    touch "$mark"
  fi
  echo "$dir"
}

property() { printf '  <property><name>%s</name><value>%s</value></property>\n' "$1" "$2"; }

logging() {
  cat >"$1/log4j2.properties" <<'EOF'
status = error
appender.c.type = Console
appender.c.name = c
appender.c.target = SYSTEM_ERR
appender.c.layout.type = PatternLayout
appender.c.layout.pattern = %d{ISO8601} %-5p %c{2}: %m%n
rootLogger.level = WARN
rootLogger.appenderRef.c.ref = c
logger.pe.name = org.apache.hadoop.hbase.PerformanceEvaluation
logger.pe.level = INFO
logger.master.name = org.apache.hadoop.hbase.master.HMaster
logger.master.level = INFO
logger.native.name = org.apache.hadoop.util.NativeCodeLoader
logger.native.level = ERROR
EOF
  cat >"$1/log4j.properties" <<'EOF'
log4j.rootLogger=WARN,c
log4j.appender.c=org.apache.log4j.ConsoleAppender
log4j.appender.c.target=System.err
log4j.appender.c.layout=org.apache.log4j.PatternLayout
log4j.appender.c.layout.ConversionPattern=%d{ISO8601} %-5p %c{2}: %m%n
EOF
}

server_conf() {
  mkdir -p "$data/conf"
  logging "$data/conf"
  {
    echo '<?xml version="1.0"?><configuration>'
    property hbase.rootdir "file://$data/root"
    property hbase.tmp.dir "$data/tmp"
    property hbase.zookeeper.property.dataDir "$data/zookeeper"
    property hbase.zookeeper.property.clientPort "$zk_port"
    property hbase.zookeeper.quorum 127.0.0.1
    # A busy machine may stand still for seconds: no session may expire of it.
    property hbase.zookeeper.property.tickTime 30000
    property zookeeper.session.timeout 300000
    property hbase.cluster.distributed false
    property hbase.localcluster.assign.random.ports false
    property hbase.unsafe.stream.capability.enforce false
    property hbase.wal.provider filesystem
    for role in master regionserver; do
      property hbase.$role.hostname localhost
      property hbase.$role.ipc.address 127.0.0.1
      property hbase.$role.info.port -1
    done
    property hbase.master.port "$master_port"
    property hbase.regionserver.port "$rs_port"
    echo '</configuration>'
  } >"$data/conf/hbase-site.xml"
}

# client_conf: a folder with an hbase-site.xml aimed at $target.
client_conf() {
  local dir=$home/conf-$(echo "$version-$target" | tr -c 'a-zA-Z0-9\n' _) address=${target#*://}
  mkdir -p "$dir"
  logging "$dir"
  {
    echo '<?xml version="1.0"?><configuration>'
    case $target in
      zk://*)
        case $version in # 2.2 knows no such class and always asks ZooKeeper
          2.[0-2].*) ;;
          *) property hbase.client.registry.impl org.apache.hadoop.hbase.client.ZKConnectionRegistry ;;
        esac
        property hbase.zookeeper.quorum "${address%:*}"
        property hbase.zookeeper.property.clientPort "${address##*:}" ;;
      rpc://*)
        case $version in # before 2.5 it was the masters that one asked
          2.[0-4].*) property hbase.client.registry.impl org.apache.hadoop.hbase.client.MasterRegistry ;;
          *) property hbase.client.registry.impl org.apache.hadoop.hbase.client.RpcConnectionRegistry ;;
        esac
        property hbase.client.bootstrap.servers "$address"
        property hbase.masters "$address" ;;
      *) echo "TARGET must be zk://HOST:PORT or rpc://HOST:PORT, not $target" >&2; return 1 ;;
    esac
    echo '</configuration>'
  } >"$dir/hbase-site.xml"
  echo "$dir"
}

# classpath server|client
classpath() { echo "$(jars "$1")/*"; }

run() { # run server|client CLASS ARGS...
  local jars conf; jars=$(classpath "$1") conf=$(client_conf); shift
  # shellcheck disable=SC2086
  exec java -Xmx"${CLIENT_HEAP:-2g}" "${java_options[@]}" ${HBASE_OPTS:-} \
    -cp "$conf${JAVA_CLASSES:+:$JAVA_CLASSES}:$jars" "$@"
}

case ${1:-} in
  start)
    jars=$(classpath server)
    if [ -e "$pidfile" ] && kill -0 "$(cat "$pidfile")" 2>/dev/null; then echo "already running: $(cat "$pidfile")"; exit 0; fi
    for port in "$zk_port" "$master_port" "$rs_port"; do
      if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then echo "port $port is taken" >&2; exit 1; fi
    done
    server_conf
    setsid java -Xmx"${HBASE_HEAP:-4g}" "${java_options[@]}" -cp "$data/conf:$jars" \
      org.apache.hadoop.hbase.master.HMaster start >"$data/server.log" 2>&1 </dev/null &
    echo $! >"$pidfile"
    for _ in $(seq 240); do
      if grep -q 'Master has completed initialization' "$data/server.log"; then
        echo "HBase $version at zk://127.0.0.1:$zk_port, process $(cat "$pidfile")"; exit 0
      fi
      kill -0 "$(cat "$pidfile")" 2>/dev/null || break
      sleep 0.5
    done
    tail -20 "$data/server.log" >&2; exit 1 ;;
  stop)
    [ -e "$pidfile" ] || exit 0
    pid=$(cat "$pidfile")
    kill "$pid" 2>/dev/null || true
    for _ in $(seq 60); do kill -0 "$pid" 2>/dev/null || break; sleep 0.5; done
    kill -9 "$pid" 2>/dev/null || true
    rm -f "$pidfile" ;;
  wipe) [ ! -e "$pidfile" ] && rm -rf "$data" || { echo "stop it first" >&2; exit 1; } ;;
  cpu) awk -v hz="$(getconf CLK_TCK)" '{ sub(/.*\) /, ""); print ($12 + $13) / hz }' "/proc/$(cat "$pidfile")/stat" ;;
  pe) shift; run server org.apache.hadoop.hbase.PerformanceEvaluation "$@" ;;
  load) shift; run server org.apache.hadoop.hbase.util.LoadTestTool "$@" ;;
  java) shift; run client "$@" ;;
  tool) shift; run server "$@" ;;
  classpath) echo "$(client_conf):$(classpath "${2:-client}")" ;;
  *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; [ -z "${1:-}" ] ;;
esac
