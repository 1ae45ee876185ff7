package memkv

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"

	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/lock"
	"github.com/basaltdb/basalt/internal/kv/ordered"
	"github.com/basaltdb/basalt/internal/kv/txn"
)

// DB is an engine.
type DB struct {
	merger kv.Merger
	locks  *lock.Table
	txns   txn.Manager

	mu     sync.Mutex // guards all below
	data   ordered.Map[[]byte]
	bytes  int64
	mark   kv.Mark
	closed bool

	snapshots atomic.Int64
}

var _ kv.Engine = (*DB)(nil)

// New returns an empty engine.
func New(m kv.Merger) *DB {
	db := &DB{merger: m, locks: lock.NewTable()}
	db.txns = txn.Manager{Store: db, Locks: db.locks, Merger: m}
	return db
}

// view is the state of now.
func (db *DB) view() (view, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return view{}, kv.ErrClosed
	}
	return view{data: db.data.Clone()}, nil
}

// Get implements kv.Reader.
func (db *DB) Get(dst, key []byte) ([]byte, error) {
	v, err := db.view()
	if err != nil {
		return dst, err
	}
	return v.Get(dst, key)
}

// NewIter implements kv.Reader.
func (db *DB) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	v, err := db.view()
	if err != nil {
		return nil, err
	}
	return v.NewIter(o)
}

// Snapshot implements kv.Engine.
func (db *DB) Snapshot() kv.Snapshot {
	v, err := db.view()
	db.snapshots.Add(1)
	return &snapshot{db: db, view: v, err: err}
}

// NewBatch implements kv.Engine.
func (db *DB) NewBatch() kv.Batch { return new(batch) }

// Apply implements kv.Engine. A fold that fails leaves everything as it was.
func (db *DB) Apply(b kv.Batch, d kv.Durability, _ kv.Latch) (kv.Mark, error) {
	return db.ApplyLocked(b, d, nil)
}

// ApplyLocked implements txn.Store.
func (db *DB) ApplyLocked(b kv.Batch, d kv.Durability, _ []uint64) (kv.Mark, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return 0, kv.ErrClosed
	}
	data, size := db.data.Clone(), db.bytes
	for _, op := range b.(*batch).ops {
		old, found := data.Get(op.key)
		if found {
			size -= int64(len(op.key) + len(old))
		}
		value := op.value
		switch op.kind {
		case opDelete:
			data.Delete(op.key)
			continue
		case opMerge:
			if found {
				var err error
				if value, err = db.merger.Fold(nil, [][]byte{old, value}); err != nil {
					return 0, err
				}
			}
		}
		size += int64(len(op.key) + len(value))
		data.Set(op.key, value)
	}
	db.data, db.bytes = data, size
	if d == kv.DurabilityAsync {
		return 0, nil
	}
	db.mark++
	return db.mark, nil
}

// Applied implements kv.Engine: everything is synced.
func (db *DB) Applied() kv.Mark { return 0 }

// ReadMark implements kv.Engine: everything is synced.
func (db *DB) ReadMark([]byte) kv.Mark { return 0 }

// Synced implements kv.Engine.
func (db *DB) Synced() kv.Mark {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.mark
}

// WaitSynced implements kv.Engine. There is nothing to wait for.
func (db *DB) WaitSynced(context.Context, kv.Mark) error { return nil }

// Latch implements kv.Engine.
func (db *DB) Latch(ctx context.Context, names ...[]byte) (kv.Latch, error) {
	l, err := db.locks.Latch(ctx, names...)
	if err != nil {
		return nil, err
	}
	return l, nil
}

// TryLatch implements kv.Engine.
func (db *DB) TryLatch(names ...[]byte) (kv.Latch, bool) {
	l, ok := db.locks.TryLatch(names...)
	if !ok {
		return nil, false
	}
	return l, true
}

// Begin implements kv.Engine.
func (db *DB) Begin(ctx context.Context, o kv.TxnOptions) (kv.Txn, error) {
	return db.txns.Begin(ctx, o)
}

// DeleteRange implements kv.Engine.
func (db *DB) DeleteRange(_ context.Context, r kv.KeyRange) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return kv.ErrClosed
	}
	before := db.data.Clone()
	c := before.Cursor()
	for ok := c.SeekGE(r.Start); ok && (r.End == nil || bytes.Compare(c.Key(), r.End) < 0); ok = c.Next() {
		db.bytes -= int64(len(c.Key()) + len(c.Value()))
		db.data.Delete(c.Key())
	}
	return nil
}

// Flush implements kv.Engine. Memory is the resting place.
func (db *DB) Flush(context.Context) error { return nil }

// Compact implements kv.Engine. There is never anything to rewrite.
func (db *DB) Compact(context.Context, kv.KeyRange) error { return nil }

// SizeBytes implements kv.Engine.
func (db *DB) SizeBytes(r kv.KeyRange) (n uint64) {
	v, err := db.view()
	if err != nil {
		return 0
	}
	c := v.data.Cursor()
	for ok := c.SeekGE(r.Start); ok && (r.End == nil || bytes.Compare(c.Key(), r.End) < 0); ok = c.Next() {
		n += uint64(len(c.Key()) + len(c.Value()))
	}
	return n
}

// Limits implements kv.Engine.
func (db *DB) Limits() kv.Limits { return kv.Limits{PackedRows: true} }

// Writable implements kv.Engine.
func (db *DB) Writable() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return kv.ErrClosed
	}
	return nil
}

// Stats implements kv.Engine.
func (db *DB) Stats() kv.Stats {
	l := db.locks.Stats()
	db.mu.Lock()
	defer db.mu.Unlock()
	return kv.Stats{
		MemtableBytes: db.bytes,
		OpenSnapshots: db.snapshots.Load(),
		LocksHeld:     l.Held, LocksWaiting: l.Waiting, Deadlocks: l.Deadlocks,
	}
}

// Close implements kv.Engine. The data is gone.
func (db *DB) Close() error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return kv.ErrClosed
	}
	db.closed = true
	db.data = ordered.Map[[]byte]{}
	return nil
}
