package rpc

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Dial opens a network connection.
type Dial func(ctx context.Context, network, addr string) (net.Conn, error)

// Pool holds the connections to one service of one server. It is safe for
// concurrent use.
type Pool struct {
	addr    string
	dial    Dial
	timeout time.Duration // of a dial
	o       Options
	next    atomic.Uint32
	slots   []poolSlot
}

type poolSlot struct {
	conn atomic.Pointer[Conn]

	mu      sync.Mutex
	dialing *dialing // nil: nobody dials
	closed  bool
}

// dialing is a dial that its waiters share; the last one to give up ends it.
type dialing struct {
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int
	conn    *Conn
	err     error
}

// NewPool makes a pool of size connections, none of which is opened yet.
func NewPool(addr string, size int, dial Dial, timeout time.Duration, o Options) *Pool {
	return &Pool{addr: addr, dial: dial, timeout: timeout, o: o, slots: make([]poolSlot, size)}
}

// Addr is the server's address.
func (p *Pool) Addr() string { return p.addr }

// Ready returns the next connection in turn when it is open, else nil and the
// number by which At opens it.
func (p *Pool) Ready() (*Conn, int) {
	i := 0
	if len(p.slots) > 1 {
		i = int(p.next.Add(1) % uint32(len(p.slots)))
	}
	if c := p.slots[i].conn.Load(); c != nil && c.Usable() {
		return c, i
	}
	return nil, i
}

// At returns connection i, which it opens if need be.
func (p *Pool) At(ctx context.Context, i int) (*Conn, error) { return p.slot(ctx, &p.slots[i]) }

// Get returns the next connection in turn, which it opens if need be.
func (p *Pool) Get(ctx context.Context) (*Conn, error) {
	c, i := p.Ready()
	if c != nil {
		return c, nil
	}
	return p.At(ctx, i)
}

// Open opens all connections.
func (p *Pool) Open(ctx context.Context) error {
	for i := range p.slots {
		if _, err := p.slot(ctx, &p.slots[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *Pool) slot(ctx context.Context, s *poolSlot) (*Conn, error) {
	if c := s.conn.Load(); c != nil && c.Usable() {
		return c, nil
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, &CallError{Server: p.addr, Err: ErrClosed}
	}
	if c := s.conn.Load(); c != nil && c.Usable() {
		s.mu.Unlock()
		return c, nil
	}
	d := s.dialing
	if d == nil {
		dialCtx, cancel := context.WithTimeout(context.Background(), p.timeout)
		d = &dialing{done: make(chan struct{}), cancel: cancel}
		s.dialing = d
		go p.open(dialCtx, s, d)
	}
	d.waiters++
	s.mu.Unlock()
	var err error
	select {
	case <-d.done:
		if err = d.err; err == nil {
			return d.conn, nil
		}
	case <-ctx.Done():
		err = ctx.Err()
		s.mu.Lock()
		if d.waiters--; d.waiters == 0 {
			d.cancel()
			if s.dialing == d {
				s.dialing = nil // who comes now dials anew
			}
		}
		s.mu.Unlock()
	}
	return nil, &CallError{Server: p.addr, Err: err}
}

func (p *Pool) open(ctx context.Context, s *poolSlot, d *dialing) {
	defer d.cancel()
	if p.o.Counters != nil {
		p.o.Counters.Dials.Add(1)
	}
	nc, err := p.dial(ctx, "tcp", p.addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		d.err = err
	case s.closed || s.dialing != d:
		_ = nc.Close()
		d.err = ErrClosed
	default:
		d.conn = NewConn(nc, p.o)
		s.conn.Store(d.conn)
	}
	if s.dialing == d {
		s.dialing = nil
	}
	close(d.done)
}

// Retire retires all connections that are open. Later calls open others.
func (p *Pool) Retire() {
	for i := range p.slots {
		if c := p.slots[i].conn.Load(); c != nil {
			c.Retire()
		}
	}
}

// Close closes all connections. Calls in flight end, dials are given up.
func (p *Pool) Close() {
	for i := range p.slots {
		s := &p.slots[i]
		s.mu.Lock()
		s.closed = true
		if s.dialing != nil {
			s.dialing.cancel()
		}
		s.mu.Unlock()
		if c := s.conn.Load(); c != nil {
			c.Close()
		}
	}
}
