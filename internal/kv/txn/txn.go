package txn

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/lock"
	"github.com/basaltdb/basalt/internal/kv/ordered"
)

// Store is what the layer needs of its engine.
type Store interface {
	kv.Reader
	Snapshot() kv.Snapshot
	NewBatch() kv.Batch
	// ApplyLocked is Engine.Apply under the locks with the given hashes.
	ApplyLocked(b kv.Batch, d kv.Durability, hashes []uint64) (kv.Mark, error)
	WaitSynced(ctx context.Context, m kv.Mark) error
}

// Manager begins transactions.
type Manager struct {
	Store    Store
	Locks    *lock.Table
	Merger   kv.Merger
	MaxBytes int64 // of one transaction's buffer; 0: no limit
}

// entryBytes is what a buffered write costs besides its key and values, about.
const entryBytes = 160

// foldAt bounds the operands that a buffered key collects.
const foldAt = 8

// pending is the buffered state of one key: a put or a delete, or neither, and
// the operands after it. It is never changed in place.
type pending struct {
	base  baseKind
	value []byte // of basePut
	ops   [][]byte
}

type baseKind uint8

const (
	baseNone baseKind = iota // the operands apply to what is stored
	basePut
	baseDelete
)

func (p *pending) bytes(key []byte) int64 {
	n := entryBytes + len(key) + len(p.value)
	for _, o := range p.ops {
		n += len(o)
	}
	return int64(n)
}

// undo is what a write since the first savepoint replaced.
type undo struct {
	key []byte
	old pending
	had bool
}

type state uint8

const (
	open state = iota
	failed
	over
)

type txn struct {
	m        *Manager
	ctx      context.Context
	o        kv.TxnOptions
	snapshot kv.Snapshot
	locks    *lock.Txn
	state    state

	writes ordered.Map[pending]
	bytes  int64
	// log has an entry per write since the first savepoint was taken. A
	// Savepoint is a length of it.
	log     []undo
	logging bool

	lastRow []byte // the row that was locked last for a write
}

// Begin starts a transaction. The locks of its writes wait under ctx.
func (m *Manager) Begin(ctx context.Context, o kv.TxnOptions) (kv.Txn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &txn{m: m, ctx: ctx, o: o, snapshot: m.Store.Snapshot(), locks: m.Locks.NewTxn()}, nil
}

func (x *txn) usable() error {
	if x.state != open {
		return kv.ErrTxnOver
	}
	return nil
}

// fail leaves only Rollback.
func (x *txn) fail(err error) error {
	x.state = failed
	return err
}

// failLock is fail after a lock that was not taken. Nothing happened if it was
// only not to be had in time.
func (x *txn) failLock(err error) error {
	if errors.Is(err, kv.ErrLocked) || errors.Is(err, kv.ErrLockTimeout) {
		return err
	}
	return x.fail(err)
}

func (x *txn) Get(dst, key []byte) ([]byte, error) { return x.get(x.snapshot, dst, key) }

// get reads own writes over base.
func (x *txn) get(base kv.Reader, dst, key []byte) ([]byte, error) {
	if err := x.usable(); err != nil {
		return dst, err
	}
	p, ok := x.writes.Get(key)
	if !ok {
		return base.Get(dst, key)
	}
	var stored []byte
	found := false
	if p.base == baseNone {
		v, err := base.Get(nil, key)
		if err == nil {
			stored, found = v, true
		} else if !errors.Is(err, kv.ErrNotFound) {
			return dst, err
		}
	}
	return p.read(dst, x.m.Merger, stored, found)
}

// read appends what a buffered key reads as over what is stored.
func (p *pending) read(dst []byte, m kv.Merger, stored []byte, found bool) ([]byte, error) {
	parts := make([][]byte, 0, foldAt+1)
	switch {
	case p.base == basePut:
		parts = append(parts, p.value)
	case p.base == baseNone && found:
		parts = append(parts, stored)
	}
	parts = append(parts, p.ops...)
	switch len(parts) {
	case 0:
		return dst, kv.ErrNotFound
	case 1:
		return append(dst, parts[0]...), nil
	}
	return m.Fold(dst, parts)
}

func (x *txn) Put(key, value []byte) error {
	return x.write(key, func(pending) (pending, error) {
		return pending{base: basePut, value: bytes.Clone(value)}, nil
	})
}

func (x *txn) Delete(key []byte) error {
	return x.write(key, func(pending) (pending, error) {
		return pending{base: baseDelete}, nil
	})
}

func (x *txn) Merge(key, operand []byte) error {
	return x.write(key, func(old pending) (pending, error) {
		ops := make([][]byte, 0, len(old.ops)+1)
		ops = append(append(ops, old.ops...), bytes.Clone(operand))
		if len(ops) > foldAt {
			folded, err := x.m.Merger.Fold(nil, ops)
			if err != nil {
				return old, err
			}
			ops = [][]byte{folded}
		}
		old.ops = ops
		return old, nil
	})
}

func (x *txn) write(key []byte, change func(old pending) (pending, error)) error {
	if err := x.usable(); err != nil {
		return err
	}
	if x.o.ReadOnly {
		return x.fail(fmt.Errorf("write in a read-only transaction: %w", kv.ErrUnsupported))
	}
	row := key[:keys.Split(key)]
	if !bytes.Equal(row, x.lastRow) {
		if err := x.locks.Lock(x.ctx, kv.LockExclusive, kv.LockWait{Timeout: x.o.WriteTimeout}, row); err != nil {
			return x.failLock(err)
		}
		x.lastRow = append(x.lastRow[:0], row...)
	}
	old, had := x.writes.Get(key)
	p, err := change(old)
	if err != nil {
		return x.fail(err)
	}
	x.bytes += p.bytes(key)
	if had && !x.logging {
		x.bytes -= old.bytes(key)
	}
	if x.m.MaxBytes > 0 && x.bytes > x.m.MaxBytes {
		return x.fail(kv.ErrTxnTooLarge)
	}
	key = bytes.Clone(key)
	if x.logging {
		x.log = append(x.log, undo{key, old, had})
	}
	x.writes.Set(key, p)
	return nil
}

func (x *txn) Lock(ctx context.Context, mode kv.LockMode, w kv.LockWait, names ...[]byte) ([][]byte, error) {
	if err := x.usable(); err != nil {
		return nil, err
	}
	for _, n := range names {
		if err := x.locks.Lock(ctx, mode, w, n); err != nil {
			return nil, x.failLock(err)
		}
	}
	values := make([][]byte, len(names))
	for i, n := range names {
		v, err := x.m.Store.Get([]byte{}, n)
		switch {
		case err == nil:
			values[i] = v
		case !errors.Is(err, kv.ErrNotFound):
			return nil, x.fail(err)
		}
	}
	return values, nil
}

func (x *txn) LockRange(ctx context.Context, mode kv.LockMode, w kv.LockWait, r kv.KeyRange) error {
	if err := x.usable(); err != nil {
		return err
	}
	if err := x.locks.LockRange(ctx, mode, w, r); err != nil {
		return x.failLock(err)
	}
	return nil
}

// newest is a transaction's Newest.
type newest struct{ x *txn }

func (x *txn) Newest() kv.Reader { return newest{x} }

func (n newest) Get(dst, key []byte) ([]byte, error) { return n.x.get(n.x.m.Store, dst, key) }

func (n newest) NewIter(o kv.IterOptions) (kv.Iterator, error) { return n.x.iter(n.x.m.Store, o) }

func (x *txn) Savepoint() kv.Savepoint {
	x.logging = true
	return kv.Savepoint(len(x.log))
}

func (x *txn) RollbackTo(s kv.Savepoint) error {
	if err := x.usable(); err != nil {
		return err
	}
	if s < 0 || int(s) > len(x.log) {
		return fmt.Errorf("kv: unknown savepoint %d", s)
	}
	for i := len(x.log) - 1; i >= int(s); i-- {
		u := &x.log[i]
		now, _ := x.writes.Get(u.key)
		x.bytes -= now.bytes(u.key)
		if u.had {
			x.writes.Set(u.key, u.old)
		} else {
			x.writes.Delete(u.key)
		}
		*u = undo{}
	}
	x.log = x.log[:s]
	return nil
}

func (x *txn) Refresh() error {
	if err := x.usable(); err != nil {
		return err
	}
	old := x.snapshot
	x.snapshot = x.m.Store.Snapshot()
	return old.Close()
}

func (x *txn) Commit(ctx context.Context) error {
	if err := x.usable(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		x.end()
		return err
	}
	if x.writes.Len() == 0 {
		return x.end()
	}
	b := x.m.Store.NewBatch()
	frozen := x.writes.Clone()
	for c := frozen.Cursor(); c.Next(); {
		p := c.Value()
		switch p.base {
		case basePut:
			b.Put(c.Key(), p.value)
		case baseDelete:
			b.Delete(c.Key())
		}
		for _, o := range p.ops {
			b.Merge(c.Key(), o)
		}
	}
	mark, err := x.m.Store.ApplyLocked(b, x.o.Durability, x.locks.Hashes())
	// The locks protect until the writes are visible, not until they are synced:
	// whoever builds on them commits later in the same log.
	if cerr := x.end(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	if err := x.m.Store.WaitSynced(ctx, mark); err != nil {
		return fmt.Errorf("%w: applied, but not known to be durable: %w", kv.ErrUndetermined, err)
	}
	return nil
}

func (x *txn) Rollback() {
	if x.state != over {
		// The snapshot's error would say that the engine is broken, which the
		// next call finds by itself.
		_ = x.end()
	}
}

func (x *txn) end() error {
	x.state = over
	x.locks.UnlockAll()
	x.writes, x.log = ordered.Map[pending]{}, nil
	return x.snapshot.Close()
}
