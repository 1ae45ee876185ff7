package zk

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds on what a client may send or hold. ZooKeeper's own frame limit is
// 1 MiB, but the largest request that a client of a read-only tree has is a
// setWatches, which the Java client cuts at 128 KiB.
const (
	maxFrameBytes = 256 << 10
	maxWatches    = 16 << 10

	writeTimeout = 30 * time.Second
	minSession   = 2 * time.Second
	maxSession   = 10 * time.Minute
)

// Config of a Server.
type Config struct {
	Tree Tree
	// Zxid is shown as the time of the newest change. It must be larger than in
	// every earlier run: the start time in ms does.
	Zxid int64
	// StartMs is shown as the time the znodes were made.
	StartMs int64
	// MaxConnections bounds the open connections; further ones are closed as
	// they come.
	MaxConnections int
	// HandshakeTimeout ends a connection that has not sent its connect request,
	// however slowly it sends it. 0: 10 s.
	HandshakeTimeout time.Duration
	// Version is shown by the four-letter words.
	Version string
	Logger  *slog.Logger
}

// Server answers ZooKeeper clients. Safe for concurrent use.
type Server struct {
	Config
	started     time.Time
	nextSession atomic.Int64
	received    atomic.Int64
	sent        atomic.Int64
	refused     atomic.Int64

	mu       sync.Mutex // guards what follows
	conns    map[*conn]struct{}
	listener net.Listener
	closed   bool
	running  sync.WaitGroup
}

// NewServer makes a server that does nothing until Serve.
func NewServer(c Config) *Server {
	if c.HandshakeTimeout == 0 {
		c.HandshakeTimeout = 10 * time.Second
	}
	s := &Server{Config: c, started: time.Now(), conns: make(map[*conn]struct{})}
	// Session ids are never zero, and those of two runs differ.
	s.nextSession.Store(c.Zxid << 16)
	return s
}

// Stats are the counters of a Server since it was made; Connections is now.
type Stats struct {
	Connections                     int
	Received, Sent, RefusedConnects int64
}

// Stats reads the counters.
func (s *Server) Stats() Stats {
	s.mu.Lock()
	n := len(s.conns)
	s.mu.Unlock()
	return Stats{n, s.received.Load(), s.sent.Load(), s.refused.Load()}
}

// Serve accepts connections until the server is shut down, then returns nil.
// Otherwise it returns the error that ended it. It may be called once.
func (s *Server) Serve(l net.Listener) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return l.Close()
	}
	s.listener = l
	s.mu.Unlock()
	for {
		nc, err := l.Accept()
		if err != nil {
			s.mu.Lock()
			closed := s.closed
			s.mu.Unlock()
			if closed {
				return nil
			}
			if errors.Is(err, net.ErrClosed) {
				return err
			}
			// Out of file descriptors, or a peer that was gone already: the
			// next one may work.
			s.Logger.Warn("zookeeper endpoint cannot accept", "error", err)
			time.Sleep(50 * time.Millisecond)
			continue
		}
		c := newConn(s, nc)
		if !s.add(c) {
			s.refused.Add(1)
			nc.Close()
			continue
		}
		go func() {
			defer s.remove(c)
			c.run()
		}()
	}
}

func (s *Server) add(c *conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.conns) >= s.MaxConnections {
		return false
	}
	s.conns[c] = struct{}{}
	s.running.Add(1)
	return true
}

func (s *Server) remove(c *conn) {
	c.net.Close()
	s.mu.Lock()
	delete(s.conns, c)
	s.mu.Unlock()
	s.running.Done()
}

// Shutdown stops accepting and closes the connections. Every request is
// answered at once, so there is nothing to drain but the writes under way, for
// which it waits as long as ctx lasts.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	if s.listener != nil {
		s.listener.Close()
	}
	for c := range s.conns {
		// Unblocks the read; a write under way goes on.
		c.net.SetReadDeadline(time.Unix(1, 0))
	}
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		s.mu.Lock()
		for c := range s.conns {
			c.net.Close()
		}
		s.mu.Unlock()
		return ctx.Err()
	}
}

// session gives a connecting client its session: a new one, or the one it
// brings along, from an earlier connection or an earlier run. Nothing hangs on a
// session here, so every claim to one is good.
func (s *Server) session(r connectRequest) (id int64, password []byte) {
	if r.sessionID != 0 {
		password = append(password, r.password...)
		return r.sessionID, password
	}
	password = make([]byte, passwordBytes)
	rand.Read(password)
	return s.nextSession.Add(1), password
}

// negotiate bounds the session timeout that a client asks for.
func negotiate(timeoutMs int32) time.Duration {
	d := time.Duration(timeoutMs) * time.Millisecond
	return min(max(d, minSession), maxSession)
}

// isClosed tells whether Shutdown was called.
func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// frameLength reads a frame's length prefix. Four-letter words come in its
// place and are far over the limit.
func frameLength(b [4]byte) (n int, ok bool) {
	v := int32(binary.BigEndian.Uint32(b[:]))
	return int(v), v >= 0 && v <= maxFrameBytes
}
