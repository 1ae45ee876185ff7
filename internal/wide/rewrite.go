package wide

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// rewriter keeps rows cheap to read. A row that is written often grows a chain
// of merge operands, and one that grows wide a large packed value; both are
// noticed by readers (in the value) and by writers (by counting), and mended
// here, one row at a time, under the row's lock.
//
// It is best effort: requests are dropped when there are too many, or when the
// engine refuses writes. Nothing but speed and space depends on it.
type rewriter struct {
	s     *Store
	queue chan rewriteRequest
	// writes counts the writes to rows, by hash of the row.
	writes [1 << 14]atomic.Uint32

	mu      sync.Mutex
	pending map[string]struct{}

	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup
}

type rewriteRequest struct {
	table  *catalog.Table
	prefix string
}

const rewriteQueue = 1024

func startRewriter(s *Store) *rewriter {
	w := &rewriter{s: s, queue: make(chan rewriteRequest, rewriteQueue), pending: map[string]struct{}{}}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	w.done.Add(1)
	go w.run()
	return w
}

func (w *rewriter) stop() {
	w.cancel()
	w.done.Wait()
}

func (w *rewriter) run() {
	defer w.done.Done()
	tick := time.NewTicker(max(time.Duration(w.s.nonces.spanMs)*time.Millisecond, time.Second))
	defer tick.Stop()
	for {
		select {
		case <-w.ctx.Done():
			return
		case r := <-w.queue:
			err := w.s.rewriteRow(w.ctx, r.table, []byte(r.prefix))
			w.mu.Lock()
			delete(w.pending, r.prefix)
			w.mu.Unlock()
			w.report("rewriting a row", err)
		case <-tick.C:
			w.report("dropping old nonces", w.s.nonces.expire(w.ctx))
		}
	}
}

func (w *rewriter) report(what string, err error) {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, kv.ErrClosed),
		errors.Is(err, ErrRetired), errors.Is(err, ErrNotServing), errors.Is(err, ErrRowLock):
	default:
		w.s.o.Logger.Warn(what, "error", err)
	}
}

func (w *rewriter) request(t *catalog.Table, prefix []byte) {
	if w.s.engine.Writable() != nil {
		return
	}
	w.mu.Lock()
	_, known := w.pending[string(prefix)]
	if !known && len(w.pending) < rewriteQueue {
		p := string(prefix)
		select {
		case w.queue <- rewriteRequest{t, p}:
			w.pending[p] = struct{}{}
		default:
		}
	}
	w.mu.Unlock()
}

// noteWrite counts a write to a row and asks for a look at it now and then.
func (s *Store) noteWrite(t *catalog.Table, prefix []byte) {
	h := uint64(14695981039346656037)
	for _, b := range prefix {
		h = (h ^ uint64(b)) * 1099511628211
	}
	c := &s.rewrite.writes[(h^h>>32)%uint64(len(s.rewrite.writes))]
	if int(c.Add(1)) >= s.o.ChainLength {
		c.Store(0)
		s.rewrite.request(t, prefix)
	}
}

// watchChain looks at a packed value that was read.
func (s *Store) watchChain(t *catalog.Table, prefix, value []byte) {
	if cell.Long(value) || len(value) > s.o.SpillBytes {
		s.rewrite.request(t, prefix)
	}
}

// rewriteRow rewrites the families of a row that need it.
func (s *Store) rewriteRow(ctx context.Context, t *catalog.Table, prefix []byte) error {
	gate, err := s.enter(t)
	if err != nil {
		return err
	}
	defer gate.RUnlock()
	latch, err := s.latch(ctx, [][]byte{prefix})
	if err != nil {
		return err
	}
	defer latch.Unlock()
	return s.changeRow(t, prefix, latch, func(c *familyChange) (bool, error) {
		if !cell.Long(c.value) && len(c.value) <= s.o.SpillBytes && c.packed.Parts() < cell.MaxParts {
			return false, nil
		}
		return true, c.prune()
	})
}
