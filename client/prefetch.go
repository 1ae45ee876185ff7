package client

import (
	"context"
	"math"
	"sync"
	"time"
)

// prefetcher fetches rows in a goroutine of its own, ahead of who takes them.
type prefetcher struct {
	r      *Scanner
	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup

	byCount  bool
	maxRows  int // by count: fetch only below half of it
	maxBytes int // fetch until it is reached, again from half of it on

	mu     sync.Mutex
	queue  []fetched
	rows   int  // in queue
	bytes  int  // in queue
	dry    bool // the queue was empty when a reader came, since the last fetch began
	ended  bool
	err    error
	filled chan struct{} // has room for one: something was added, or it ended
	taken  chan struct{} // has room for one: something was taken
}

type fetched struct {
	rows  []Result
	bytes int
}

// pollInterval is how long a scanner in PrefetchCount mode sleeps when it has
// run dry.
const pollInterval = time.Millisecond

func (r *Scanner) startPrefetch() {
	p := &prefetcher{
		r: r, byCount: r.scan.mode == PrefetchCount,
		maxRows: math.MaxInt, maxBytes: 2 * int(min(r.scan.s.MaxResultSize, math.MaxInt32)),
		filled: make(chan struct{}, 1), taken: make(chan struct{}, 1),
	}
	if p.byCount {
		// Half of this must be less than one fetch returns, or the next fetch
		// would not wait for this one's rows.
		if r.scan.caching > 0 {
			p.maxRows = 2*r.scan.caching + 1
		}
	}
	p.ctx, p.cancel = context.WithCancel(r.t.c.ctx)
	r.prefetch = p
	p.done.Go(p.run)
}

func (p *prefetcher) stop() {
	p.cancel()
	p.done.Wait()
}

// run fetches until the end of the scan. A reader that waits for rows is waiting
// for the network or the server: larger fetches make it wait less.
func (p *prefetcher) run() {
	for first := true; ; first = false {
		p.mu.Lock()
		grow := p.dry && !first && !p.byCount
		p.dry = false
		p.mu.Unlock()
		if grow {
			p.r.cursor.grow()
		}
		rows, err := p.r.fetch(p.ctx)
		p.mu.Lock()
		if len(rows) > 0 {
			f := fetched{rows, p.r.cursor.bytes}
			p.queue = append(p.queue, f)
			p.rows += len(rows)
			p.bytes += f.bytes
		}
		if err != nil || len(rows) == 0 {
			p.ended, p.err = true, err
		}
		ended := p.ended
		wait := p.full()
		p.mu.Unlock()
		notify(p.filled)
		if ended {
			return
		}
		for wait {
			select {
			case <-p.taken:
			case <-p.ctx.Done():
				p.mu.Lock()
				p.ended, p.err = true, ErrClosed
				p.mu.Unlock()
				notify(p.filled)
				return
			}
			p.mu.Lock()
			wait = !p.low()
			p.mu.Unlock()
		}
	}
}

// full: there is enough at hand; with mu.
func (p *prefetcher) full() bool {
	if p.byCount {
		return p.rows >= p.maxRows/2 || p.bytes >= p.maxBytes
	}
	return p.bytes >= p.maxBytes
}

// low: it is time to fetch again; with mu.
func (p *prefetcher) low() bool {
	if p.byCount {
		return p.rows < max(p.maxRows/2, 1) && p.bytes < p.maxBytes
	}
	return p.bytes <= p.maxBytes/2
}

func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take returns the rows of the oldest fetch, and waits for them if it must. None
// is the end.
func (p *prefetcher) take(ctx context.Context) ([]Result, error) {
	for {
		p.mu.Lock()
		if len(p.queue) > 0 {
			f := p.queue[0]
			p.queue[0] = fetched{}
			p.queue = p.queue[1:]
			p.rows -= len(f.rows)
			p.bytes -= f.bytes
			p.mu.Unlock()
			notify(p.taken)
			return f.rows, nil
		}
		ended, err := p.ended, p.err
		p.dry = true
		p.mu.Unlock()
		if ended {
			return nil, err
		}
		if err := p.wait(ctx); err != nil {
			return nil, p.r.t.opError("scan", nil, 0, err)
		}
	}
}

// wait waits until something may have been added.
func (p *prefetcher) wait(ctx context.Context) error {
	if p.byCount {
		return p.r.t.c.sleep(ctx, pollInterval)
	}
	select {
	case <-p.filled:
		return nil
	case <-ctx.Done():
		return (&attempts{ctx: ctx}).cause(nil)
	}
}
