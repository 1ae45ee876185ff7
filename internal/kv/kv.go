package kv

import (
	"context"
	"time"
)

// KeyRange is [Start, End). A nil End means no upper bound.
type KeyRange struct {
	Start, End []byte
}

// Durability says when Apply's commit counts as done.
type Durability uint8

const (
	// DurabilitySync: the commit is done when the log has it, as deep as the
	// engine was opened for (SyncMode). The caller waits with WaitSynced.
	DurabilitySync Durability = iota
	// DurabilityAsync: the commit is done when it is applied. The log has it
	// soon after.
	DurabilityAsync
)

// SyncMode says how deep the log of an embedded engine is written before a
// DurabilitySync commit counts as done.
type SyncMode uint8

const (
	// SyncDisk: the log is on disk: survives power loss.
	SyncDisk SyncMode = iota
	// SyncOS: the operating system has the log: survives the death of the
	// process (kill -9), not of the machine.
	SyncOS
)

// Mark is a position in the commit order. Mark 0 is synced from the start.
type Mark uint64

// Engine is one store.
//
// All methods are safe for concurrent use. Errors that a caller acts on are the
// sentinels of errors.go; everything else means that the engine is broken.
type Engine interface {
	// Reader reads the newest applied state; each call for itself.
	Reader

	// Snapshot pins the state of now. It must be closed. Old snapshots cost
	// space, not correctness.
	Snapshot() Snapshot

	// NewBatch returns an empty batch. It may be reused after Apply by Reset.
	NewBatch() Batch

	// Apply makes a batch visible, atomically. It does not wait for the log:
	// the returned mark is synced once Synced() >= mark. For DurabilityAsync
	// the mark is 0.
	//
	// latch, when not nil, is the latch the caller holds on the rows that the
	// batch changes: their ReadMark then covers this commit.
	Apply(b Batch, d Durability, latch Latch) (Mark, error)

	// Applied is the mark of the newest applied DurabilitySync commit.
	Applied() Mark
	// ReadMark is, for a lock name, at least the mark of the newest applied
	// DurabilitySync commit that was latched under that name. Taken after a
	// read of the row, it says how far the log must be synced before what was
	// read may be shown. It is 0 when all is synced already.
	ReadMark(name []byte) Mark
	// Synced is the mark up to which all commits are durable.
	Synced() Mark
	// WaitSynced returns once Synced() >= m, or with an error of the engine or
	// of ctx.
	WaitSynced(ctx context.Context, m Mark) error

	// Latch takes exclusive locks for one short operation that cannot deadlock:
	// the names are sorted and taken in order. It shares the lock table with
	// transactions and waits for them. Uncontended it costs next to nothing.
	// Duplicate names are allowed. A deadline of ctx gives ErrLockTimeout.
	Latch(ctx context.Context, names ...[]byte) (Latch, error)
	// TryLatch is Latch without waiting; ok is false if any name is held.
	TryLatch(names ...[]byte) (l Latch, ok bool)

	// Begin starts a transaction.
	Begin(ctx context.Context, o TxnOptions) (Txn, error)

	// DeleteRange drops all keys of a range at once. It is not ordered against
	// concurrent writes of the same range: only for data ids that nobody uses
	// any more. It is durable when it returns.
	DeleteRange(ctx context.Context, r KeyRange) error

	// Flush writes what is in memory to its resting place; Compact rewrites a
	// range. Neither changes any answer.
	Flush(ctx context.Context) error
	Compact(ctx context.Context, r KeyRange) error

	// SizeBytes estimates the stored bytes of a range: a hint.
	SizeBytes(r KeyRange) uint64

	// Limits are fixed for the life of the engine.
	Limits() Limits
	// Writable is nil, or says why writes are refused now (disk nearly full).
	Writable() error
	// Stats are the engine's counters for /metrics.
	Stats() Stats

	Close() error
}

// Reader reads one state (Snapshot, Txn) or the newest (Engine).
type Reader interface {
	// Get appends the value of key to dst. Without such a key: ErrNotFound.
	Get(dst, key []byte) ([]byte, error)
	// NewIter returns an iterator, unpositioned. It must be closed, soon: it
	// pins memory. An Engine's iterator sees one state, that of its creation.
	NewIter(o IterOptions) (Iterator, error)
}

// IterOptions bound an iterator.
type IterOptions struct {
	KeyRange
	// Prefix says that all keys of the range share one row prefix
	// (keys.Split(Start) long), so that bloom filters apply. Only SeekGE and
	// Next may then be called.
	Prefix bool
	// NoCache asks not to displace cached blocks (long scans).
	NoCache bool
}

// Iterator walks keys in byte order. Not safe for concurrent use.
//
// Key and Value are valid until the next positioning call or Close.
type Iterator interface {
	First() bool
	Last() bool
	SeekGE(key []byte) bool
	SeekLT(key []byte) bool
	Next() bool
	Prev() bool
	// NextPrefix moves to the first key whose row prefix differs.
	NextPrefix() bool
	Valid() bool
	Key() []byte
	Value() ([]byte, error)
	Error() error
	Close() error
}

// Snapshot is a pinned state.
type Snapshot interface {
	Reader
	// Mark is the mark of the newest DurabilitySync commit that the snapshot
	// may show.
	Mark() Mark
	Close() error
}

// Batch collects writes. Not safe for concurrent use. Keys and values are
// copied.
type Batch interface {
	Put(key, value []byte)
	Delete(key []byte)
	// Merge adds an operand to key. What the key then reads as is the engine's
	// Merger's fold of the newest Put (if any) and the operands after it.
	Merge(key, operand []byte)
	Len() int // bytes, about
	Count() int
	Reset()
}

// Merger folds operands. Implementations are pure and safe for concurrent use.
type Merger interface {
	// Name is stored by engines and may never change.
	Name() string
	// Fold appends to dst what values, oldest first, read as together. The
	// result is itself a valid value and a valid operand; Fold is associative:
	// any grouping of the same sequence reads the same.
	Fold(dst []byte, values [][]byte) ([]byte, error)
}

// Latch is a held short lock.
type Latch interface {
	Unlock()
}

// LockMode of a transaction's lock.
type LockMode uint8

const (
	LockShared LockMode = iota
	LockExclusive
)

// LockWait says what to do when a lock is held by another.
type LockWait struct {
	// NoWait gives ErrLocked at once.
	NoWait bool
	// Timeout > 0 bounds the wait: ErrLockTimeout.
	Timeout time.Duration
}

// TxnOptions of Begin.
type TxnOptions struct {
	Durability Durability
	ReadOnly   bool
	// WriteTimeout, when not 0, bounds how long a write waits for its lock:
	// ErrLockTimeout, with nothing written.
	WriteTimeout time.Duration
}

// Savepoint names a state of a transaction's write buffer.
type Savepoint int

// Txn is a transaction: a snapshot and an ordered buffer of own writes over it.
// Not safe for concurrent use. After an error of Lock, LockRange or a write,
// only Rollback is allowed; but ErrLocked and ErrLockTimeout
// leave the transaction as it was, with what it locked before.
//
// Reads see the snapshot and the own writes. A Merge in the buffer reads as the
// fold of what the transaction would read without it and the operand; at
// commit, a merged key reads as the newest committed value folded with the
// operand.
type Txn interface {
	Reader

	Put(key, value []byte) error
	Delete(key []byte) error
	Merge(key, operand []byte) error

	// Lock takes names and holds them to the end of the transaction. The result
	// has, for each name, the newest committed value of the key of that name,
	// or nil. A deadlock gives ErrDeadlock to one of its members.
	Lock(ctx context.Context, mode LockMode, w LockWait, names ...[]byte) ([][]byte, error)
	// LockRange locks all names of a range, those that do not exist yet
	// included, against other transactions' Lock, LockRange (unless both are
	// shared) and Latch. Engines without it return ErrUnsupported.
	LockRange(ctx context.Context, mode LockMode, w LockWait, r KeyRange) error

	// Newest reads the own writes over the newest applied state, where Reader's
	// methods have the snapshot. It ends with the transaction. For what is
	// locked, it is the state that a commit will change.
	Newest() Reader

	// Savepoint marks the state of the buffer; RollbackTo undoes the writes
	// since. Locks stay.
	Savepoint() Savepoint
	RollbackTo(s Savepoint) error

	// Refresh moves the read snapshot to now (READ COMMITTED).
	Refresh() error

	// Commit applies the buffer and waits as Durability asks. ErrUndetermined
	// means that it may have happened. Either way the transaction is over.
	Commit(ctx context.Context) error
	// Rollback drops the buffer and the locks. After Commit it does nothing.
	Rollback()
}

// Limits of an engine. Zero means no limit.
type Limits struct {
	KeyBytes   int
	ValueBytes int
	TxnBytes   int64
	TxnAge     time.Duration
	// PackedRows says that Merge is native and cheap: rows are best kept
	// packed. Otherwise cells get a key each.
	PackedRows bool
}

// Stats are counters since open, unless they say otherwise.
type Stats struct {
	CacheHits, CacheMisses  int64
	CacheBytes              int64 // now
	MemtableBytes           int64 // now
	DiskBytes               uint64
	Compactions, Flushes    int64
	CompactionDebtBytes     uint64 // now
	LogBytesWritten         uint64
	LogSyncs                int64
	LogSyncDurationP50      time.Duration
	LogSyncDurationP99      time.Duration
	WriteStalls             int64
	WriteStallDuration      time.Duration
	OpenSnapshots           int64 // now
	LocksHeld, LocksWaiting int64 // now
	Deadlocks               int64
}
