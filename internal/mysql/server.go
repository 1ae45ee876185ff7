package mysql

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/basaltdb/basalt/internal/mysql/wire"
)

// ErrServerClosed is what Serve returns after Shutdown or Close.
var ErrServerClosed = errors.New("mysql: server closed")

// Server serves MySQL clients on any number of listeners. Safe for concurrent
// use.
type Server struct {
	cfg    Config
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // connections and the watcher

	keys   keys
	proofs proofs
	budget budget

	// clock is the time in ns as of the watcher's last tick.
	clock   atomic.Int64
	nextID  atomic.Uint32
	stmts   atomic.Int64
	refused atomic.Int64
	aborted atomic.Int64

	mu        sync.Mutex // guards what follows
	listeners []net.Listener
	conns     map[*conn]struct{}
	watching  bool
	draining  bool
}

// NewServer makes a server that listens nowhere yet.
func NewServer(cfg Config) *Server {
	s := &Server{cfg: cfg.withDefaults(), conns: make(map[*conn]struct{})}
	s.budget.limit = s.cfg.MaxQueuedBytes
	s.clock.Store(time.Now().UnixNano())
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Stats are the gauges and counters of a Server.
type Stats struct {
	Connections int
	QueuedBytes int64
	Statements  int64 // prepared
	Refused     int64 // connections past the limit
	Aborted     int64 // connections that ended otherwise than by COM_QUIT
}

// Stats reads them.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	n := len(s.conns)
	s.mu.Unlock()
	return Stats{n, s.budget.used.Load(), s.stmts.Load(), s.refused.Load(), s.aborted.Load()}
}

// Serve accepts connections until Shutdown or Close, or until the listener
// fails. It closes the listener.
func (s *Server) Serve(l net.Listener) error {
	defer l.Close()
	s.mu.Lock()
	if s.draining {
		s.mu.Unlock()
		return ErrServerClosed
	}
	s.listeners = append(s.listeners, l)
	if !s.watching {
		s.watching = true
		s.wg.Add(1)
		go s.watch()
	}
	s.mu.Unlock()

	for pause := time.Duration(0); ; {
		nc, err := l.Accept()
		if err == nil {
			pause = 0
			s.open(nc)
			continue
		}
		if s.isDraining() {
			return ErrServerClosed
		}
		if ne, ok := err.(net.Error); !ok || !ne.Timeout() && !outOfFiles(err) {
			return fmt.Errorf("mysql: accept on %s: %w", l.Addr(), err)
		}
		// Out of files: some will be closed in time.
		pause = min(max(2*pause, 5*time.Millisecond), time.Second)
		s.cfg.Logger.Warn("cannot accept, will try again", "listener", l.Addr(), "pause", pause, "error", err)
		select {
		case <-time.After(pause):
		case <-s.ctx.Done():
		}
	}
}

func outOfFiles(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ECONNABORTED)
}

// open starts serving a connection, or refuses it if there are too many.
func (s *Server) open(nc net.Conn) {
	s.mu.Lock()
	if s.draining {
		s.mu.Unlock()
		nc.Close()
		return
	}
	if len(s.conns) >= s.cfg.MaxConnections {
		s.mu.Unlock()
		s.refused.Add(1)
		refuse(nc)
		return
	}
	c := newConn(s, nc)
	s.conns[c] = struct{}{}
	s.wg.Add(1)
	s.mu.Unlock()
	s.cfg.Run(c.serve)
}

// refuse tells a client that there are too many. The packet fits into an empty
// socket buffer, so nothing waits.
func refuse(nc net.Conn) {
	var w wire.Writer
	w.Begin()
	w.Buf = wire.AppendErr(w.Buf, 1040, "", "Too many connections")
	w.End()
	_, _ = nc.Write(w.Buf) // a client that is gone need not know
	nc.Close()
}

// forget is called by a connection that has ended.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	s.wg.Done()
}

func (s *Server) isDraining() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.draining
}

// each calls f for every open connection, without the lock.
func (s *Server) each(f func(*conn)) {
	s.mu.Lock()
	conns := make([]*conn, 0, len(s.conns))
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	for _, c := range conns {
		f(c)
	}
}

// Shutdown stops accepting, lets the statements under way finish and be
// answered, and closes the connections. When ctx ends first, the rest is cut off
// as by Close, but not waited for.
func (s *Server) Shutdown(ctx context.Context) error {
	s.drain()
	s.each((*conn).stopReading)
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for s.Stats().Connections > 0 && s.ctx.Err() == nil {
			<-tick.C
		}
		s.cancel()
		s.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.abort()
		return fmt.Errorf("mysql: shutdown: %w", ctx.Err())
	}
}

// Close ends all connections and their statements at once, and waits for them.
func (s *Server) Close() error {
	s.drain()
	s.abort()
	s.wg.Wait()
	return nil
}

// drain closes the listeners.
func (s *Server) drain() {
	s.mu.Lock()
	s.draining = true
	listeners := s.listeners
	s.listeners = nil
	s.mu.Unlock()
	for _, l := range listeners {
		l.Close()
	}
}

func (s *Server) abort() {
	s.each((*conn).abort)
	s.cancel()
}
