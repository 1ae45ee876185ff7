package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/client/internal/rpc"
)

// attempts goes through the attempts of one operation.
type attempts struct {
	c        *Client
	table    *Table // whose rows it is about; nil: none's
	ctx      context.Context
	deadline time.Time
	n        int   // attempts begun
	last     error // of the attempt before
}

func (c *Client) attempts(ctx context.Context) attempts { return c.attemptsAt(ctx, nil) }

// attemptsAt goes through the attempts of an operation on rows of a table.
func (c *Client) attemptsAt(ctx context.Context, t *Table) attempts {
	a := attempts{c: c, table: t, ctx: ctx, deadline: time.Now().Add(c.config.OperationTimeout)}
	if d, ok := ctx.Deadline(); ok && d.Before(a.deadline) {
		a.deadline = d
	}
	return a
}

// callDeadline is when one call of the current attempt has to end.
func (a *attempts) callDeadline() time.Time {
	d := time.Now().Add(a.c.config.RPCTimeout)
	if d.After(a.deadline) {
		d = a.deadline
	}
	return d
}

// begin starts the next attempt, or tells why there is none.
func (a *attempts) begin() error {
	a.n++
	if a.n == 1 {
		return a.ctx.Err()
	}
	if !time.Now().Before(a.deadline) {
		return &timeoutError{a.last}
	}
	return nil
}

// failed takes the error of an attempt. It returns nil after the pause that is
// due before the next one, or the error that the operation ends with.
func (a *attempts) failed(err error, r reaction) error {
	if a.c.ctx.Err() != nil {
		return ErrClosed
	}
	if e := a.ctx.Err(); e != nil {
		if errors.Is(e, context.DeadlineExceeded) {
			return &timeoutError{err}
		}
		return e
	}
	if !r.retry {
		if errors.Is(err, rpc.ErrClosed) {
			return ErrClosed
		}
		return err
	}
	a.last = err
	if a.n >= a.c.config.MaxAttempts {
		return err
	}
	if r.relocate && a.n%2 == 0 {
		if e := a.disabled(); e != nil {
			return fmt.Errorf("%w: %w", e, err)
		}
	}
	wait := a.c.config.pauseFor(r.pause, a.n)
	if left := time.Until(a.deadline); wait >= left {
		return &timeoutError{err}
	}
	a.c.retries.Add(1)
	return a.c.sleep(a.ctx, wait)
}

// stateCheck is how long finding out about a table's state may take, and how
// long what was found out is believed.
const stateCheck = time.Second

// disabled finds out whether the table's regions are on no server because it is
// disabled: until it is enabled again there is nothing to wait for.
func (a *attempts) disabled() error {
	t := a.table
	if t == nil || t.name == metaTable {
		return nil
	}
	now := time.Now()
	if seen := t.stateSeen.Load(); now.UnixNano()-seen < int64(stateCheck) || !t.stateSeen.CompareAndSwap(seen, now.UnixNano()) {
		return nil // others that failed have asked
	}
	var state TableState
	err := a.bounded(func(ctx context.Context) (err error) {
		ctx, cancel := context.WithTimeout(ctx, stateCheck)
		defer cancel()
		state, err = a.c.Admin().TableState(ctx, t.name)
		return err
	})
	if err == nil && (state == Disabled || state == Disabling) {
		t.stateSeen.Store(0)
		return fmt.Errorf("%w: %s", ErrTableNotEnabled, t.name)
	}
	return nil
}

// sleep waits, unless the context or the client ends.
func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return &timeoutError{}
		}
		return ctx.Err()
	case <-c.ctx.Done():
		return ErrClosed
	}
}

// retry runs f until it succeeds. relocate, if there is one, is called before an
// attempt after one that failed for want of the right server. f's context ends
// with the operation's time.
func (c *Client) retry(ctx context.Context, op string, f func(context.Context) error, relocate func()) error {
	a := c.attempts(ctx)
	ctx, cancel := context.WithDeadline(ctx, a.deadline)
	defer cancel()
	stop := context.AfterFunc(c.ctx, cancel)
	defer stop()
	for {
		err := a.begin()
		if err == nil {
			if err = f(ctx); err == nil {
				return nil
			}
			r := react(err)
			if r.relocate && relocate != nil {
				relocate()
			}
			err = a.failed(err, r)
		}
		if err != nil {
			return &OpError{Op: op, Attempts: a.n, Err: err}
		}
	}
}

// invoke calls a method of a service other than ClientService. A nil request is
// an empty one.
func (c *Client) invoke(ctx context.Context, p *rpc.Pool, method string, request, answer proto.Message) error {
	r := rpc.Request{Method: method, Deadline: time.Now().Add(c.config.RPCTimeout)}
	if request != nil {
		var err error
		if r.Message, err = proto.Marshal(request); err != nil {
			return err
		}
	}
	conn, err := p.Get(ctx)
	if err != nil {
		return err
	}
	response, err := conn.Do(ctx, &r)
	if err != nil {
		return fromRPC(err, p.Addr())
	}
	if err := proto.Unmarshal(response.Message, answer); err != nil {
		return errors.Join(errMalformed, err)
	}
	return nil
}
