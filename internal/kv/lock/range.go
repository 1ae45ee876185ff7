package lock

import (
	"bytes"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/basaltdb/basalt/internal/kv"
)

// rangeTable holds the range locks. They are few, so everything here is a list
// under one mutex, and every release wakes everybody who waits.
//
// A range must meet the names that are locked one by one, whose locking does
// not take mu while there are no ranges. So who wants a range first counts
// itself in n and then looks through all shards; who wants a name first enters
// its shard and then looks at n. One of the two sees the other.
type rangeTable struct {
	n       atomic.Int64 // ranges held or asked for
	waiters atomic.Int64 // owners in or about to enter waiting

	mu      sync.Mutex // guards all below, and waiting.state of range waiters
	held    []rangeLock
	waiting []*owner // in order of arrival
}

type rangeLock struct {
	owner *owner
	mode  kv.LockMode
	r     kv.KeyRange
}

// rangeRequest is a range that is asked for or, if point is set, a name that
// must pass the ranges.
type rangeRequest struct {
	mode kv.LockMode
	r    kv.KeyRange
	name []byte
	// polite requests also wait for the ranges that were asked for before.
	// Owners that hold locks are not: the one in front may wait for them.
	polite bool
	point  bool
}

func contains(r kv.KeyRange, name []byte) bool {
	return bytes.Compare(r.Start, name) <= 0 && (r.End == nil || bytes.Compare(name, r.End) < 0)
}

func overlap(a, b kv.KeyRange) bool {
	return (a.End == nil || bytes.Compare(b.Start, a.End) < 0) && (b.End == nil || bytes.Compare(a.Start, b.End) < 0)
}

func (q *rangeRequest) meets(mode kv.LockMode, r kv.KeyRange) bool {
	if q.mode == kv.LockShared && mode == kv.LockShared {
		return false
	}
	if q.point {
		return contains(r, q.name)
	}
	return overlap(q.r, r)
}

// blockers calls f with the owners that keep o's request from being granted,
// until f returns false. mu is held; with frozen, all shards are, too.
func (t *Table) blockers(o *owner, q *rangeRequest, frozen bool, f func(*owner) bool) bool {
	for i := range t.ranges.held {
		h := &t.ranges.held[i]
		if h.owner != o && q.meets(h.mode, h.r) && !f(h.owner) {
			return false
		}
	}
	if q.polite {
		for _, w := range t.ranges.waiting {
			if w == o {
				break
			}
			if a := &w.wait.request; !a.point && q.meets(a.mode, a.r) && !f(w) {
				return false
			}
		}
	}
	if q.point {
		return true
	}
	for i := range t.shards {
		sh := &t.shards[i]
		if !frozen {
			sh.mu.Lock()
		}
		more := sh.inRange(o, q, f)
		if !frozen {
			sh.mu.Unlock()
		}
		if !more {
			return false
		}
	}
	return true
}

// inRange calls f with the other owners of names that q meets. mu is held.
func (sh *shard) inRange(o *owner, q *rangeRequest, f func(*owner) bool) bool {
	if sh.used == 0 {
		return true
	}
	for i := range sh.slots {
		s := &sh.slots[i]
		if s.owner == nil || (s.mode == kv.LockShared && q.mode == kv.LockShared) || !contains(q.r, s.name) {
			continue
		}
		if s.owner != o && !f(s.owner) {
			return false
		}
		if s.more != nil {
			for _, h := range s.more.holders {
				if h.owner != o && !f(h.owner) {
					return false
				}
			}
		}
	}
	return true
}

// lockRange takes a range.
func (o *owner) lockRange(p *patience, mode kv.LockMode, r kv.KeyRange, holdsOther bool) error {
	t := o.table
	r.Start = bytes.Clone(r.Start)
	r.End = bytes.Clone(r.End)
	t.ranges.n.Add(1)
	err := o.awaitRange(p, rangeRequest{mode: mode, r: r, polite: !holdsOther}, holdsOther)
	if err != nil {
		t.ranges.n.Add(-1)
		t.ranges.released()
	}
	return err
}

// lockGated takes one name with regard to range locks.
func (o *owner) lockGated(p *patience, hash uint64, name []byte, mode kv.LockMode, holdsOther bool) (outcome, error) {
	t := o.table
	for {
		if t.ranges.n.Load() > 0 {
			q := rangeRequest{mode: mode, name: name, polite: !holdsOther, point: true}
			if err := o.awaitRange(p, q, holdsOther); err != nil {
				return conflict, err
			}
		}
		out, err := o.lockPoint(p, hash, name, mode, holdsOther)
		if err != nil || out == already || t.ranges.n.Load() == 0 {
			return out, err
		}
		q := rangeRequest{mode: mode, name: name, point: true}
		t.ranges.mu.Lock()
		free := t.blockers(o, &q, false, func(*owner) bool { return false })
		t.ranges.mu.Unlock()
		if free {
			return out, nil
		}
		// A range was granted between the gate and the name. Back off: nobody
		// has seen the lock.
		sh := t.shard(hash)
		sh.mu.Lock()
		if out == upgraded {
			sh.downgrade(hash)
		} else {
			sh.release(o, hash)
		}
		sh.mu.Unlock()
		t.ranges.released()
	}
}

// awaitRange waits until nothing blocks a request. A range is then held; a name
// has only passed.
func (o *owner) awaitRange(p *patience, q rangeRequest, holdsOther bool) error {
	t := o.table
	rt := &t.ranges
	// Counted before the shards are looked at: who releases a name afterwards
	// wakes this owner.
	rt.waiters.Add(1)
	defer rt.waiters.Add(-1)
	rt.mu.Lock()
	o.wait.kind, o.wait.state = waitRange, stateWaiting
	o.wait.request = q
	queued := false
	var gaveUp error
	for {
		if o.wait.state == stateAborted { // and out of the list
			rt.mu.Unlock()
			return kv.ErrDeadlock
		}
		free := t.blockers(o, &q, false, func(*owner) bool { return false })
		if !free && gaveUp == nil && p.nowait {
			gaveUp = kv.ErrLocked
		}
		if free || gaveUp != nil {
			if queued {
				rt.waiting = slices.DeleteFunc(rt.waiting, func(w *owner) bool { return w == o })
				t.waiting.Add(-1)
			}
			o.wait.blocked.Store(false)
			if free && !q.point {
				rt.held = append(rt.held, rangeLock{o, q.mode, q.r})
			}
			rt.mu.Unlock()
			if free {
				return nil
			}
			return gaveUp
		}
		if !queued {
			queued = true
			o.wait.begin(waitRange)
			rt.waiting = append(rt.waiting, o)
			t.waiting.Add(1)
		}
		rt.mu.Unlock()
		if holdsOther {
			t.breakCycles(o)
		}
		gaveUp = p.sleep(o.wait.wake)
		rt.mu.Lock()
	}
}

// drop gives up all ranges of o.
func (rt *rangeTable) drop(o *owner) {
	rt.mu.Lock()
	n := len(rt.held)
	rt.held = slices.DeleteFunc(rt.held, func(h rangeLock) bool { return h.owner == o })
	n -= len(rt.held)
	rt.mu.Unlock()
	rt.n.Add(int64(-n))
}

// released wakes who waits for or because of ranges, after anything was
// released.
func (rt *rangeTable) released() {
	if rt.waiters.Load() == 0 {
		return
	}
	rt.mu.Lock()
	for _, w := range rt.waiting {
		w.wait.poke()
	}
	rt.mu.Unlock()
}
