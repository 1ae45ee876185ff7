// Package wide is what an HBase operation means: get, scan, put, the four
// deletes, append, increment, conditions, batches; versions, time ranges, TTL,
// delete markers, KEEP_DELETED_CELLS, new version behaviour. It reads and
// writes rows of a catalog.Table through a kv.Engine and knows nothing of the
// wire.
//
// Rows are kept packed, one value per (row, family), with puts and deletes as
// merge operands (package cell); wide families spill to one key per cell. All
// pruning of what a reader cannot see is done here, in row rewrites under the
// row's lock, never by the engine.
//
// Read first: Store, Scanner, Mutation.
package wide
