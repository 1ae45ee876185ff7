package lock

import (
	"context"
	"slices"

	"github.com/basaltdb/basalt/internal/kv"
)

// Bounds of the memory that a pooled latch keeps.
const (
	keepNames     = 16 << 10
	keepNameBytes = 1 << 20
)

// Latch is a held set of names. It implements kv.Latch. It may not be touched
// after Unlock, which returns it to a pool.
type Latch struct {
	owner
	hashes []uint64 // ascending, each once
	names  [][]byte // of hashes, in arena
	held   int      // hashes[:held] are held
	arena  []byte
	order  []uint64
}

// Latch takes exclusive locks on names, in an order of its own. An empty set of
// names gives a latch that holds nothing.
func (t *Table) Latch(ctx context.Context, names ...[]byte) (*Latch, error) {
	l := t.latches.Get().(*Latch)
	l.prepare(names)
	p := patience{ctx: ctx}
	if err := l.lockAll(&p); err != nil {
		l.Unlock()
		return nil, err
	}
	return l, nil
}

// TryLatch is Latch without waiting.
func (t *Table) TryLatch(names ...[]byte) (*Latch, bool) {
	l := t.latches.Get().(*Latch)
	l.prepare(names)
	p := patience{ctx: context.Background(), nowait: true}
	if err := l.lockAll(&p); err != nil {
		l.Unlock()
		return nil, false
	}
	return l, true
}

// Hashes are the hashes of the names, valid until Unlock.
func (l *Latch) Hashes() []uint64 { return l.hashes }

// orderIndexBits of a sort key hold a name's index, the others its hash's top.
const orderIndexBits = 24

// prepare copies the names, sorted by hash and without duplicates.
func (l *Latch) prepare(names [][]byte) {
	l.held = 0
	l.hashes, l.names = l.hashes[:0], l.names[:0]
	bytes := 0
	for _, n := range names {
		bytes += len(n)
	}
	// The copies may not move once they are made.
	l.arena = slices.Grow(l.arena[:0], bytes)
	if len(names) == 1 {
		l.add(l.table.Hash(names[0]), names[0])
		return
	}
	if len(names) >= 1<<orderIndexBits {
		panic("lock: too many names in one latch")
	}
	// Sorting plain integers is several times faster than sorting pairs. What
	// the index displaces of the hash is settled while the pairs are collected.
	l.order = l.order[:0]
	const top = ^uint64(1<<orderIndexBits - 1)
	for i, n := range names {
		l.order = append(l.order, l.table.Hash(n)&top|uint64(i))
	}
	slices.Sort(l.order)
	for _, k := range l.order {
		n := names[k&^top]
		h := l.table.Hash(n)
		at := len(l.hashes)
		for at > 0 && l.hashes[at-1] > h {
			at--
		}
		if at > 0 && l.hashes[at-1] == h {
			continue
		}
		l.add(h, n)
		if last := len(l.hashes) - 1; at < last {
			moved := l.names[last]
			copy(l.hashes[at+1:], l.hashes[at:last])
			copy(l.names[at+1:], l.names[at:last])
			l.hashes[at], l.names[at] = h, moved
		}
	}
}

func (l *Latch) add(h uint64, name []byte) {
	n := len(l.arena)
	l.arena = append(l.arena, name...)
	l.hashes = append(l.hashes, h)
	l.names = append(l.names, l.arena[n:len(l.arena):len(l.arena)])
}

func (l *Latch) lockAll(p *patience) error {
	if l.table.ranges.n.Load() == 0 {
		if err := l.lockPoints(p); err != nil {
			return err
		}
		if l.table.ranges.n.Load() == 0 {
			return nil
		}
		// A range lock came up meanwhile and may not have seen this latch's
		// names, nor this latch it.
		l.unlockPoints()
	}
	for i, h := range l.hashes {
		if _, err := l.lockGated(p, h, l.names[i], kv.LockExclusive, i > 0); err != nil {
			return err
		}
		l.held = i + 1
	}
	return nil
}

// lockPoints takes the names without regard to range locks, each shard's in one
// go.
func (l *Latch) lockPoints(p *patience) error {
	for l.held < len(l.hashes) {
		sh := l.table.shard(l.hashes[l.held])
		sh.mu.Lock()
		for l.held < len(l.hashes) && l.table.shard(l.hashes[l.held]) == sh {
			h, name := l.hashes[l.held], l.names[l.held]
			if sh.acquire(&l.owner, h, name, kv.LockExclusive) == conflict {
				if p.nowait {
					sh.mu.Unlock()
					return kv.ErrLocked
				}
				holderWaits := sh.enqueue(&l.owner, h, name, kv.LockExclusive)
				sh.mu.Unlock()
				if err := l.await(p, sh, holderWaits && l.held > 0); err != nil {
					return err
				}
				sh.mu.Lock()
			}
			l.held++
		}
		sh.mu.Unlock()
	}
	return nil
}

func (l *Latch) unlockPoints() {
	for i := 0; i < l.held; {
		sh := l.table.shard(l.hashes[i])
		sh.mu.Lock()
		for i < l.held && l.table.shard(l.hashes[i]) == sh {
			sh.release(&l.owner, l.hashes[i])
			i++
		}
		sh.mu.Unlock()
	}
	l.held = 0
	l.table.ranges.released()
}

// Unlock gives the names up.
func (l *Latch) Unlock() {
	l.unlockPoints()
	if cap(l.names) > keepNames {
		l.names, l.hashes, l.order = nil, nil, nil
	}
	if cap(l.arena) > keepNameBytes {
		l.arena = nil
	}
	l.table.latches.Put(l)
}
