package rel

import (
	"context"
	"errors"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
)

// Isolation is what plain reads of a transaction see.
type Isolation uint8

const (
	// RepeatableRead: the state of the first read.
	RepeatableRead Isolation = iota
	// ReadCommitted: the state of the statement's begin.
	ReadCommitted
)

// TxnOptions of Begin.
type TxnOptions struct {
	Isolation Isolation
	ReadOnly  bool
	// LockWait bounds each wait for a lock.
	LockWait time.Duration
	// NoForeignKeys: foreign keys are not checked (foreign_key_checks=0).
	NoForeignKeys bool
	// Held, if not nil, are the only tables that the transaction may use.
	Held *Held
}

// Txn is a transaction over tables. Not safe for concurrent use.
type Txn struct {
	store *Store
	kv    kv.Txn
	o     TxnOptions
	// pinned are the tables in use, by their name and locked.
	pinned map[catalog.TableName]*Table
	// seq is Store.ddl as of the snapshot.
	seq uint64
	// reads is whether the snapshot has been read: from then on it stays (but
	// for READ COMMITTED).
	reads  bool
	writes int // of this transaction, undone ones included

	key, entry, value []byte // scratch
}

// Begin starts a transaction. Its snapshot is that of the first read.
func (s *Store) Begin(ctx context.Context, o TxnOptions) (*Txn, error) {
	seq := s.ddl.Load()
	x, err := s.engine.Begin(ctx, kv.TxnOptions{ReadOnly: o.ReadOnly, WriteTimeout: o.LockWait})
	if err != nil {
		return nil, err
	}
	return &Txn{store: s, kv: x, o: o, seq: seq, pinned: map[catalog.TableName]*Table{}}, nil
}

// SetLockWait changes how long to wait for locks that are asked for from now on.
func (x *Txn) SetLockWait(d time.Duration) { x.o.LockWait = d }

// SetForeignKeys changes whether foreign keys are checked.
func (x *Txn) SetForeignKeys(on bool) { x.o.NoForeignKeys = !on }

// Isolation is the transaction's.
func (x *Txn) Isolation() Isolation { return x.o.Isolation }

// Writes tells whether the transaction has written anything.
func (x *Txn) Writes() bool { return x.writes > 0 }

// BeginStatement is called before each statement.
func (x *Txn) BeginStatement() error {
	if x.o.Isolation == ReadCommitted || !x.reads {
		return x.refresh()
	}
	return nil
}

func (x *Txn) refresh() error {
	x.seq = x.store.ddl.Load()
	return x.kv.Refresh()
}

// Consistent takes the snapshot now (WITH CONSISTENT SNAPSHOT).
func (x *Txn) Consistent() { x.reads = true }

// Savepoint and RollbackTo are kv.Txn's. Locks stay.
func (x *Txn) Savepoint() kv.Savepoint          { return x.kv.Savepoint() }
func (x *Txn) RollbackTo(s kv.Savepoint) error  { return x.kv.RollbackTo(s) }
func (x *Txn) Commit(ctx context.Context) error { return x.kv.Commit(ctx) }
func (x *Txn) Rollback()                        { x.kv.Rollback() }
func (x *Txn) wait() kv.LockWait                { return kv.LockWait{Timeout: x.o.LockWait} }

// Table finds a table and keeps its schema as it is until the transaction ends.
func (x *Txn) Table(ctx context.Context, name catalog.TableName) (*Table, error) {
	if t := x.pinned[name]; t != nil {
		return t, nil
	}
	if h := x.o.Held; h != nil {
		if t := h.tables[name]; t != nil {
			return t, nil
		}
		if t, err := x.store.Lookup(name); t == nil || err != nil {
			return nil, errors.Join(err, &NoTableError{name})
		}
		return nil, &NotHeldError{Name: name}
	}
	for {
		t, err := x.store.Lookup(name)
		if err != nil {
			return nil, err
		}
		if t == nil {
			return nil, &NoTableError{name}
		}
		if _, err := x.kv.Lock(ctx, kv.LockShared, x.wait(), t.lockName); err != nil {
			return nil, err
		}
		if t.Def.Retired() {
			continue
		}
		if t.seq > x.seq {
			if x.reads {
				return nil, ErrSchemaChanged
			}
			if err := x.refresh(); err != nil {
				return nil, err
			}
		}
		x.pinned[name] = t
		return t, nil
	}
}

// writable refuses to change a table that is held for reading only.
func (x *Txn) writable(t *Table) error {
	if h := x.o.Held; h != nil && !h.writes[t.Def.Name] {
		return &NotHeldError{Name: t.Def.Name, Read: true}
	}
	return nil
}

// Lock says how rows are read.
type Lock struct {
	// Mode is of locking reads; without Locking the snapshot is read.
	Locking bool
	Mode    kv.LockMode
	NoWait  bool
	// SkipLocked leaves out rows that others have locked.
	SkipLocked bool
}

// lockRow locks a row's key and reads its newest version, nil if there is none.
// skip is set for a row that is locked by another and to be skipped.
func (x *Txn) lockRow(ctx context.Context, key []byte, l Lock) (value []byte, skip bool, err error) {
	w := x.wait()
	if l.NoWait || l.SkipLocked {
		w = kv.LockWait{NoWait: true}
	}
	values, err := x.kv.Lock(ctx, l.Mode, w, key)
	if err != nil {
		if l.SkipLocked && errors.Is(err, kv.ErrLocked) {
			return nil, true, nil
		}
		return nil, false, err
	}
	if x.writes == 0 {
		return values[0], false, nil
	}
	value, err = x.kv.Newest().Get(nil, key)
	if errors.Is(err, kv.ErrNotFound) {
		return nil, false, nil
	}
	return value, false, err
}
