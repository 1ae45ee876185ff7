// Package ordered is a sorted map from byte strings that is cheap to freeze:
// Clone costs nothing, and what is changed afterwards is copied piece by piece.
// It is the store of the memkv engine (a snapshot is a clone) and the write
// buffer of transactions (a savepoint is a clone, and so is what an iterator
// looks at).
package ordered
