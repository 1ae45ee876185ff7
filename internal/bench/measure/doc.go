// Package measure counts and times the operations of a benchmark.
//
// A Set has the operations of one phase by name, each with its histogram of
// latencies: service (sent to done) and, of an open loop, response (due to done).
// Each worker records into a Recorder of its own, whose samples go to the Set in
// batches, so that a thousand workers neither share a lock nor have a histogram
// each. Interval reads what came since the last one.
//
// What always holds: failures are never among the successes or their latencies,
// percentiles come from merged histograms and never from other percentiles, and
// averages are exact sums, not read from buckets.
package measure
