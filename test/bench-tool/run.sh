#!/usr/bin/env bash
# `basalt bench` against a real MariaDB: the SQL half of what its Go tests show on
# Basalt. Statements of each event, data that verifies itself, what is refused.
#
# Needs MariaDB; on Debian as root it is installed.
set -uo pipefail
cd "$(dirname "$0")/../.."
export GOFLAGS="${GOFLAGS:-} -buildvcs=false"
work=$(mktemp -d -t basalt-bench.XXXXXX)
export MARIADB_PORT=${MARIADB_PORT:-23416} MARIADB_CACHE=128M PEERS_HOME=$work/peers RELAXED=1
trap 'test/peers/mysql/mariadb.sh stop; rm -rf "$work"' EXIT

passed=0 failed=0
# check WHAT COMMAND...: one check, which passes when the command does.
check() {
  local what=$1
  shift
  if "$@" >"$work/out" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $what"
    tail -n 15 "$work/out"
  fi
}
end() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
  exit
}

if ! command -v mariadbd >/dev/null; then
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "no mariadbd; it is only installed for you on Debian as root"
    exit 1
  fi
  { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends mariadb-server; } >"$work/install" 2>&1 ||
    { tail -n 20 "$work/install"; exit 1; }
fi
check "build" go build -o "$work/basalt" ./cmd/basalt
check "MariaDB starts" timeout 120 test/peers/mysql/mariadb.sh start innodb
[ "$failed" = 0 ] || end

bench() { timeout 60 "$work/basalt" bench "$@"; }
my=(--mysql-host=127.0.0.1 --mysql-port="$MARIADB_PORT" --tables=2 --table-size=5000 --auto_inc=off --quiet)

# ratio TEST N [FLAG...]: an event of TEST is exactly N statements when nothing fails.
ratio() {
  local name=$1 each=$2
  shift 2
  bench sysbench "$name" run "${my[@]}" --threads=1 --events=100 --time=0 "$@" >"$work/report" || return
  cat "$work/report"
  [ "$(awk '/^ +total: /{print $2}' "$work/report")" = $((100 * each)) ]
}
check "sysbench prepare" bench sysbench oltp_common prepare "${my[@]}" --threads=4
check "point_select: 1 statement" ratio oltp_point_select 1
check "read_only: 16 statements" ratio oltp_read_only 16
check "update_index: 1 statement" ratio oltp_update_index 1
check "update_non_index: 1 statement" ratio oltp_update_non_index 1
check "write_only: 6 statements" ratio oltp_write_only 6
check "read_write: 20 statements" ratio oltp_read_write 20
check "read_write without prepared statements" ratio oltp_read_write 20 --db-ps-mode=disable
check "read_write by 16 threads, deadlocks tried again" bench sysbench oltp_read_write run "${my[@]}" --threads=16 --time=2 --mysql-ignore-errors=all --max-error-rate=1
check "the tables are whole" bench sysbench oltp_read_write check "${my[@]}"
refused() { ! bench "$@" >"$work/refused" 2>&1 && cat "$work/refused" && grep -q "$word" "$work/refused"; }
word="run cleanup first" check "tables that exist are not filled again" refused sysbench oltp_common prepare "${my[@]}"
check "cleanup" bench sysbench oltp_common cleanup "${my[@]}"

url=mysql://sbtest@127.0.0.1:$MARIADB_PORT/sbtest
kv=(-p recordcount=2000 -p verify=strong -p fieldlength=100 -threads 4 --quiet --checkpoint "$work/load")
check "ycsb load in batches, every record read" bench ycsb load "$url?rewriteBatchedStatements=true" "${kv[@]}" -p db.batchsize=100 -p jdbc.batchupdateapi=true --check-load full
check "ycsb mix, verified" bench ycsb run "$url" "${kv[@]}" -p operationcount=3000 -p readproportion=1 -p updateproportion=1 -p scanproportion=0.3 -p maxscanlength=20 \
  -p readmodifywriteproportion=0.2 -p requestdistribution=zipfian
check "ycsb without prepared batches, go-ycsb's statements" bench ycsb run "$url" "${kv[@]}" -p operationcount=500 -p sqlstyle=goycsb
word="another schema" check "a table of another shape is refused" refused ycsb load "$url" -p recordcount=10 -p fieldcount=3 --checkpoint "$work/other" --quiet

# A load that is killed, and goes on: no gap, no duplicate.
killed() {
  local slow=(-p recordcount=40000 -p table=killed -p verify=strong -p fieldlength=100 -threads 4 --quiet --checkpoint "$work/killed")
  "$work/basalt" bench ycsb load "$url" "${slow[@]}" >/dev/null 2>&1 &
  local pid=$!
  for _ in $(seq 100); do [ -e "$work/killed" ] && break; sleep 0.1; done
  sleep 0.3
  kill -9 $pid 2>/dev/null
  wait $pid 2>/dev/null
  [ -e "$work/killed" ] || { echo "no checkpoint was left"; return 1; }
  bench ycsb load "$url" "${slow[@]}" --resume --check-load full || return
  [ "$(test/peers/mysql/mariadb.sh client sbtest -N -B -e 'SELECT COUNT(*) FROM killed')" = 40000 ]
}
check "kill -9 during a load, then --resume" killed

check "preset mytopling-jdbc" bench preset mytopling-jdbc --target "$url" --scale ci --out "$work/p4"
check "preset tdsql-sysbench" timeout 150 "$work/basalt" bench preset tdsql-sysbench --target "$url" --scale ci --out "$work/p1"
check "its report has all scenarios" grep -q "oltp_read_write oltp_read_write threads=16" "$work/p1/preset.html"
end
