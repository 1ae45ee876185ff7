// Package txn is the transaction layer of the engines that run in one process:
// a snapshot, a sorted buffer of own writes over it with savepoints, the locks
// of package lock, and one plain batch at commit.
//
// Writes are never lost to each other: a write first takes the exclusive lock
// of its row (the name keys.Split gives), waiting as long as the context of
// Begin lasts, unless the transaction holds it already. A transaction that
// writes what it computed from a value must have locked that row before, and
// must have computed from what Lock returned: a plain read sees the snapshot,
// which may be older.
package txn
