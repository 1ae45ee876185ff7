// Package pebblekv is the embedded engine: kv over Pebble. No Pebble type
// leaves it but the file system that tests pass in.
//
// Pebble brings the log, the tree and snapshots. This package adds
//
//   - order and rows: a comparer whose prefix is keys' row, for bloom filters
//     and for leaving a row quickly, and an adapter of kv.Merger that folds
//     once per read;
//   - durability without waiting: Apply returns as soon as the writes are
//     visible, with a mark; WaitSynced tells when the log has it (syncer);
//   - what a reader must wait for before it may show a value (marks);
//   - locks, latches and transactions, shared with the other local engines;
//   - safety of the directory: one process, one format, a reserve of free
//     space, and the end of the process when the log cannot be written.
//
// Read first: DB, Options, syncer.
package pebblekv
