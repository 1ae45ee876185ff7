package rpc

import (
	"context"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/internal/hbase/wire"
)

// conn is one connection. Its goroutines are the leader, the calls that run
// beside it, and the one that waits for the log; each holds a reference.
type conn struct {
	srv    *Server
	nc     net.Conn
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc
	refs   atomic.Int32

	// Set by the handshake, then fixed.
	client      Client
	methods     map[string]*method
	compression wire.Compression

	// turn counts the calls that the leader runs itself: odd while one runs.
	// The leader makes it odd, and even again when the call is done. When the
	// watchdog makes it even first, it has taken the lead.
	turn atomic.Uint64
	// leader is the worker that leads; while turn is odd it belongs to the
	// watchdog too. seen is the watchdog's: turn at its last look.
	leader *worker
	seen   uint64

	// For the timeouts: when bytes last came (and whether they ended inside a
	// frame), and since when a write has made no progress (0: none runs).
	readAt  atomic.Int64
	midway  atomic.Bool
	writeAt atomic.Int64

	out output
}

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{srv: s, nc: nc}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	c.refs.Store(1)
	c.out.room = sync.NewCond(&c.out.mu)
	c.readAt.Store(time.Now().UnixNano())
	return c
}

// serve is the connection's first goroutine: the handshake, then the lead.
func (c *conn) serve() {
	w := newWorker(c)
	if err := c.nc.SetReadDeadline(time.Now().Add(c.srv.cfg.HandshakeTimeout)); err != nil {
		w.end()
		return
	}
	if !c.handshake(w) {
		w.end()
		return
	}
	// A drain sets a deadline too, which must stay: it looks for it afterwards.
	if c.nc.SetReadDeadline(time.Time{}) != nil || c.srv.isDraining() {
		w.end()
		return
	}
	w.readAt = time.Now()
	w.clock = w.readAt
	c.leader = w
	w.lead()
}

// stopReading makes the leader stop at the next read.
func (c *conn) stopReading() {
	// An error means that the connection is closed: nothing is read then.
	_ = c.nc.SetReadDeadline(time.Unix(1, 0))
}

func (s *Server) isDraining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// unref drops a reference; the last one closes.
func (c *conn) unref() {
	if c.refs.Add(-1) == 0 {
		c.abort()
		c.srv.forget(c)
	}
}

// abort closes the socket at once. Whoever reads or writes it fails. The calls
// are cancelled after that: their clients shall see a lost connection, not what
// a cancelled call answers.
func (c *conn) abort() {
	c.out.close()
	c.nc.Close()
	c.cancel()
}

// linger closes a connection whose client may still be sending, in a way that
// lets it read the last answer: a plain close would make the kernel drop that
// when more bytes come.
func (c *conn) linger() {
	const patience = time.Second
	c.waitWritten()
	if half, ok := c.nc.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil &&
		c.nc.SetReadDeadline(time.Now().Add(patience)) == nil {
		// However it ends, the connection is closed next.
		_, _ = io.Copy(io.Discard, c.nc)
	}
	c.abort()
}

// watch looks at the leader: a call that runs since the last look loses the
// lead. It tells whether there was a call since. Only the watchdog calls it.
func (c *conn) watch() (active bool) {
	turn := c.turn.Load()
	active = turn != c.seen || turn&1 == 1
	if turn&1 == 1 && turn == c.seen {
		c.takeLead(turn)
	}
	c.seen = turn
	return active
}

// takeLead starts a new leader in place of the one that runs call turn, unless
// that is just done. The mutex holds the old one back until all is handed over.
func (c *conn) takeLead(turn uint64) {
	c.out.mu.Lock()
	defer c.out.mu.Unlock()
	if !c.turn.CompareAndSwap(turn, turn+1) {
		return
	}
	old, w := c.leader, newWorker(c)
	w.takeOver(old)
	c.leader = w
	c.refs.Add(1)
	c.out.calls++
	c.srv.running.Add(1)
	go w.lead()
}

// checkTimeouts ends the connection if it is idle or stuck.
func (c *conn) checkTimeouts(now time.Time) {
	cfg := &c.srv.cfg
	if at := c.writeAt.Load(); at != 0 && now.UnixNano()-at > int64(cfg.StallTimeout) {
		cfg.Logger.Warn("client does not take its replies", "client", c.nc.RemoteAddr())
		c.abort()
		return
	}
	quiet := now.UnixNano() - c.readAt.Load()
	if c.midway.Load() && quiet > int64(cfg.StallTimeout) && c.out.idle() {
		cfg.Logger.Warn("client stopped inside a request", "client", c.nc.RemoteAddr())
		c.abort()
		return
	}
	if cfg.IdleTimeout > 0 && quiet > int64(cfg.IdleTimeout) && c.turn.Load()&1 == 0 && c.out.idle() {
		c.abort()
	}
}
