package wide

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

// readPoints numbers the snapshots that scanners hold, so that a client that
// opens a region again in the middle of a row can ask for the same state.
type readPoints struct {
	next atomic.Uint64
	mu   sync.Mutex
	open map[uint64]*readPoint
}

// readPoint is a snapshot shared by scanners.
type readPoint struct {
	number uint64
	snap   kv.Snapshot
	taken  time.Time
	refs   int // guarded by readPoints.mu
}

// take pins the state of now, or shares the numbered one if it is still held.
func (p *readPoints) take(e kv.Engine, number uint64) *readPoint {
	if number != 0 {
		p.mu.Lock()
		if r := p.open[number]; r != nil {
			r.refs++
			p.mu.Unlock()
			return r
		}
		p.mu.Unlock()
	}
	r := &readPoint{number: p.next.Add(1), snap: e.Snapshot(), taken: time.Now(), refs: 1}
	p.mu.Lock()
	if p.open == nil {
		p.open = map[uint64]*readPoint{}
	}
	p.open[r.number] = r
	p.mu.Unlock()
	return r
}

func (p *readPoints) release(r *readPoint) error {
	p.mu.Lock()
	r.refs--
	last := r.refs == 0
	if last {
		delete(p.open, r.number)
	}
	p.mu.Unlock()
	if last {
		return r.snap.Close()
	}
	return nil
}
