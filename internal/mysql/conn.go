package mysql

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/internal/mysql/wire"
	"github.com/basaltdb/basalt/internal/sql"
)

// conn is one connection. Everything belongs to its own goroutine but what is
// atomic, and raw, ctx and srv, which are fixed.
type conn struct {
	srv    *Server
	raw    net.Conn        // the socket
	ctx    context.Context // ends with the connection
	cancel context.CancelFunc

	nc     net.Conn // raw, or TLS or compression over it
	tls    bool
	secure bool // nobody else can read it: TLS or a Unix socket
	in     input
	out    wire.Writer
	// outBuffer is where out.Buf is from.
	outBuffer *[]byte

	id       uint32
	scramble [wire.ScrambleBytes]byte // of the greeting
	caps     wire.Capability
	loggedIn bool
	// inCommand tells that the client must send more for the command under way.
	inCommand bool
	session   sql.Session
	stmts     statements
	rows      rows
	// database is the session's as the client knows it.
	database string
	// sinkErr is what went wrong with the client while a statement gave rows.
	sinkErr error

	// For the watcher: what is waited for and since when, in the server's coarse
	// clock.
	phase       atomic.Uint32
	since       atomic.Int64
	idleTimeout atomic.Int64
	// idledOut tells that the client was quiet for too long.
	idledOut atomic.Bool
	// stopping tells that the connection ends when it would wait for a command.
	stopping atomic.Bool
}

func newConn(s *Server, nc net.Conn) *conn {
	c := &conn{srv: s, raw: nc, nc: nc, id: s.nextID.Add(1)}
	c.stmts.srv = s
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	c.in.budget = &s.budget
	c.secure = nc.LocalAddr().Network() == "unix"
	c.since.Store(time.Now().UnixNano())
	return c
}

// errQuit is a client's good-bye.
var errQuit = errors.New("quit")

// serve is the connection's goroutine.
func (c *conn) serve() {
	defer c.srv.forget(c)
	defer c.end()
	err := c.run()
	switch {
	case err == nil || errors.Is(err, errQuit):
		return
	case c.ctx.Err() != nil || c.stopping.Load():
	case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
		c.srv.aborted.Add(1)
	default:
		c.srv.aborted.Add(1)
		c.srv.cfg.Logger.Debug("connection ended", "client", c.raw.RemoteAddr(), "error", err)
	}
}

// run is a connection's life: the login, then one command after the other. A
// panic ends this connection only: what its session holds may be half done.
func (c *conn) run() (err error) {
	defer func() {
		if p := recover(); p != nil {
			c.srv.cfg.Logger.Error("connection failed", "client", c.raw.RemoteAddr(), "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	if err := c.login(); err != nil {
		return c.partingWords(err)
	}
	for {
		if err := c.next(); err != nil {
			return c.partingWords(err)
		}
	}
}

// partingWords sends what is answered although the connection ends. A client
// that is still sending gets to read it: a plain close would make the kernel
// drop it when more bytes come.
func (c *conn) partingWords(err error) error {
	if c.flush() != nil || !errors.Is(err, errTooBig) && !errors.Is(err, errNoMemory) {
		return err
	}
	const patience = time.Second
	if half, ok := c.raw.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil &&
		c.raw.SetReadDeadline(time.Now().Add(patience)) == nil {
		// However it ends, the connection is closed next.
		_, _ = io.Copy(io.Discard, c.raw)
	}
	return err
}

// end gives everything up.
func (c *conn) end() {
	c.cancel()
	if c.session != nil {
		c.stmts.closeAll()
		c.session.Close()
	}
	c.lendOut()
	c.in.free()
	c.nc.Close()
	c.raw.Close()
}

// abort closes the socket at once, and cancels the statement under way. Whoever
// reads or writes it fails. Any goroutine may call it.
func (c *conn) abort() {
	c.raw.Close()
	c.cancel()
}

// stopReading makes the connection end when it waits for a command, or before
// the next one.
func (c *conn) stopReading() {
	c.stopping.Store(true)
	c.interruptRead()
}

// interruptRead makes reads fail from now on.
func (c *conn) interruptRead() {
	// An error means that the socket is closed: nothing is read then.
	_ = c.raw.SetReadDeadline(time.Unix(1, 0))
}
