package client

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// MutatorConfig sets how a BufferedMutator behaves. The zero value of each field
// stands for its default.
type MutatorConfig struct {
	// BufferBytes is how much gathers before it is sent. Default: 2 MiB.
	BufferBytes int
	// MaxPendingBytes bounds what was added and not yet acknowledged; Add waits
	// there. Default: twice BufferBytes.
	MaxPendingBytes int
	// FlushInterval sends what has gathered that long, full or not. Default: only
	// when it is full.
	FlushInterval time.Duration
	// OnError, if set, is told each mutation that failed, one at a time and from
	// any goroutine; it must not call the mutator. Flush and Close then return
	// no error for it.
	OnError func(FailedMutation)
}

// FailedMutation is a mutation that was not done, and why.
type FailedMutation struct {
	Mutation Mutation
	Err      error
}

// maxFailed is how many failed mutations gather before Add reports them.
const maxFailed = 1 << 14

// MutatorError holds the mutations that failed since the last Flush.
type MutatorError struct {
	Failed []FailedMutation
}

func (e *MutatorError) Error() string {
	return fmt.Sprintf("%d mutations failed, the first: %v", len(e.Failed), e.Failed[0].Err)
}

// Unwrap is the error of the first.
func (e *MutatorError) Unwrap() error { return e.Failed[0].Err }

// BufferedMutator sends mutations in batches, in the background. It is safe for
// concurrent use. Mutations of one row keep the order in which they were added.
//
// What was added is not written before Flush or Close has returned, or the
// mutation's batch was done in the background.
type BufferedMutator struct {
	t      *Table
	config MutatorConfig
	ctx    context.Context
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu       sync.Mutex
	buffer   []Mutation
	bytes    int // in buffer
	pending  int // bytes in buffer and in the batch under way
	added    uint64
	acked    uint64 // of added, those whose batch has ended
	wanted   uint64 // flush at least up to here
	since    time.Time
	failed   []FailedMutation
	closed   bool
	gaveUp   error         // why Close did not wait for the rest
	work     chan struct{} // has room for one: the sender should look
	progress chan struct{} // closed and replaced when a batch has ended
}

// Mutator makes a buffered mutator of the table. It has to be closed.
func (t *Table) Mutator(config MutatorConfig) *BufferedMutator {
	if config.BufferBytes <= 0 {
		config.BufferBytes = 2 << 20
	}
	if config.MaxPendingBytes <= 0 {
		config.MaxPendingBytes = 2 * config.BufferBytes
	}
	b := &BufferedMutator{
		t: t, config: config, work: make(chan struct{}, 1), progress: make(chan struct{}),
	}
	b.ctx, b.cancel = context.WithCancel(t.c.ctx)
	b.done.Go(b.run)
	return b
}

// Add adds mutations. It waits while too much is pending. Mutations that cannot
// be sent at all, and those that no longer found room when the context ended,
// are refused with an error; those before them were added. When very many have
// failed and nobody flushes, Add returns them as a *MutatorError and adds none.
func (b *BufferedMutator) Add(ctx context.Context, mutations ...Mutation) error {
	for _, m := range mutations {
		if err := m.check(); err != nil {
			return b.t.opError("buffered mutation", m.Row(), 0, err)
		}
		if err := b.add(ctx, m); err != nil {
			return b.t.opError("buffered mutation", m.Row(), 0, err)
		}
	}
	return nil
}

func (b *BufferedMutator) add(ctx context.Context, m Mutation) error {
	size := m.base().size()
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed && b.pending > 0 && b.pending+size > b.config.MaxPendingBytes {
		b.wanted = b.added
		if err := b.wait(ctx); err != nil {
			return err
		}
	}
	if b.closed {
		return ErrClosed
	}
	if len(b.failed) > maxFailed {
		return b.takeFailed()
	}
	if len(b.buffer) == 0 {
		b.since = time.Now()
	}
	b.buffer = append(b.buffer, m)
	b.bytes += size
	b.pending += size
	b.added++
	if b.bytes >= b.config.BufferBytes || len(b.buffer) == 1 && b.config.FlushInterval > 0 {
		notify(b.work)
	}
	return nil
}

// wait rouses the sender and waits, without mu, for the end of a batch.
func (b *BufferedMutator) wait(ctx context.Context) error {
	notify(b.work)
	progress := b.progress
	b.mu.Unlock()
	defer b.mu.Lock()
	select {
	case <-progress:
		return nil
	case <-ctx.Done():
		return (&attempts{ctx: ctx}).cause(nil)
	case <-b.ctx.Done():
		return ErrClosed
	}
}

// Flush sends all that was added before, and waits until it was answered. The
// error is a *MutatorError when mutations failed, those before this Flush in the
// background too; they are not sent again.
func (b *BufferedMutator) Flush(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	upTo := b.added
	b.wanted = max(b.wanted, upTo)
	for b.acked < upTo {
		if err := b.wait(ctx); err != nil {
			return b.t.opError("flush", nil, 0, err)
		}
	}
	return b.takeFailed()
}

// takeFailed returns the failures since the last time, nil when there are none;
// with mu.
func (b *BufferedMutator) takeFailed() error {
	if len(b.failed) == 0 {
		return nil
	}
	e := &MutatorError{b.failed}
	b.failed = nil
	return e
}

// Pending is about how many bytes were added and not yet acknowledged.
func (b *BufferedMutator) Pending() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.pending
}

// Close refuses further mutations and flushes. When the context ends before all
// was sent, the rest is given up: its mutations are in the *MutatorError.
func (b *BufferedMutator) Close(ctx context.Context) error {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	err := b.Flush(ctx)
	var e *MutatorError
	ended := err == nil || errors.As(err, &e)
	b.mu.Lock()
	if !ended {
		b.gaveUp = err
	}
	b.mu.Unlock()
	b.cancel()
	b.done.Wait()
	if ended {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.buffer {
		if f := (FailedMutation{m, err}); b.config.OnError != nil {
			b.config.OnError(f)
		} else {
			b.failed = append(b.failed, f)
		}
	}
	b.buffer, b.bytes, b.pending, b.acked = nil, 0, 0, b.added
	if failed := b.takeFailed(); failed != nil {
		return failed
	}
	return err
}

// run sends batches, one after the other, so that the order of a row's mutations
// stays.
func (b *BufferedMutator) run() {
	var tick <-chan time.Time
	if b.config.FlushInterval > 0 {
		t := time.NewTicker(max(b.config.FlushInterval/4, time.Millisecond))
		defer t.Stop()
		tick = t.C
	}
	for {
		select {
		case <-b.work:
		case <-tick:
		case <-b.ctx.Done():
			return
		}
		for b.sendOne() {
		}
	}
}

// sendOne sends what has gathered, if it is time to.
func (b *BufferedMutator) sendOne() bool {
	b.mu.Lock()
	due := len(b.buffer) > 0 && (b.bytes >= b.config.BufferBytes || b.wanted > b.acked ||
		b.config.FlushInterval > 0 && time.Since(b.since) >= b.config.FlushInterval)
	if !due || b.ctx.Err() != nil {
		b.mu.Unlock()
		return false
	}
	batch, bytes := b.buffer, b.bytes
	b.buffer, b.bytes = make([]Mutation, 0, len(batch)), 0
	b.mu.Unlock()

	ops := make([]Op, len(batch))
	for i, m := range batch {
		ops[i] = m
	}
	results := make([]BatchResult, len(ops))
	var failed []FailedMutation
	if b.t.run(b.ctx, "buffered mutation", ops, results) != nil {
		for i := range results {
			if results[i].Err != nil {
				failed = append(failed, FailedMutation{batch[i], results[i].Err})
			}
		}
	}
	b.mu.Lock()
	gaveUp := b.gaveUp
	b.mu.Unlock()
	if gaveUp != nil {
		for i := range failed {
			failed[i].Err = fmt.Errorf("%w (under way: %w)", gaveUp, failed[i].Err)
		}
	}
	if b.config.OnError != nil {
		for _, f := range failed {
			b.config.OnError(f)
		}
		failed = nil
	}
	b.mu.Lock()
	b.failed = append(b.failed, failed...)
	b.pending -= bytes
	b.acked += uint64(len(batch))
	close(b.progress)
	b.progress = make(chan struct{})
	b.mu.Unlock()
	return true
}
