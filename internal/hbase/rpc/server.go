package rpc

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrServerClosed is what Serve returns after Shutdown or Close.
var ErrServerClosed = errors.New("rpc: server closed")

// Server serves HBase's services on any number of listeners. Safe for concurrent
// use.
type Server struct {
	cfg      Config
	services map[string]map[string]*method

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup // connections, their goroutines, and the watchers

	queued  atomic.Int64
	running atomic.Int64
	refused atomic.Int64
	dropped atomic.Int64

	toRelease     chan releaseTask // to the releasers that are idle
	idleReleasers atomic.Int32

	watching atomic.Bool // the watchdog ticks
	wake     chan struct{}

	mu        sync.Mutex // guards what follows
	listeners []net.Listener
	conns     map[*conn]struct{}
	snapshot  []*conn // of conns, nil when out of date
	started   bool    // the watchers run
	draining  bool
}

// method is a Method with the names it is called and counted by.
type method struct {
	Method
	service, name string
}

// NewServer makes a server that listens nowhere yet.
func NewServer(cfg Config) *Server {
	s := &Server{
		cfg:       cfg.withDefaults(),
		services:  make(map[string]map[string]*method, len(cfg.Services)),
		toRelease: make(chan releaseTask),
		wake:      make(chan struct{}, 1),
		conns:     make(map[*conn]struct{}),
	}
	for service, methods := range cfg.Services {
		table := make(map[string]*method, len(methods))
		for name, m := range methods {
			table[name] = &method{Method: m, service: service, name: name}
		}
		s.services[service] = table
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Stats returns the gauges.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	n := len(s.conns)
	s.mu.Unlock()
	return Stats{
		Connections:  n,
		QueuedBytes:  s.queued.Load(),
		RunningCalls: s.running.Load(),
		Refused:      s.refused.Load(),
		Dropped:      s.dropped.Load(),
	}
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
	if !s.started {
		s.started = true
		s.wg.Add(2)
		go s.watchCalls()
		go s.watchConnections()
	}
	s.mu.Unlock()

	for pause := time.Duration(0); ; {
		nc, err := l.Accept()
		if err == nil {
			pause = 0
			s.open(nc)
			continue
		}
		s.mu.Lock()
		draining := s.draining
		s.mu.Unlock()
		if draining {
			return ErrServerClosed
		}
		if ne, ok := err.(net.Error); !ok || !ne.Timeout() && !outOfFiles(err) {
			return fmt.Errorf("rpc: accept on %s: %w", l.Addr(), err)
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

// open starts serving a connection, or closes it if there are too many.
func (s *Server) open(nc net.Conn) {
	s.mu.Lock()
	if s.draining || len(s.conns) >= s.cfg.MaxConnections {
		s.mu.Unlock()
		s.refused.Add(1)
		nc.Close()
		return
	}
	c := newConn(s, nc)
	s.conns[c] = struct{}{}
	s.snapshot = nil
	s.wg.Add(1)
	s.mu.Unlock()
	go c.serve()
}

// forget is called by a connection that has ended.
func (s *Server) forget(c *conn) {
	s.mu.Lock()
	delete(s.conns, c)
	s.snapshot = nil
	s.mu.Unlock()
	s.wg.Done()
}

// connections returns the open ones. The slice is shared: it is never changed,
// only replaced.
func (s *Server) connections() []*conn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.snapshot == nil {
		s.snapshot = make([]*conn, 0, len(s.conns))
		for c := range s.conns {
			s.snapshot = append(s.snapshot, c)
		}
	}
	return s.snapshot
}

// Shutdown stops accepting and reading, lets the calls that were read finish and
// their replies go out, and closes the connections. When ctx ends first, the
// rest is cut off as by Close, but not waited for.
func (s *Server) Shutdown(ctx context.Context) error {
	for _, c := range s.drain() {
		c.stopReading()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for len(s.connections()) > 0 && s.ctx.Err() == nil {
			<-tick.C
		}
		s.cancel()
		s.wg.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.abort()
		return fmt.Errorf("rpc: shutdown: %w", ctx.Err())
	}
}

// Close ends all connections at once, cancels the context of the running
// handlers, and waits for them.
func (s *Server) Close() error {
	s.drain()
	s.abort()
	s.wg.Wait()
	return nil
}

// drain closes the listeners and returns the open connections.
func (s *Server) drain() []*conn {
	s.mu.Lock()
	s.draining = true
	listeners := s.listeners
	s.listeners = nil
	s.mu.Unlock()
	for _, l := range listeners {
		l.Close()
	}
	return slices.Clone(s.connections())
}

func (s *Server) abort() {
	for _, c := range s.connections() {
		c.abort()
	}
	s.cancel()
}

// acquire takes n bytes of MaxQueuedBytes.
func (s *Server) acquire(n int) bool {
	if s.queued.Add(int64(n)) <= s.cfg.MaxQueuedBytes {
		return true
	}
	s.queued.Add(int64(-n))
	return false
}

func (s *Server) release(n int) { s.queued.Add(int64(-n)) }
