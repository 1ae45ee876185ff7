package lock

import "slices"

// breakCycles looks for cycles of owners that wait for each other through o,
// which has just begun to wait, and aborts a transaction of each. Every owner
// does so when it begins to wait, so the last one that closes a cycle finds it.
//
// The whole table stands still meanwhile: an exact picture, no false deadlocks.
// That is affordable because it is only done where a holder waits itself.
func (t *Table) breakCycles(o *owner) {
	t.ranges.mu.Lock()
	for i := range t.shards {
		t.shards[i].mu.Lock()
	}
	for o.wait.blocked.Load() {
		s := search{table: t, target: o, seen: map[*owner]bool{}}
		if !s.visit(o) {
			break
		}
		victim := o
		if !o.txn {
			// Latches among themselves have no cycles.
			i := slices.IndexFunc(s.path, func(x *owner) bool { return x.txn })
			if i < 0 {
				panic("lock: deadlock among latches")
			}
			victim = s.path[i]
		}
		t.abort(victim)
	}
	for i := range t.shards {
		t.shards[i].mu.Unlock()
	}
	t.ranges.mu.Unlock()
}

type search struct {
	table  *Table
	target *owner
	seen   map[*owner]bool
	path   []*owner
}

// visit follows what o waits for and reports whether that leads to the target;
// path then has the cycle's members.
func (s *search) visit(o *owner) bool {
	if !o.wait.blocked.Load() || s.seen[o] {
		return false
	}
	s.seen[o] = true
	s.path = append(s.path, o)
	found := false
	s.table.waitsFor(o, func(b *owner) bool {
		found = b == s.target || s.visit(b)
		return !found
	})
	if !found {
		s.path = s.path[:len(s.path)-1]
	}
	return found
}

// waitsFor calls f with the owners that o waits for until f returns false.
// Everything is locked.
func (t *Table) waitsFor(o *owner, f func(*owner) bool) {
	w := &o.wait
	if w.kind == waitRange {
		t.blockers(o, &w.request, true, f)
		return
	}
	s := t.shard(w.hash).find(w.hash)
	if s.owner != o && !f(s.owner) {
		return
	}
	for _, h := range s.more.holders {
		if h.owner != o && !f(h.owner) {
			return
		}
	}
	for x := s.more.head; x != o; x = x.wait.next {
		if !f(x) {
			return
		}
	}
}

// abort ends a transaction's wait with ErrDeadlock. Everything is locked.
func (t *Table) abort(o *owner) {
	t.deadlocks.Add(1)
	if o.wait.kind == waitRange {
		t.ranges.waiting = slices.DeleteFunc(t.ranges.waiting, func(w *owner) bool { return w == o })
		t.waiting.Add(-1)
	} else {
		t.shard(o.wait.hash).dequeue(o)
	}
	o.wait.end(stateAborted)
	// Politeness may have kept others waiting behind it.
	for _, w := range t.ranges.waiting {
		w.wait.poke()
	}
}
