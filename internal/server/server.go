package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/hbase/zk"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/mysql"
	"github.com/basaltdb/basalt/internal/wide"
)

// Server is a whole Basalt. Its methods are safe for concurrent use.
type Server struct {
	config    Config
	log       *slog.Logger
	started   time.Time
	startCode int64
	state     stateBox
	listeners listeners
	addresses Addresses
	metrics   *metrics

	engine  kv.Engine
	catalog *catalog.Catalog
	store   *wide.Store
	clients *hbase.Service
	rpc     *rpc.Server
	zk      *zk.Server // nil when the door is closed
	mysql   *mysql.Server
	http    *http.Server // nil when the door is closed

	// closers undo Open, the last one first.
	closers []func() error
	close   func() error
}

// Open builds a server and binds its doors; they answer once Serve is called.
// What is wrong with the configuration is a UsageError.
func Open(c Config) (_ *Server, err error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	s := &Server{config: c, log: c.Logger, started: time.Now()}
	if s.log == nil {
		s.log = newLogger(c.LogLevel, c.LogFormat)
	}
	s.close = sync.OnceValue(s.undo)
	defer func() {
		if err != nil {
			s.close()
		}
	}()
	// The ports first: a mistake there should not touch the data.
	if s.listeners, err = listen(&c); err != nil {
		return nil, err
	}
	s.onClose(s.listeners.close)
	if s.addresses, err = s.listeners.addresses(c.AdvertiseHost); err != nil {
		return nil, err
	}
	if err := s.openStore(); err != nil {
		return nil, err
	}
	if err := s.openDoors(); err != nil {
		return nil, err
	}
	return s, nil
}

// onClose adds what has no error to what Close does.
func (s *Server) onClose(f func()) {
	s.closers = append(s.closers, func() error { f(); return nil })
}

func newLogger(level slog.Level, format string) *slog.Logger {
	o := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, o))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, o))
}

// Addresses are where the doors are, as clients are told.
func (s *Server) Addresses() Addresses { return s.addresses }

// Serve answers clients until Shutdown, and then returns nil at once. It returns
// early with an error when a door fails. It may be called once.
func (s *Server) Serve() error {
	doors := []struct {
		name  string
		on    net.Listener
		serve func(net.Listener) error
	}{
		{"zookeeper", s.listeners.zk, func(l net.Listener) error { return s.zk.Serve(l) }},
		{"master", s.listeners.master, s.rpc.Serve},
		{"hbase", s.listeners.hbase, s.rpc.Serve},
		{"mysql", s.listeners.mysql, s.mysql.Serve},
		{"mysql", s.listeners.mysqlSocket, s.mysql.Serve},
		{"http", s.listeners.http, func(l net.Listener) error {
			return s.http.Serve(limitConnections(l, s.config.MaxConnections))
		}},
	}
	if !s.state.begin() {
		return errors.New("server: shut down before it served")
	}
	ended := make(chan error, len(doors))
	for _, d := range doors {
		if d.on == nil {
			ended <- nil
			continue
		}
		go func() {
			err := d.serve(d.on)
			if err != nil && s.state.Load() == serving {
				ended <- fmt.Errorf("%s door: %w", d.name, err)
				return
			}
			ended <- nil
		}()
	}
	for range doors {
		if err := <-ended; err != nil {
			return err
		}
	}
	return nil
}

// Shutdown drains: no connection is accepted any more, calls under way are
// answered as long as ctx lasts, then all connections are closed. Close comes
// after it.
func (s *Server) Shutdown(ctx context.Context) error {
	s.state.Store(draining)
	var ends []func(context.Context) error
	ends = append(ends, s.rpc.Shutdown, s.mysql.Shutdown)
	if s.zk != nil {
		ends = append(ends, s.zk.Shutdown)
	}
	errs := make(chan error, len(ends))
	for _, end := range ends {
		go func() { errs <- end(ctx) }()
	}
	var err error
	for range ends {
		err = errors.Join(err, <-errs)
	}
	// Last, so that /readyz tells of the drain and /metrics can be read in it.
	if s.http != nil {
		err = errors.Join(err, s.http.Shutdown(ctx))
	}
	return err
}

// Close ends the server, without draining if it still serves, and closes the
// store. Further calls return what the first one did.
func (s *Server) Close() error { return s.close() }

func (s *Server) undo() error {
	if s.state.Load() == serving {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		s.Shutdown(ctx) // its error says that calls were cut off, as asked for
	}
	s.state.Store(stopped)
	if s.http != nil {
		s.http.Close()
	}
	var err error
	for i := len(s.closers) - 1; i >= 0; i-- {
		err = errors.Join(err, s.closers[i]())
	}
	return err
}
