package lock

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

const (
	shardBits = 7
	shards    = 1 << shardBits
)

// Table holds all locks of an engine. It is safe for concurrent use.
type Table struct {
	seed      maphash.Seed
	shards    [shards]shard
	ranges    rangeTable
	latches   sync.Pool
	waiting   atomic.Int64
	deadlocks atomic.Int64
}

// NewTable returns an empty table.
func NewTable() *Table {
	t := &Table{seed: maphash.MakeSeed()}
	t.latches.New = func() any { return &Latch{owner: owner{table: t, wait: waiting{wake: make(chan struct{}, 1)}}} }
	for i := range t.shards {
		t.shards[i].slots = make([]slot, minSlots)
	}
	return t
}

// Hash identifies a name. It differs from table to table.
func (t *Table) Hash(name []byte) uint64 { return maphash.Bytes(t.seed, name) }

// The top bits choose the shard, so that sorted hashes visit each shard once.
func (t *Table) shard(hash uint64) *shard { return &t.shards[hash>>(64-shardBits)] }

// Stats are the table's counters.
type Stats struct {
	Held, Waiting int64 // now
	Deadlocks     int64 // since the start
}

// Stats counts what is held and waited for now.
func (t *Table) Stats() Stats {
	s := Stats{Waiting: t.waiting.Load(), Deadlocks: t.deadlocks.Load()}
	for i := range t.shards {
		sh := &t.shards[i]
		sh.mu.Lock()
		s.Held += int64(sh.used)
		sh.mu.Unlock()
	}
	t.ranges.mu.Lock()
	s.Held += int64(len(t.ranges.held))
	t.ranges.mu.Unlock()
	return s
}
