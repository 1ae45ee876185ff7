#!/usr/bin/env bash
# A choice of HBase's own client tests, a few minutes of them, over both registries. All of them, by hand:
# test/peers/hbase/suite/suite.sh.
#
#   run.sh                     builds and starts a Basalt, runs them, stops it
#
# Settings, all in the environment:
#   BASALT       a binary to use instead of building one
#   PEERS_HOME   where jars and classes are kept (default ~/.cache/basalt-peers)
#
# No test gets a second try. TestAsyncTableScan and its like are left out: they ask for trace spans that another thread is
# about to end. The last line is 'N passed, N failed'.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
case ${1:-} in -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; exit ;; esac
suite=$here/../../../peers/hbase/suite/suite.sh
. "$here/../../../basalt.sh"

over_zookeeper=(
  client.TestTimestampsFilter client.TestMultipleTimestamps client.TestFromClientSide5 client.TestCheckAndMutate
  client.TestAppendFromClientSide client.TestIncrementsFromClientSide client.TestMultiParallel
  client.TestMalformedCellFromClient client.TestSmallReversedScanner client.TestGetScanPartialResult
  client.TestGetScanColumnsWithNewVersionBehavior client.TestScanWithoutFetchingData TestMultiVersions
  regionserver.TestIsDeleteFailure
  client.TestAsyncTableScanMetrics client.TestRawAsyncTablePartialScan
  client.TestAsyncTableScanRenewLease client.TestAsyncBufferMutator
  filter.TestMultiRowRangeFilter filter.TestFuzzyRowFilterEndToEnd filter.TestFilterListOnMini
  filter.TestFiltersWithBinaryComponentComparator regionserver.TestSCVFWithMiniCluster regionserver.TestJoinedScanners
  client.TestAsyncTableLocatePrefetch client.TestAsyncSingleRequestRpcRetryingCaller
)
# TestFromClientSide5 above has each test over both; these have no registry of their own.
over_masters=(
  client.TestTimestampsFilter client.TestAppendFromClientSide client.TestCheckAndMutate client.TestAsyncTableScanMetrics
  client.TestAsyncTableLocatePrefetch
)

basalt_build
basalt_ports
basalt_start
passed=0 failed=0

# run TARGET CLASS...: adds up what the suite says.
run() {
  local sum log=$basalt_home/suite-${1%%:*} target=$1
  shift
  TARGET=$target RETRY=0 LOGS=$log "$suite" "$@" | tee "$basalt_home/out" || true
  sum=$(tail -n 1 "$basalt_home/out")
  if [[ $sum =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed && ${BASH_REMATCH[1]} -gt 0 ]]; then
    passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
  else
    echo "the suite did not come to its end"
    failed=$((failed + 1))
  fi
  grep -H ^FAIL "$log"/*.tsv || true
}

run "zk://127.0.0.1:$zk_port" "${over_zookeeper[@]}"
run "rpc://127.0.0.1:$master_port" "${over_masters[@]}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
