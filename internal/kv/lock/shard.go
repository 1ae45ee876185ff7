package lock

import (
	"sync"

	"github.com/basaltdb/basalt/internal/kv"
)

const minSlots = 16

// slot is one locked name, or free (owner == nil).
type slot struct {
	hash  uint64
	owner *owner // the exclusive holder, or one of the shared holders
	name  []byte // as that holder gave it; its memory belongs to the holder
	mode  kv.LockMode
	more  *queue // the other holders and the waiters; nil without any
}

// queue is the part of a slot that only contended or shared locks need.
type queue struct {
	holders    []holder // shared ones besides slot.owner
	head, tail *owner   // waiters, linked by waiting.next, first to be granted first
	nextFree   *queue
}

type holder struct {
	owner *owner
	name  []byte
}

// shard is an open-addressing hash table with linear probing of the names whose
// hashes start with its index.
type shard struct {
	mu    sync.Mutex // guards all below and waiting.state of the point waiters in its queues
	slots []slot     // a power of two of them
	used  int
	free  *queue
	_     [64]byte // keeps neighbours' mutexes off one cache line
}

// find returns the slot of a hash: the one that holds it or the free one where
// it belongs.
func (sh *shard) find(hash uint64) *slot {
	mask := uint64(len(sh.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := &sh.slots[i]
		if s.owner == nil || s.hash == hash {
			return s
		}
	}
}

// remove frees a slot and moves later ones of its probe sequence up.
func (sh *shard) remove(s *slot) {
	if s.more != nil {
		q := s.more
		clear(q.holders)
		q.holders, q.head, q.tail = q.holders[:0], nil, nil
		q.nextFree, sh.free = sh.free, q
	}
	mask := uint64(len(sh.slots) - 1)
	hole := s.hash & mask
	for &sh.slots[hole] != s {
		hole = (hole + 1) & mask
	}
	for i := (hole + 1) & mask; sh.slots[i].owner != nil; i = (i + 1) & mask {
		home := sh.slots[i].hash & mask
		// A slot may move into the hole unless its home lies after the hole.
		if (i-home)&mask >= (i-hole)&mask {
			sh.slots[hole] = sh.slots[i]
			hole = i
		}
	}
	sh.slots[hole] = slot{}
	sh.used--
}

func (sh *shard) grow() {
	old := sh.slots
	sh.slots = make([]slot, 2*len(old))
	for i := range old {
		if old[i].owner != nil {
			*sh.find(old[i].hash) = old[i]
		}
	}
}

func (sh *shard) queueOf(s *slot) *queue {
	if s.more == nil {
		if q := sh.free; q != nil {
			sh.free, q.nextFree = q.nextFree, nil
			s.more = q
		} else {
			s.more = new(queue)
		}
	}
	return s.more
}

// outcome of a request that does not wait.
type outcome uint8

const (
	granted  outcome = iota // held now, not before
	already                 // held before, at least as strong
	upgraded                // held shared before, exclusive now
	conflict                // not held as asked
)

// acquire tries to take a name. mu is held.
func (sh *shard) acquire(o *owner, hash uint64, name []byte, mode kv.LockMode) outcome {
	s := sh.find(hash)
	if s.owner == nil {
		if sh.used >= len(sh.slots)/4*3 {
			sh.grow()
			s = sh.find(hash)
		}
		sh.used++
		s.hash, s.owner, s.name, s.mode = hash, o, name, mode
		return granted
	}
	if s.holds(o) {
		switch {
		case mode == kv.LockShared || s.mode == kv.LockExclusive:
			return already
		case s.more == nil || len(s.more.holders) == 0:
			s.mode = kv.LockExclusive
			return upgraded
		}
		return conflict
	}
	if mode == kv.LockShared && s.mode == kv.LockShared && (s.more == nil || s.more.head == nil) {
		q := sh.queueOf(s)
		q.holders = append(q.holders, holder{o, name})
		return granted
	}
	return conflict
}

func (s *slot) holds(o *owner) bool {
	if s.owner == o {
		return true
	}
	if s.more != nil {
		for i := range s.more.holders {
			if s.more.holders[i].owner == o {
				return true
			}
		}
	}
	return false
}

// enqueue makes o wait for a name that acquire refused. It reports whether a
// holder of the name waits itself, without which no deadlock is possible.
// mu is held.
func (sh *shard) enqueue(o *owner, hash uint64, name []byte, mode kv.LockMode) (holderWaits bool) {
	s := sh.find(hash)
	q := sh.queueOf(s)
	w := &o.wait
	w.begin(waitPoint)
	w.hash, w.name, w.mode = hash, name, mode
	w.upgrade = s.holds(o)
	if w.upgrade {
		// Behind the other upgraders, before everybody else.
		var after *owner
		for x := q.head; x != nil && x.wait.upgrade; x = x.wait.next {
			after = x
		}
		q.insertAfter(after, o)
	} else {
		q.insertAfter(q.tail, o)
	}
	// The owner counts as blocked (begin) before it looks at the others: of two
	// owners that block each other at the same time, one at least sees it.
	if s.owner != o && s.owner.wait.blocked.Load() {
		return true
	}
	for _, h := range q.holders {
		if h.owner != o && h.owner.wait.blocked.Load() {
			return true
		}
	}
	return false
}

func (q *queue) insertAfter(at, o *owner) {
	if at == nil {
		o.wait.prev, o.wait.next = nil, q.head
		q.head = o
	} else {
		o.wait.prev, o.wait.next = at, at.wait.next
		at.wait.next = o
	}
	if o.wait.next == nil {
		q.tail = o
	} else {
		o.wait.next.wait.prev = o
	}
}

func (q *queue) unlink(o *owner) {
	w := &o.wait
	if w.prev == nil {
		q.head = w.next
	} else {
		w.prev.wait.next = w.next
	}
	if w.next == nil {
		q.tail = w.prev
	} else {
		w.next.wait.prev = w.prev
	}
	w.prev, w.next = nil, nil
}

// dequeue takes back o's waiting request. mu is held.
func (sh *shard) dequeue(o *owner) {
	s := sh.find(o.wait.hash)
	s.more.unlink(o)
	sh.grant(s)
}

// release gives up what o holds of a name. mu is held.
func (sh *shard) release(o *owner, hash uint64) {
	s := sh.find(hash)
	if s.more == nil {
		sh.remove(s)
		return
	}
	q := s.more
	if s.owner != o {
		for i := range q.holders {
			if q.holders[i].owner == o {
				last := len(q.holders) - 1
				q.holders[i], q.holders[last] = q.holders[last], holder{}
				q.holders = q.holders[:last]
				break
			}
		}
	} else if last := len(q.holders) - 1; last >= 0 {
		s.owner, s.name = q.holders[last].owner, q.holders[last].name
		q.holders[last] = holder{}
		q.holders = q.holders[:last]
	} else if q.head == nil {
		sh.remove(s)
		return
	} else {
		w := q.head
		q.unlink(w)
		s.owner, s.name, s.mode = w, w.wait.name, w.wait.mode
		w.wait.end(stateGranted)
	}
	sh.grant(s)
}

// downgrade turns o's exclusive lock back into a shared one. mu is held.
func (sh *shard) downgrade(hash uint64) {
	s := sh.find(hash)
	s.mode = kv.LockShared
	if s.more != nil {
		sh.grant(s)
	}
}

// grant gives a held slot to the waiters in front that can share it with its
// holders.
func (sh *shard) grant(s *slot) {
	q := s.more
	for q.head != nil {
		w := q.head
		switch {
		case w.wait.upgrade:
			if len(q.holders) > 0 {
				return
			}
			s.mode = kv.LockExclusive
		case s.mode == kv.LockShared && w.wait.mode == kv.LockShared:
			q.holders = append(q.holders, holder{w, w.wait.name})
		default:
			return
		}
		q.unlink(w)
		w.wait.end(stateGranted)
	}
}
