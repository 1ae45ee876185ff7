package client

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/basaltdb/basalt/client/internal/rpc"
)

// Table gives access to one table. It is safe for concurrent use, cheap, and
// need not be closed.
type Table struct {
	c       *Client
	name    string
	cache   regionCache
	lookups chan struct{} // a place for each question to hbase:meta in flight
	// stateSeen is when the table's state was last asked for, in ns since 1970.
	stateSeen atomic.Int64
}

// Table returns the table of that name, TABLE or NAMESPACE:TABLE. Whether there
// is one shows when it is used.
func (c *Client) Table(name string) *Table {
	name = strings.TrimPrefix(name, defaultNamespace+":")
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tables[name]
	if t == nil {
		t = &Table{c: c, name: name, lookups: make(chan struct{}, lookups)}
		c.tables[name] = t
	}
	return t
}

// Name is the table's name, without the default namespace.
func (t *Table) Name() string { return t.name }

func (t *Table) opError(op string, row []byte, attempts int, err error) error {
	return &OpError{Op: op, Table: t.name, Row: row, Attempts: attempts, Err: err}
}

// rowCall is an operation on one row that is one call.
type rowCall interface {
	rowKey() []byte
	op() string
	method() string
	appendTo(dst, region []byte) []byte
	// repeatable: the call may be sent again after it may have been done.
	repeatable() bool
}

// buffers are for encoding requests.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// maxKeptBuffer is the largest buffer that is kept for the next request.
const maxKeptBuffer = 1 << 20

// call carries out an operation on one row: it finds the region, sends the
// request to its server, and tries again by what the failure tells.
func (t *Table) call(ctx context.Context, o rowCall) (rpc.Response, error) {
	a := t.c.attemptsAt(ctx, t)
	for {
		err := a.begin()
		if err == nil {
			var response rpc.Response
			var g *region
			if response, g, err = t.callOnce(ctx, &a, o); err == nil {
				return response, nil
			}
			r := react(err)
			if g != nil {
				t.failedAt(g, r, err)
			}
			if !o.repeatable() && maybeDone(err) {
				return rpc.Response{}, t.opError(o.op(), o.rowKey(), a.n, &undetermined{a.cause(err)})
			}
			err = a.failed(err, r)
		}
		if err != nil {
			return rpc.Response{}, t.opError(o.op(), o.rowKey(), a.n, err)
		}
	}
}

// callOnce is one attempt. The region is the one that was asked; nil when it
// came to none.
func (t *Table) callOnce(ctx context.Context, a *attempts, o rowCall) (rpc.Response, *region, error) {
	g := t.cache.find(o.rowKey())
	if g == nil {
		var err error
		err = a.bounded(func(ctx context.Context) error {
			g, err = t.locate(ctx, o.rowKey(), false)
			return err
		})
		if err != nil {
			return rpc.Response{}, nil, err
		}
	}
	conn, err := g.server.conn(ctx, a)
	if err != nil {
		return rpc.Response{}, g, err
	}
	buf := buffers.Get().(*[]byte)
	b := o.appendTo((*buf)[:0], g.Name)
	call, err := conn.Start(ctx, &rpc.Request{Method: o.method(), Message: b, Deadline: a.callDeadline()})
	if cap(b) <= maxKeptBuffer {
		*buf = b
		buffers.Put(buf)
	}
	if err != nil {
		return rpc.Response{}, g, err
	}
	response, err := call.Wait(ctx)
	if err != nil {
		return rpc.Response{}, g, fromRPC(err, g.Server)
	}
	return response, g, nil
}

// conn returns a connection of the pool for calls to regions.
func (s *server) conn(ctx context.Context, a *attempts) (*rpc.Conn, error) {
	ready, i := s.client.Ready()
	if ready != nil {
		return ready, nil
	}
	var c *rpc.Conn
	err := a.bounded(func(ctx context.Context) (err error) {
		c, err = s.client.At(ctx, i)
		return err
	})
	return c, err
}

// bounded runs what may wait without a call's deadline, with a context that ends
// when the operation does.
func (a *attempts) bounded(f func(context.Context) error) error {
	ctx, cancel := context.WithDeadline(a.ctx, a.deadline)
	defer cancel()
	err := f(ctx)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) && a.ctx.Err() == nil {
		return &timeoutError{errors.Join(err, a.last)}
	}
	return err
}

// cause is the error that an operation ends with after err: the context's, when
// that has ended.
func (a *attempts) cause(err error) error {
	if e := a.ctx.Err(); e != nil {
		if errors.Is(e, context.DeadlineExceeded) {
			return &timeoutError{err}
		}
		return e
	}
	return err
}
