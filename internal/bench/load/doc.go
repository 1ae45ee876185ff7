// Package load drives the workers of a benchmark phase, and keeps the time.
//
// A Plan says what to run: in a closed loop each worker begins its next step when
// the last one returns; in an open loop steps are due at times of one schedule,
// which no slow answer delays. Run connects all workers, opens the window for all
// at once after the warm-up, closes it, waits for what is still in flight, and
// returns an Outcome with all that was measured and all that makes it doubtful.
package load
