// Package kv is the one store contract of Basalt: an ordered map of byte
// strings with snapshots, atomic batches, merge operands, transactions and one
// lock table. Both doors are built on it and nothing above it knows which
// engine serves it.
//
// It holds no engine. Engines are siblings: memkv (the obvious model, for
// tests), pebblekv (embedded, the default), later tikvkv. Every engine passes
// the suite in kvtest.
//
// Read first: Engine, Batch, Txn.
//
// What always holds:
//   - order is byte order;
//   - a Batch is applied whole or not at all, and is visible to every read that
//     starts after Apply returned;
//   - a Merger is pure: it sees operands only, never a clock, a schema or the
//     catalog, so an engine may fold when and as often as it likes;
//   - after any failed Lock a transaction can only be rolled back.
package kv
