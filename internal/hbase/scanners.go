package hbase

import (
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/wide"
)

// maxClosedRemembered bounds one generation of the memory of closed scanners.
const maxClosedRemembered = 128 << 10

// openScanner is a scanner between its first and its last call. Whoever
// acquired it owns it; otherwise it is in the table's list of idle ones.
type openScanner struct {
	id     uint64
	sc     *wide.Scanner
	region *catalog.Region // nil: a virtual table's
	// nextSeq is the next_call_seq that the next call must carry, if it carries
	// one.
	nextSeq uint64
	// maxBytes is the max_result_size of the scan, 0 if it has none; batched and
	// needCursor are its batch_size > 0 and need_cursor_result.
	maxBytes   int64
	needCursor bool

	busy       bool
	expires    time.Time
	prev, next *openScanner
}

// scannerTable holds the open scanners and their leases. A lease runs while a
// scanner is idle; all leases are equally long, so that the idle list is in
// order of expiry.
type scannerTable struct {
	lease time.Duration
	max   int
	now   func() time.Time

	mu     sync.Mutex
	shut   bool
	nextID uint64
	open   map[uint64]*openScanner
	idle   openScanner // list head: next expires first
	// closed remembers, for one to two leases, which sequence number a closed
	// scanner would have expected: a client may send one more call to a scanner
	// that the server ended, and that is not an error; a repeated call is.
	closed      [2]map[uint64]uint64
	closedSince time.Time
}

func newScannerTable(lease time.Duration, max int, now func() time.Time) *scannerTable {
	t := &scannerTable{
		lease: lease,
		max:   max,
		now:   now,
		// Ids are never used again, not by the next process either: a
		// millisecond has a million of them, more than a process can give out.
		nextID:      uint64(now().UnixMilli()) << 20,
		open:        map[uint64]*openScanner{},
		closed:      [2]map[uint64]uint64{{}, {}},
		closedSince: now(),
	}
	t.idle.prev, t.idle.next = &t.idle, &t.idle
	return t
}

// add takes in a new scanner, busy with its first call.
func (t *scannerTable) add(s *openScanner) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return rpc.Retryf(classRegionServerStopped, "server is stopping")
	}
	if len(t.open) >= t.max {
		e := rpc.Retryf(classCallQueueTooBig, "too many open scanners: %d, the limit", t.max)
		e.Overloaded = true
		return e
	}
	s.id, s.busy = t.nextID, true
	t.nextID++
	t.open[s.id] = s
	return nil
}

// acquire hands out an idle scanner and stops its lease. It returns nil without
// an error for a scanner that was closed and may be asked once more: the answer
// is an empty one.
func (t *scannerTable) acquire(id uint64, seq uint64, hasSeq bool) (*openScanner, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.open[id]
	if s == nil {
		expected, ok := t.closed[0][id]
		if !ok {
			expected, ok = t.closed[1][id]
		}
		switch {
		case !ok:
			return nil, unknownScanner(id)
		case hasSeq && seq != expected:
			return nil, outOfOrder(expected, seq)
		}
		return nil, nil
	}
	if s.busy {
		return nil, rpc.Errorf(classLease, "lease '%d' does not exist", id)
	}
	s.busy = true
	s.prev.next, s.next.prev = s.next, s.prev
	s.prev, s.next = nil, nil
	return s, nil
}

// release starts the lease anew.
func (t *scannerTable) release(s *openScanner) {
	t.mu.Lock()
	if t.shut {
		t.mu.Unlock()
		s.sc.Close()
		return
	}
	s.busy = false
	s.expires = t.now().Add(t.lease)
	s.prev, s.next = t.idle.prev, &t.idle
	s.prev.next, s.next.prev = s, s
	t.mu.Unlock()
}

// end closes an acquired scanner for good. One that failed is not remembered:
// a further call must not look like the end of its rows.
func (t *scannerTable) end(s *openScanner, failed bool) {
	t.mu.Lock()
	delete(t.open, s.id)
	if failed {
		t.mu.Unlock()
		s.sc.Close()
		return
	}
	now := t.now()
	if now.Sub(t.closedSince) >= t.lease || len(t.closed[0]) >= maxClosedRemembered {
		t.closed[0], t.closed[1] = t.closed[1], t.closed[0]
		clear(t.closed[0])
		t.closedSince = now
	}
	t.closed[0][s.id] = s.nextSeq
	t.mu.Unlock()
	s.sc.Close()
}

// expire closes the scanners whose lease has run out and tells how many.
func (t *scannerTable) expire() int {
	t.mu.Lock()
	now := t.now()
	var late *openScanner
	n := 0
	for s := t.idle.next; s != &t.idle && !now.Before(s.expires); n++ {
		next := s.next
		delete(t.open, s.id)
		s.busy = true
		s.prev, s.next, late = nil, late, s
		s = next
		t.idle.next, next.prev = next, &t.idle
	}
	t.mu.Unlock()
	for s := late; s != nil; s = s.next {
		s.sc.Close()
	}
	return n
}

// sweep expires leases until stop is closed.
func (t *scannerTable) sweep(stop <-chan struct{}) {
	tick := time.NewTicker(min(max(t.lease/20, 5*time.Millisecond), time.Second))
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return
		case <-tick.C:
			t.expire()
		}
	}
}

// close ends all idle scanners; the busy ones end with their call.
func (t *scannerTable) close() {
	t.mu.Lock()
	t.shut = true
	var idle []*openScanner
	for s := t.idle.next; s != &t.idle; s = s.next {
		idle = append(idle, s)
	}
	t.idle.prev, t.idle.next = &t.idle, &t.idle
	clear(t.open)
	t.mu.Unlock()
	for _, s := range idle {
		s.sc.Close()
	}
}

// count is the number of open scanners.
func (t *scannerTable) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.open)
}

func unknownScanner(id uint64) *rpc.Error {
	return rpc.Errorf(classUnknownScanner, "Unknown scanner '%d': its id is wrong, its lease ran out between two calls, or the server was restarted. "+
		"A longer lease (scanner timeout) helps clients that are slow between calls.", id)
}

func outOfOrder(expected, got uint64) *rpc.Error {
	return rpc.Errorf(classOutOfOrder, "Expected nextCallSeq: %d But the nextCallSeq got from client: %d", expected, got)
}
