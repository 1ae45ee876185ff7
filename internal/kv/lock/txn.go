package lock

import (
	"context"

	"github.com/basaltdb/basalt/internal/kv"
)

const nameChunkBytes = 512

// Txn is the set of locks of one transaction, held until UnlockAll. Not safe
// for concurrent use. After an error the caller must end the transaction.
type Txn struct {
	owner
	held   []uint64 // names, in order of locking
	ranges int
	chunk  []byte // memory of names
}

// NewTxn returns a transaction without locks.
func (t *Table) NewTxn() *Txn {
	return &Txn{owner: owner{table: t, txn: true, wait: waiting{wake: make(chan struct{}, 1)}}}
}

// Lock takes a name. A lock that is held already is kept, made exclusive if
// mode asks for it.
func (x *Txn) Lock(ctx context.Context, mode kv.LockMode, w kv.LockWait, name []byte) error {
	hash := x.table.Hash(name)
	if x.holds(hash, mode) {
		return nil
	}
	p := patienceOf(ctx, w)
	n := len(x.chunk)
	if cap(x.chunk)-n < len(name) {
		// Earlier chunks stay where they are, referred to by the table's slots.
		x.chunk, n = make([]byte, 0, max(nameChunkBytes, len(name))), 0
	}
	x.chunk = append(x.chunk, name...)
	copied := x.chunk[n:len(x.chunk):len(x.chunk)]
	holdsOther := len(x.held) > 0 || x.ranges > 0
	out, err := x.lockGated(&p, hash, copied, mode, holdsOther)
	if err != nil {
		return err
	}
	if out == granted {
		x.held = append(x.held, hash)
	}
	return nil
}

// Holds reports whether the transaction holds a name at least as strongly as
// mode. Range locks do not count.
func (x *Txn) Holds(name []byte, mode kv.LockMode) bool {
	return x.holds(x.table.Hash(name), mode)
}

func (x *Txn) holds(hash uint64, mode kv.LockMode) bool {
	sh := x.table.shard(hash)
	sh.mu.Lock()
	defer sh.mu.Unlock()
	s := sh.find(hash)
	return s.owner != nil && s.holds(&x.owner) && (mode == kv.LockShared || s.mode == kv.LockExclusive)
}

// LockRange locks all names of a range.
func (x *Txn) LockRange(ctx context.Context, mode kv.LockMode, w kv.LockWait, r kv.KeyRange) error {
	p := patienceOf(ctx, w)
	if err := x.lockRange(&p, mode, r, len(x.held) > 0 || x.ranges > 0); err != nil {
		return err
	}
	x.ranges++
	return nil
}

// Hashes are the hashes of the locked names, valid until the next call.
func (x *Txn) Hashes() []uint64 { return x.held }

// UnlockAll gives all locks up.
func (x *Txn) UnlockAll() {
	if x.ranges > 0 {
		x.table.ranges.drop(&x.owner)
		x.ranges = 0
	}
	for _, h := range x.held {
		sh := x.table.shard(h)
		sh.mu.Lock()
		sh.release(&x.owner, h)
		sh.mu.Unlock()
	}
	x.held = x.held[:0]
	x.table.ranges.released()
}
