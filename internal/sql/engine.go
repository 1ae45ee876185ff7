package sql

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/sql/general"
)

// ServerVersion is what clients are told by default: the MySQL release that is
// followed.
const ServerVersion = "8.0.36-Basalt"

// Options of Open.
type Options struct {
	Engine  kv.Engine
	Catalog *catalog.Catalog
	// Version is the server's version for clients. "": ServerVersion.
	Version string
	// Log gets what no client could act on. Nil: slog.Default().
	Log *slog.Logger
}

type engine struct {
	store   *rel.Store
	general *general.Engine
	version string
	started time.Time
	queries atomic.Int64

	mu       sync.Mutex // guards sessions
	sessions map[uint32]*session
}

// Open makes the SQL engine over a store and its catalog, both of which others
// use at the same time. It must be closed before they are.
func Open(o Options) (Engine, error) {
	if o.Version == "" {
		o.Version = ServerVersion
	}
	e := &engine{version: o.Version, started: time.Now(), sessions: map[uint32]*session{}}
	e.store = rel.New(rel.Options{Engine: o.Engine, Catalog: o.Catalog, Collations: general.Collation})
	var err error
	e.general, err = general.New(general.Options{
		Store: e.store, Log: o.Log, Version: o.Version,
		Disconnect: func(id uint32) error { return e.Kill(id, true) },
	})
	if err != nil {
		return nil, fmt.Errorf("sql: %w", err)
	}
	return e, nil
}

func (e *engine) Version() string { return e.version }

func (e *engine) Close() error {
	err := e.general.Close()
	if serr := e.store.Close(); err == nil {
		err = serr
	}
	return err
}

func (e *engine) Account(user, address string) (Account, bool) {
	a, ok := e.general.Account(user, address)
	if !ok {
		return Account{}, false
	}
	out := Account{User: a.User, Host: a.Host, Plugin: a.Plugin, Stored: a.Stored, Locked: a.Locked}
	out.LocalOnly = a.User == "root" && a.Stored == ""
	return out, true
}

func (e *engine) NewSession(o SessionOptions) (Session, error) {
	s := &session{engine: e, id: o.ConnectionID, statements: map[*stmt]struct{}{}}
	if err := s.start(o); err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.sessions[o.ConnectionID] = s
	e.mu.Unlock()
	return s, nil
}

func (e *engine) Kill(id uint32, connection bool) error {
	e.mu.Lock()
	s := e.sessions[id]
	e.mu.Unlock()
	if s == nil {
		return general.Errorf(1094, "Unknown thread id: %d", id)
	}
	e.general.Kill(id)
	s.interrupt(connection)
	return nil
}

func (e *engine) Statistics() string {
	e.mu.Lock()
	threads := len(e.sessions)
	e.mu.Unlock()
	up := time.Since(e.started)
	n := e.queries.Load()
	return fmt.Sprintf("Uptime: %d  Threads: %d  Questions: %d  Slow queries: 0  Opens: 0  Flush tables: 0  Open tables: 0  Queries per second avg: %.3f",
		int64(up.Seconds()), threads, n, float64(n)/max(up.Seconds(), 1))
}

func (e *engine) forget(id uint32) {
	e.mu.Lock()
	delete(e.sessions, id)
	e.mu.Unlock()
}

// background is the context of what must not be given up half way: ends of
// transactions.
func background(ctx context.Context) context.Context { return context.WithoutCancel(ctx) }
