package pebblekv

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/lock"
	"github.com/basaltdb/basalt/internal/kv/txn"
)

// DB is an engine.
type DB struct {
	o      Options
	p      *pebble.DB
	locks  *lock.Table
	txns   txn.Manager
	syncer *syncer
	marks  marks
	events events
	log    *logFS

	closed   atomic.Bool
	refused  atomic.Pointer[error] // why writes are refused now
	unlogged atomic.Bool           // DurabilityAsync commits may be out of the log
	poke     chan struct{}         // unlogged became true
	stop     chan struct{}
	keepers  sync.WaitGroup
	release  func() error // of the cache, the file system and the directory's lock
}

var _ kv.Engine = (*DB)(nil)

// Get implements kv.Reader.
func (db *DB) Get(dst, key []byte) ([]byte, error) {
	if db.closed.Load() {
		return dst, kv.ErrClosed
	}
	v, c, err := db.p.Get(key)
	return appendValue(dst, v, c, err)
}

// NewIter implements kv.Reader.
func (db *DB) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	if db.closed.Load() {
		return nil, kv.ErrClosed
	}
	return newIter(db.p, o)
}

// Snapshot implements kv.Engine.
func (db *DB) Snapshot() kv.Snapshot {
	if db.closed.Load() {
		return new(snapshot)
	}
	s := &snapshot{p: db.p.NewSnapshot()}
	s.mark = kv.Mark(db.syncer.newest()) // after the snapshot: covers all it shows
	return s
}

// NewBatch implements kv.Engine.
func (db *DB) NewBatch() kv.Batch { return &batch{db: db.p} }

// Apply implements kv.Engine. The batch is empty after a DurabilitySync Apply.
func (db *DB) Apply(b kv.Batch, d kv.Durability, l kv.Latch) (kv.Mark, error) {
	var hashes []uint64
	if l != nil {
		hashes = l.(*lock.Latch).Hashes()
	}
	return db.ApplyLocked(b, d, hashes)
}

// ApplyLocked implements txn.Store.
func (db *DB) ApplyLocked(kb kv.Batch, d kv.Durability, hashes []uint64) (kv.Mark, error) {
	if err := db.Writable(); err != nil {
		return 0, err
	}
	b := kb.(*batch)
	if b.b == nil || b.b.Empty() {
		return db.Applied(), nil
	}
	if d == kv.DurabilityAsync {
		if err := db.p.Apply(b.b, pebble.NoSync); err != nil {
			return 0, mapErr(err)
		}
		if !db.unlogged.Load() && !db.unlogged.Swap(true) {
			db.poke <- struct{}{}
		}
		return 0, nil
	}
	p := b.b
	b.b = nil
	size := int64(p.Len())
	ticket := db.syncer.begin()
	db.marks.raise(hashes, ticket)
	if err := db.p.ApplyNoSyncWait(p, pebble.Sync); err != nil {
		db.syncer.add(ticket, noCommit, 0)
		return 0, mapErr(err)
	}
	db.syncer.add(ticket, p, size)
	return kv.Mark(ticket), nil
}

// Applied implements kv.Engine. It may already count commits that are just
// being applied.
func (db *DB) Applied() kv.Mark { return kv.Mark(db.syncer.newest()) }

// ReadMark implements kv.Engine. Names that share a stripe share their marks.
func (db *DB) ReadMark(name []byte) kv.Mark {
	return db.marks.read(db.locks.Hash(name), db.syncer.synced.Load())
}

// Synced implements kv.Engine. It moves while somebody waits.
func (db *DB) Synced() kv.Mark { return kv.Mark(db.syncer.synced.Load()) }

// WaitSynced implements kv.Engine.
func (db *DB) WaitSynced(ctx context.Context, m kv.Mark) error {
	return db.syncer.wait(ctx, uint64(m))
}

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
	if db.closed.Load() {
		return nil, kv.ErrClosed
	}
	return db.txns.Begin(ctx, o)
}

// bound closes a range that is open at its end: at the last key there is.
func (db *DB) bound(r kv.KeyRange) (kv.KeyRange, error) {
	if r.End != nil {
		return r, nil
	}
	it, err := db.p.NewIter(&pebble.IterOptions{LowerBound: r.Start})
	if err != nil {
		return r, err
	}
	r.End = r.Start
	if it.Last() {
		r.End = append(bytes.Clone(it.Key()), 0)
	}
	return r, it.Close()
}

// DeleteRange implements kv.Engine. Writes that are refused for lack of space
// do not include it: it makes space.
func (db *DB) DeleteRange(_ context.Context, r kv.KeyRange) error {
	if db.closed.Load() {
		return kv.ErrClosed
	}
	r, err := db.bound(r)
	if err != nil || bytes.Compare(r.Start, r.End) >= 0 {
		return mapErr(err)
	}
	return mapErr(db.p.DeleteRange(r.Start, r.End, pebble.Sync))
}

// Flush implements kv.Engine.
func (db *DB) Flush(ctx context.Context) error {
	if db.closed.Load() {
		return kv.ErrClosed
	}
	done, err := db.p.AsyncFlush()
	if err != nil {
		return mapErr(err)
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Compact implements kv.Engine.
func (db *DB) Compact(ctx context.Context, r kv.KeyRange) error {
	if db.closed.Load() {
		return kv.ErrClosed
	}
	r, err := db.bound(r)
	if err != nil || bytes.Compare(r.Start, r.End) >= 0 {
		return mapErr(err)
	}
	return mapErr(db.p.Compact(ctx, r.Start, r.End, false))
}

// SizeBytes implements kv.Engine: the bytes in tables, without memtables.
func (db *DB) SizeBytes(r kv.KeyRange) uint64 {
	if db.closed.Load() {
		return 0
	}
	r, err := db.bound(r)
	if err != nil || bytes.Compare(r.Start, r.End) >= 0 {
		return 0
	}
	n, err := db.p.EstimateDiskUsage(r.Start, r.End)
	if err != nil {
		return 0
	}
	return n
}

// Limits implements kv.Engine.
func (db *DB) Limits() kv.Limits {
	return kv.Limits{TxnBytes: db.o.TxnBytes, PackedRows: true}
}

// Writable implements kv.Engine.
func (db *DB) Writable() error {
	if db.closed.Load() {
		return kv.ErrClosed
	}
	if err := db.refused.Load(); err != nil {
		return *err
	}
	return nil
}

// Close implements kv.Engine. Everything that reads or writes must have ended,
// and iterators and snapshots must be closed. What was applied is in the log
// when it returns.
func (db *DB) Close() error {
	if db.closed.Swap(true) {
		return kv.ErrClosed
	}
	close(db.stop)
	db.keepers.Wait()
	var err error
	if m := db.syncer.newest(); m > 0 {
		err = db.syncer.wait(context.Background(), m)
	}
	if cerr := db.p.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("pebblekv: closing: %w", cerr)
	}
	if rerr := db.release(); err == nil {
		err = rerr
	}
	return err
}
