package lock

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

// owner is who holds locks: a latch or a transaction. It is used by one
// goroutine at a time and waits for at most one thing.
type owner struct {
	table *Table
	txn   bool
	wait  waiting
}

type waitKind uint8

const (
	waitNone  waitKind = iota
	waitPoint          // in the queue of a slot; guarded by its shard
	waitRange          // in rangeTable.waiting; guarded by rangeTable.mu
)

type waitState uint8

const (
	stateWaiting waitState = iota
	stateGranted
	stateAborted // chosen as a deadlock's victim
)

// waiting is what an owner waits for.
type waiting struct {
	kind       waitKind
	state      waitState
	hash       uint64
	name       []byte
	mode       kv.LockMode
	upgrade    bool   // the owner holds the name shared
	next, prev *owner // of the slot's queue

	request rangeRequest // waitRange only

	blocked atomic.Bool
	// wake gets a token after state changed, or when a range waiter should look
	// again. A stale token may be left over: who wakes looks at the state.
	wake chan struct{}
}

func (w *waiting) begin(k waitKind) {
	w.kind, w.state = k, stateWaiting
	w.blocked.Store(true)
	select {
	case <-w.wake:
	default:
	}
}

func (w *waiting) end(s waitState) {
	w.state = s
	w.blocked.Store(false)
	w.poke()
}

func (w *waiting) poke() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// patience bounds a wait.
type patience struct {
	ctx      context.Context
	nowait   bool
	deadline time.Time // zero: none but ctx's
}

func patienceOf(ctx context.Context, w kv.LockWait) patience {
	p := patience{ctx: ctx, nowait: w.NoWait}
	if w.Timeout > 0 {
		p.deadline = time.Now().Add(w.Timeout)
	}
	return p
}

// sleep returns nil when woken, or why not to wait any longer.
func (p *patience) sleep(wake <-chan struct{}) error {
	var timeout <-chan time.Time
	if !p.deadline.IsZero() {
		timer := time.NewTimer(time.Until(p.deadline))
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-wake:
		return nil
	case <-timeout:
		return kv.ErrLockTimeout
	case <-p.ctx.Done():
		if err := p.ctx.Err(); !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("waiting for a lock: %w", err)
		}
		return kv.ErrLockTimeout
	}
}

// lockPoint takes one name, waiting if need be. name must stay as it is while
// the lock is held. holdsOther says that the owner holds locks already, without
// which it cannot be part of a deadlock.
func (o *owner) lockPoint(p *patience, hash uint64, name []byte, mode kv.LockMode, holdsOther bool) (outcome, error) {
	sh := o.table.shard(hash)
	sh.mu.Lock()
	out := sh.acquire(o, hash, name, mode)
	if out != conflict {
		sh.mu.Unlock()
		return out, nil
	}
	if p.nowait {
		sh.mu.Unlock()
		return conflict, kv.ErrLocked
	}
	holderWaits := sh.enqueue(o, hash, name, mode)
	out = granted
	if o.wait.upgrade {
		out = upgraded
	}
	sh.mu.Unlock()
	if err := o.await(p, sh, holderWaits && holdsOther); err != nil {
		return conflict, err
	}
	return out, nil
}

// await waits for a request that is in a shard's queue.
func (o *owner) await(p *patience, sh *shard, mayDeadlock bool) error {
	t := o.table
	t.waiting.Add(1)
	defer t.waiting.Add(-1)
	if mayDeadlock {
		t.breakCycles(o)
	}
	for {
		err := p.sleep(o.wait.wake)
		sh.mu.Lock()
		state := o.wait.state
		if state == stateWaiting && err != nil {
			sh.dequeue(o)
			o.wait.blocked.Store(false)
		}
		sh.mu.Unlock()
		switch {
		case state == stateGranted:
			return nil
		case state == stateAborted:
			return kv.ErrDeadlock
		case err != nil:
			return err
		}
	}
}
