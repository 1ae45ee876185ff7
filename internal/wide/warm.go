package wide

import (
	"log/slog"
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

const (
	// warmCount and warmFor bound the iterators kept between calls: an iterator
	// pins the memtables of its time, which may be large.
	warmCount = 32
	warmFor   = 100 * time.Millisecond
)

// warmIters keeps the iterators of scanners that were read a moment ago, each
// where its next call goes on, which saves that call a seek. The oldest makes
// room for a new one.
type warmIters struct {
	logger *slog.Logger

	mu      sync.Mutex
	kept    [warmCount]warmIter
	next    int
	sweeper bool // a sweep is due
}

type warmIter struct {
	owner *Scanner // nil: free
	it    kv.Iterator
	since time.Time
}

// keep takes over the iterator of a scanner's call.
func (w *warmIters) keep(sc *Scanner, it kv.Iterator) {
	w.mu.Lock()
	slot := w.next
	w.next = (w.next + 1) % warmCount
	old := w.kept[slot].it
	w.kept[slot] = warmIter{owner: sc, it: it, since: time.Now()}
	sc.warmSlot = slot
	if !w.sweeper {
		w.sweeper = true
		time.AfterFunc(warmFor, w.sweep)
	}
	w.mu.Unlock()
	w.close(old)
}

// take gives a scanner its iterator back, or nil.
func (w *warmIters) take(sc *Scanner) kv.Iterator {
	w.mu.Lock()
	defer w.mu.Unlock()
	k := &w.kept[sc.warmSlot]
	if k.owner != sc {
		return nil
	}
	it := k.it
	*k = warmIter{}
	return it
}

// drop closes a scanner's iterator, if it is kept.
func (w *warmIters) drop(sc *Scanner) { w.close(w.take(sc)) }

// sweep closes what was kept for long enough.
func (w *warmIters) sweep() {
	var old [warmCount]kv.Iterator
	n := 0
	w.mu.Lock()
	left := false
	now := time.Now()
	for i := range w.kept {
		k := &w.kept[i]
		switch {
		case k.owner == nil:
		case now.Sub(k.since) >= warmFor:
			old[n] = k.it
			n++
			*k = warmIter{}
		default:
			left = true
		}
	}
	w.sweeper = left
	if left {
		time.AfterFunc(warmFor/2, w.sweep)
	}
	w.mu.Unlock()
	for _, it := range old[:n] {
		w.close(it)
	}
}

func (w *warmIters) close(it kv.Iterator) {
	if it == nil {
		return
	}
	if err := it.Close(); err != nil {
		w.logger.Error("closing the iterator of a scanner", "error", err)
	}
}
