// Package memkv is the model engine: a sorted map in memory under one mutex,
// for tests of everything above kv and as what other engines are compared to.
// It has no log: a commit is synced once it is applied. Merges are folded when
// they are applied. Locks and transactions are those of every local engine.
package memkv
