// Package lock is the one lock table of an engine that runs in one process:
// transactions' locks (shared or exclusive, waiting in line, with deadlock
// detection), range locks, and latches, the short exclusive locks of single
// operations. All three know each other: a latch waits for a transaction's
// lock and the reverse.
//
// Names are byte strings. The table identifies a name by its 64-bit hash, under
// a seed chosen at start: two names with the same hash would share a lock,
// which is safe and, at 2^-64 a pair, not seen. The bytes are kept besides, for
// range locks.
//
// Read Table first, then Latch and Txn. What always holds:
//
//   - Requests for a name are granted in order of arrival; shared ones next to
//     each other are granted together; a holder that wants more (shared to
//     exclusive) goes first.
//   - A latch takes its names in the order of their hashes, so latches alone
//     never deadlock. Where a transaction is part of a cycle, a transaction is
//     the victim, never a latch.
//   - Lock order inside: rangeTable.mu, then shards by index.
package lock
