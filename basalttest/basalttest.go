// Package basalttest starts a whole Basalt inside a Go test, like httptest does
// with web servers: on loopback, on ports that are free, over a directory that
// the test ends with.
//
//	func TestGreeting(t *testing.T) {
//		s := basalttest.Start(t)
//		client := gohbase.NewClient(s.ZooKeeper)
//		...
//	}
package basalttest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/server"
)

// Server is a running Basalt. Its addresses are HOST:PORT.
type Server struct {
	// ZooKeeper is what clients take for a ZooKeeper quorum.
	ZooKeeper string
	// Master and RegionServer are HBase's two RPC ports. Either serves as the
	// registry of clients that do without ZooKeeper.
	Master, RegionServer string
	// MySQL is for MySQL's clients, as root without a password.
	MySQL string
	// HTTP has /readyz, /healthz and /metrics.
	HTTP string
	// Dir is the data directory.
	Dir string

	t      testing.TB
	server *server.Server
	served chan error
}

// Option changes how a server is started.
type Option func(*server.Config)

// Dir keeps the data in a directory of the caller's, which outlives the server:
// for tests that start a second one over the same data.
func Dir(path string) Option { return func(c *server.Config) { c.DataDir = path } }

// SyncDisk makes writes wait for the disk, as a server does by default. Tests
// wait for the operating system only, since they do not survive a power loss
// either.
func SyncDisk() Option { return func(c *server.Config) { c.Sync = kv.SyncDisk } }

// ScannerLease sets how long a scanner lives between two calls.
func ScannerLease(d time.Duration) Option { return func(c *server.Config) { c.ScannerLease = d } }

// Logger gets the server's log. Without it there is none.
func Logger(l *slog.Logger) Option { return func(c *server.Config) { c.Logger = l } }

// Start starts a server, which the test's cleanup closes. Each test may start
// several.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	c := server.Defaults()
	c.ZKListen, c.MasterListen, c.HBaseListen, c.MySQLListen, c.HTTPListen =
		"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"
	c.Sync = kv.SyncOS
	c.CacheBytes, c.MemtableBytes, c.DiskReserveBytes = 32<<20, 8<<20, 0
	c.Version = "basalttest"
	c.Logger = slog.New(slog.DiscardHandler)
	for _, o := range options {
		o(&c)
	}
	if c.DataDir == server.Defaults().DataDir {
		c.DataDir = t.TempDir()
	}
	s, err := server.Open(c)
	if err != nil {
		t.Fatalf("basalttest: %v", err)
	}
	a := s.Addresses()
	r := &Server{
		ZooKeeper: a.ZK.String(), Master: a.Master.String(), RegionServer: a.HBase.String(), MySQL: a.MySQL.String(), HTTP: a.HTTP.String(),
		Dir: c.DataDir, t: t, server: s, served: make(chan error, 1),
	}
	go func() { r.served <- s.Serve() }()
	t.Cleanup(r.Close)
	return r
}

// Close drains and ends the server before the test does. Further calls do
// nothing.
func (s *Server) Close() {
	s.t.Helper()
	if s.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err := s.server.Shutdown(ctx)
	if e := s.server.Close(); err == nil {
		err = e
	}
	if e := <-s.served; err == nil {
		err = e
	}
	s.server = nil
	if err != nil {
		s.t.Errorf("basalttest: closing: %v", err)
	}
}
