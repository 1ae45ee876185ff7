# Sourced by the test scripts: builds Basalt and runs it on loopback with a data directory of its own.
#
#   basalt_build               builds the binary once for this script, unless BASALT names one
#   basalt_ports               picks free ports into zk_port, master_port, hbase_port, mysql_port, http_port
#   basalt_start [FLAG...]     starts it on these ports over $basalt_data, waits until it is ready; sets basalt_pid
#   basalt_kill SIGNAL         ends it with this signal and waits for it
#
# What it says goes to $basalt_log. Everything of it is gone when the script ends, but for the log of a failure.

basalt_repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
basalt_home=$(mktemp -d)
basalt_data=$basalt_home/data
basalt_log=$basalt_home/basalt.log
basalt_pid=

basalt_build() {
  if [ -z "${BASALT:-}" ]; then
    (cd "$basalt_repository" && go build -o "$basalt_home/basalt" ./cmd/basalt)
    BASALT=$basalt_home/basalt
  fi
}

basalt_port_is_free() { ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

basalt_ports() {
  local name port
  for name in zk_port master_port hbase_port mysql_port http_port; do
    while port=$((20000 + RANDOM % 12000)); ! basalt_port_is_free "$port"; do :; done
    printf -v "$name" %s "$port"
  done
}

# basalt_is_ready: does /readyz answer 200?
basalt_is_ready() {
  local status
  {
    exec 3<>"/dev/tcp/127.0.0.1/$http_port" &&
      printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3 && read -r -t 5 status <&3 && exec 3<&-
  } 2>/dev/null || return 1
  [[ $status == *' 200 '* ]]
}

basalt_start() {
  "$BASALT" serve --data "$basalt_data" --zk-listen "127.0.0.1:$zk_port" --master-listen "127.0.0.1:$master_port" \
    --hbase-listen "127.0.0.1:$hbase_port" --mysql-listen "127.0.0.1:$mysql_port" --http-listen "127.0.0.1:$http_port" "$@" >>"$basalt_log" 2>&1 </dev/null &
  basalt_pid=$!
  for _ in $(seq 300); do
    if basalt_is_ready; then return 0; fi
    kill -0 "$basalt_pid" 2>/dev/null || break
    sleep 0.1
  done
  echo "Basalt does not get ready:" >&2
  tail -20 "$basalt_log" >&2
  return 1
}

basalt_kill() {
  [ -n "$basalt_pid" ] || return 0
  kill -"$1" "$basalt_pid" 2>/dev/null || true
  wait "$basalt_pid" 2>/dev/null || true
  basalt_pid=
}

basalt_end() {
  local status=$?
  basalt_kill TERM
  if [ "$status" -ne 0 ] && [ -s "$basalt_log" ]; then
    local kept=${TMPDIR:-/tmp}/basalt-test-$$.log
    cp "$basalt_log" "$kept"
    echo "Basalt's log: $kept" >&2
  fi
  rm -rf "$basalt_home"
}
trap basalt_end EXIT
