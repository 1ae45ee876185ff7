// Package gen makes what a benchmark sends: record keys, values, and the random
// numbers that choose among them. Keys, value formulas and distributions are
// YCSB's and sysbench's, to the bit where those are defined to the bit, so that
// tables filled by either tool can be read by this one.
//
// It is pure: no clock, no I/O, no shared state but Acks. Read KeySpace, Chooser
// and Values first. A generator belongs to one worker and is made from Rand(seed,
// worker), so that one seed gives one sequence for each worker.
package gen
