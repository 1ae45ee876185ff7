package client

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/basaltdb/basalt/client/internal/rpc"
	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// Op is what a batch is made of: *Get, a Mutation, *RowMutations or
// *CheckAndMutate.
type Op interface {
	rowKey() []byte
	check() error
}

// BatchResult is what became of one operation of a batch.
type BatchResult struct {
	// Result is what a get read, or the new values of increments and appends.
	// It is nil otherwise, and when Err is not.
	Result *Result
	// Processed: the operation was done. It is false without an error only for
	// a CheckAndMutate whose condition did not hold.
	Processed bool
	// Err tells why it was not done; ErrUndetermined, that it may have been.
	Err error
}

// BatchError tells that some operations of a batch failed; its cause is the
// error of the first of them.
type BatchError struct {
	Failed, Total int
	First         error
}

func (e *BatchError) Error() string {
	return fmt.Sprintf("%d of %d operations failed, the first: %v", e.Failed, e.Total, e.First)
}

func (e *BatchError) Unwrap() error { return e.First }

// Batch carries out many operations, with one call to each server for all it
// has to do with. They are not one transaction: each is done, or fails, by
// itself, and their order is kept only among mutations of one row. The results
// are in the order of ops; the error is nil when all were done, else a
// *BatchError.
func (t *Table) Batch(ctx context.Context, ops []Op) ([]BatchResult, error) {
	results := make([]BatchResult, len(ops))
	return results, t.run(ctx, "batch", ops, results)
}

// run is Batch with results to fill, which are empty.
func (t *Table) run(ctx context.Context, name string, ops []Op, results []BatchResult) error {
	b := batch{t: t, name: name, ops: ops, results: results, a: t.c.attemptsAt(ctx, t)}
	pending := make([]int, 0, len(ops))
	for i, o := range ops {
		if err := o.check(); err != nil {
			results[i].Err = t.opError(name, o.rowKey(), 0, err)
			continue
		}
		pending = append(pending, i)
	}
	for len(pending) > 0 {
		pending = b.round(pending)
	}
	var e BatchError
	for i := range results {
		if err := results[i].Err; err != nil {
			if results[i].Result = nil; e.First == nil {
				e.First = err
			}
			e.Failed++
		}
	}
	if e.Failed == 0 {
		return nil
	}
	e.Total = len(ops)
	return &e
}

// batch is a batch under way.
type batch struct {
	t       *Table
	name    string
	ops     []Op
	results []BatchResult
	a       attempts

	mu    sync.Mutex // guards the rest: what the current round left to be done again
	again []int
	worst reaction
	why   error
}

// end gives an operation its last error.
func (b *batch) end(place int, err error) {
	b.results[place] = BatchResult{Err: b.t.opError(b.name, b.ops[place].rowKey(), b.a.n, err)}
}

// round tries the pending operations, and returns those to try again, after the
// pause that is due.
func (b *batch) round(pending []int) []int {
	if err := b.a.begin(); err != nil {
		for _, place := range pending {
			b.end(place, err)
		}
		return nil
	}
	b.again, b.worst, b.why = nil, reaction{}, nil
	requests := b.requests(b.locate(pending))
	if len(requests) == 1 {
		b.send(requests[0])
	} else {
		var wg sync.WaitGroup
		for _, m := range requests {
			wg.Go(func() { b.send(m) })
		}
		wg.Wait()
	}
	if len(b.again) == 0 {
		return nil
	}
	if err := b.a.failed(b.why, b.worst); err != nil {
		for _, place := range b.again {
			b.end(place, err)
		}
		return nil
	}
	return b.again
}

// failed takes the error of one operation. g is the region that was asked, nil
// if it came to none.
func (b *batch) failed(place int, g *region, err error) {
	r := react(err)
	b.mu.Lock()
	defer b.mu.Unlock()
	if g != nil {
		b.t.failedAt(g, r, err)
	}
	if !r.retry || maybeDone(err) && !repeatable(b.ops[place]) {
		if maybeDone(err) && !repeatable(b.ops[place]) {
			err = &undetermined{b.a.cause(err)}
		} else if b.t.c.ctx.Err() != nil {
			err = ErrClosed
		} else {
			err = b.a.cause(err)
		}
		b.end(place, err)
		return
	}
	b.again = append(b.again, place)
	if b.why == nil || r.pause > b.worst.pause {
		b.why, b.worst = err, r
	}
}

// repeatable tells whether an operation may be sent again after it may have been
// done; increments and appends carry a nonce.
func repeatable(o Op) bool {
	switch o := o.(type) {
	case *CheckAndMutate:
		return false
	case *RowMutations:
		return !o.counts()
	}
	return true
}

// locate finds the regions of the pending operations. Those whose region cannot
// be found have failed.
func (b *batch) locate(pending []int) map[*server]*serverShare {
	shares := make(map[*server]*serverShare)
	var gone error // why nothing more is looked up in this round
	var unserved []*regionError
	for _, place := range pending {
		row := b.ops[place].rowKey()
		g, err := b.t.cache.find(row), gone
		for _, e := range unserved {
			if err == nil && e.g.has(row) {
				err = e
			}
		}
		if g == nil && err == nil {
			err = b.a.bounded(func(ctx context.Context) (err error) {
				g, err = b.t.locate(ctx, row, true)
				return err
			})
			var one *regionError
			switch {
			case err == nil:
			case errors.As(err, &one):
				unserved = append(unserved, one)
			default:
				gone = err
			}
		}
		if g == nil {
			b.failed(place, nil, err)
			continue
		}
		s := shares[g.server]
		if s == nil {
			s = &serverShare{regions: make(map[*region]*regionShare)}
			shares[g.server] = s
		}
		s.add(g, b.ops[place], place)
	}
	return shares
}

// serverShare is what one server has to do, by region, in order of appearance.
type serverShare struct {
	regions map[*region]*regionShare
	order   []*regionShare
	last    *regionShare
}

// regionShare is what one region has to do.
type regionShare struct {
	g       *region
	plain   []int
	singles []int
}

func (s *serverShare) add(g *region, o Op, place int) {
	if s.last == nil || s.last.g != g {
		if s.last = s.regions[g]; s.last == nil {
			s.last = &regionShare{g: g}
			s.regions[g] = s.last
			s.order = append(s.order, s.last)
		}
	}
	switch o.(type) {
	case *RowMutations, *CheckAndMutate:
		s.last.singles = append(s.last.singles, place)
	default:
		s.last.plain = append(s.last.plain, place)
	}
}

// requests builds the calls to send, parted where they get too large.
func (b *batch) requests(shares map[*server]*serverShare) []*multi {
	var all []*multi
	limit := b.t.c.config.MaxBatchBytes
	for s, share := range shares {
		m := &multi{server: s}
		finish := func() {
			if len(m.parts) > 0 {
				m.message = pb.AppendMultiNonceGroup(m.message, b.t.c.nonceGroup)
				all = append(all, m)
				m = &multi{server: s}
			}
		}
		for _, r := range share.order {
			for from := 0; from < len(r.plain); {
				to, bytes := from, m.size()
				for to < len(r.plain) && (bytes < limit || to == from) {
					bytes += opSize(b.ops[r.plain[to]])
					to++
				}
				m.addPlain(r.g, b.ops, r.plain[from:to])
				if from = to; m.size() >= limit {
					finish()
				}
			}
			for _, place := range r.singles {
				if m.addSingle(r.g, b.ops[place], place); m.size() >= limit {
					finish()
				}
			}
		}
		finish()
	}
	return all
}

func opSize(o Op) int {
	switch o := o.(type) {
	case *Get:
		return 64 + len(o.g.Row)
	case Mutation:
		return o.base().size()
	}
	return 64
}

// send carries out one call.
func (b *batch) send(m *multi) {
	response, err := b.exchange(m)
	if err != nil {
		for _, p := range m.parts {
			for _, place := range m.actions[p.from:p.to] {
				b.failed(place, p.g, err)
			}
		}
		return
	}
	m.decode(response, b.ops, b.results, b.failed)
}

func (b *batch) exchange(m *multi) (rpc.Response, error) {
	release, err := b.place(m.server)
	if err != nil {
		return rpc.Response{}, err
	}
	defer release()
	conn, err := m.server.conn(b.a.ctx, &b.a)
	if err != nil {
		return rpc.Response{}, err
	}
	response, err := conn.Do(b.a.ctx, &rpc.Request{
		Method: "Multi", Message: m.message, Cells: m.cells, Deadline: b.a.callDeadline(),
	})
	if err != nil {
		return response, fromRPC(err, m.server.addr)
	}
	return response, nil
}

// place waits for the right to have a batch call in flight.
func (b *batch) place(s *server) (release func(), err error) {
	if b.t.c.batches == nil && s.batches == nil {
		return func() {}, nil
	}
	err = b.a.bounded(func(ctx context.Context) error {
		if err := acquire(ctx, b.t.c.batches); err != nil {
			return err
		}
		if err := acquire(ctx, s.batches); err != nil {
			free(b.t.c.batches)
			return err
		}
		return nil
	})
	return func() {
		free(s.batches)
		free(b.t.c.batches)
	}, err
}

func acquire(ctx context.Context, places chan struct{}) error {
	if places == nil {
		return nil
	}
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func free(places chan struct{}) {
	if places != nil {
		<-places
	}
}
