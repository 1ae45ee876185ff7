package pebblekv

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"github.com/basaltdb/basalt/internal/kv"
)

const (
	// ringLen bounds the commits that are applied and not known to be synced.
	ringLen = 4096
	// maxUnsyncedBytes bounds the memory that such commits keep. Whoever passes
	// it waits for the log.
	maxUnsyncedBytes = 64 << 20
)

// syncer gives commits their marks and knows which are in the log.
//
// A mark is a ticket, drawn before the commit is applied. So whoever reads a
// value may take the newest ticket (all rows) or the newest ticket of the row's
// stripe (marks) after the read, without waiting for anybody: no commit that
// the read saw has a later one. Tickets are nearly, not exactly, in the order of
// the log; a mark is synced when the commits of all tickets up to it are.
//
// No goroutine of its own: the first who waits leads, waits for one commit
// after the other, and wakes the others as their marks pass; when its own has
// passed, it hands the lead on.
type syncer struct {
	fail   func(error) // ends the process
	taken  atomic.Uint64
	synced atomic.Uint64
	bytes  atomic.Int64 // of the commits in ring
	ring   [ringLen]commit

	// A leader that finds the next slot empty leaves the ticket in missing and
	// waits for arrived.
	missing atomic.Uint64
	arrived chan struct{}

	mu      sync.Mutex // guards all below
	leading bool
	waiters []*waiter
	least   atomic.Uint64 // of the waiters' marks; read without mu
	broken  error
}

type commit struct {
	batch atomic.Pointer[pebble.Batch]
	bytes int64 // written before batch
}

type waiter struct {
	mark uint64
	wake chan bool // true: take the lead
}

// noCommit fills the slot of a ticket whose commit failed.
var noCommit = new(pebble.Batch)

const noWaiter = ^uint64(0)

var waiterPool = sync.Pool{New: func() any { return &waiter{wake: make(chan bool, 1)} }}

func newSyncer(fail func(error)) *syncer {
	s := &syncer{fail: fail, arrived: make(chan struct{}, 1)}
	s.least.Store(noWaiter)
	return s
}

// begin draws a ticket. The caller must call add with it.
func (s *syncer) begin() uint64 { return s.taken.Add(1) }

// add hands over an applied batch. It blocks when too much is not synced.
func (s *syncer) add(ticket uint64, b *pebble.Batch, bytes int64) {
	if ticket > s.synced.Load()+ringLen {
		// An error means that the process ends or is a test's: then nothing
		// waits for the slot.
		_ = s.wait(context.Background(), ticket-ringLen)
	}
	c := &s.ring[ticket%ringLen]
	c.bytes = bytes
	total := s.bytes.Add(bytes)
	c.batch.Store(b)
	if s.missing.Load() == ticket {
		select {
		case s.arrived <- struct{}{}:
		default:
		}
	}
	if total > maxUnsyncedBytes {
		_ = s.wait(context.Background(), ticket)
	}
}

// newest is at least the mark of every commit that is visible now; 0 when all
// are synced.
func (s *syncer) newest() uint64 {
	t := s.taken.Load()
	if t <= s.synced.Load() {
		return 0
	}
	return t
}

// wait returns when mark is synced. The one who leads notices the end of ctx
// only between two writes of the log.
func (s *syncer) wait(ctx context.Context, mark uint64) error {
	if s.synced.Load() >= mark {
		return nil
	}
	if t := s.taken.Load(); mark > t {
		return fmt.Errorf("pebblekv: mark %d was never given (newest is %d)", mark, t)
	}
	s.mu.Lock()
	if s.broken != nil {
		s.mu.Unlock()
		return s.broken
	}
	if !s.leading {
		s.leading = true
		s.mu.Unlock()
		return s.lead(ctx, mark)
	}
	w := waiterPool.Get().(*waiter)
	w.mark = mark
	s.waiters = append(s.waiters, w)
	if mark < s.least.Load() {
		s.least.Store(mark)
	}
	// The leader stores synced, then looks at least; this is the other order.
	if s.synced.Load() >= mark {
		s.forget(w)
		s.mu.Unlock()
		waiterPool.Put(w)
		return nil
	}
	s.mu.Unlock()

	var lead bool
	select {
	case lead = <-w.wake:
	case <-ctx.Done():
		s.mu.Lock()
		waiting := s.forget(w)
		s.mu.Unlock()
		if !waiting {
			if lead = <-w.wake; lead {
				s.handOn()
			}
		}
		waiterPool.Put(w)
		return fmt.Errorf("waiting for the log: %w", ctx.Err())
	}
	waiterPool.Put(w)
	if lead {
		return s.lead(ctx, mark)
	}
	if s.synced.Load() >= mark {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.broken
}

// lead waits for the commits up to mark, then hands the lead on.
func (s *syncer) lead(ctx context.Context, mark uint64) error {
	defer s.handOn()
	for t := s.synced.Load() + 1; t <= mark; t++ {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("waiting for the log: %w", err)
		}
		c := &s.ring[t%ringLen]
		b := c.batch.Load()
		for b == nil {
			s.missing.Store(t)
			if b = c.batch.Load(); b == nil {
				<-s.arrived
				b = c.batch.Load()
			}
		}
		if b != noCommit {
			if err := b.SyncWait(); err != nil {
				s.mu.Lock()
				s.broken = fmt.Errorf("pebblekv: writing the log: %w", err)
				s.mu.Unlock()
				s.fail(err)
				return s.broken
			}
			_ = b.Close() // back to Pebble's pool, which cannot fail
		}
		s.bytes.Add(-c.bytes)
		c.batch.Store(nil)
		s.synced.Store(t)
		if s.least.Load() <= t {
			s.wakeUpTo(t)
		}
	}
	return nil
}

// wakeUpTo wakes the waiters whose marks are synced.
func (s *syncer) wakeUpTo(t uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wakeLocked(t)
}

func (s *syncer) wakeLocked(t uint64) {
	least, n := noWaiter, 0
	for _, w := range s.waiters {
		if w.mark <= t {
			w.wake <- false
			continue
		}
		least = min(least, w.mark)
		s.waiters[n] = w
		n++
	}
	clear(s.waiters[n:])
	s.waiters = s.waiters[:n]
	s.least.Store(least)
}

// handOn gives the lead to the waiter that needs the least.
func (s *syncer) handOn() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken != nil {
		s.wakeLocked(noWaiter)
		s.leading = false
		return
	}
	s.wakeLocked(s.synced.Load())
	next := s.least.Load()
	for _, w := range s.waiters {
		if w.mark == next {
			s.forget(w)
			w.wake <- true
			return
		}
	}
	s.leading = false
}

// forget takes w out of the waiters and reports whether it was there. mu is
// held.
func (s *syncer) forget(w *waiter) bool {
	for i, x := range s.waiters {
		if x == w {
			last := len(s.waiters) - 1
			s.waiters[i], s.waiters[last] = s.waiters[last], nil
			s.waiters = s.waiters[:last]
			least := noWaiter
			for _, x := range s.waiters {
				least = min(least, x.mark)
			}
			s.least.Store(least)
			return true
		}
	}
	return false
}

// marks has, for every stripe of lock names, the newest ticket of a commit
// under one of them. Names that share a stripe only make a reader wait for more.
type marks [1 << markBits]atomic.Uint64

const markBits = 14

func (m *marks) stripe(hash uint64) *atomic.Uint64 { return &m[hash>>(64-markBits)] }

// raise enters a ticket before its commit is applied: who then sees the commit
// sees the ticket.
func (m *marks) raise(hashes []uint64, ticket uint64) {
	for _, h := range hashes {
		s := m.stripe(h)
		for old := s.Load(); old < ticket && !s.CompareAndSwap(old, ticket); old = s.Load() {
		}
	}
}

// read is at least the mark of the newest visible commit under a name, 0 when
// it is synced.
func (m *marks) read(hash, synced uint64) kv.Mark {
	if t := m.stripe(hash).Load(); t > synced {
		return kv.Mark(t)
	}
	return 0
}
