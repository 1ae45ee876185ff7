package general

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	gms "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/variables"
	"github.com/sirupsen/logrus"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
)

// defaultCollation is utf8mb4_0900_ai_ci, as in MySQL 8.
const defaultCollation = sql.Collation_utf8mb4_0900_ai_ci

// Engine is the general engine over one store. Safe for concurrent use.
type Engine struct {
	store   *rel.Store
	catalog *catalog.Catalog
	gms     *gms.Engine
	log     *slog.Logger
	version string
	// shapes are by *rel.Table. An entry goes with its table's version.
	shapes sync.Map
	pid    atomic.Uint64
	// Disconnect ends a session's connection.
	disconnect func(id uint32) error
}

// Options of New.
type Options struct {
	Store *rel.Store
	Log   *slog.Logger
	// Version is what VERSION() says.
	Version string
	// Disconnect ends a session's connection (KILL).
	Disconnect func(id uint32) error
}

// The engine keeps its variables and its choice of authorization globally, so
// that they are set once a process.
var settle sync.Once

// New makes the engine.
func New(o Options) (*Engine, error) {
	e := &Engine{store: o.Store, catalog: o.Store.Catalog(), log: o.Log, version: o.Version, disconnect: o.Disconnect}
	if e.log == nil {
		e.log = slog.Default()
	}
	var err error
	settle.Do(func() {
		// The engine logs each KILL and the like; what matters comes back as errors.
		logrus.SetLevel(logrus.ErrorLevel)
		variables.InitStatusVariables()
		err = settleVariables(o.Version)
	})
	if err != nil {
		return nil, err
	}
	a := analyzer.NewBuilder(&provider{e}).Build()
	a.Catalog.RegisterFunction(sql.NewEmptyContext(), sql.FunctionN{Name: "version", Fn: function.NewVersion("")})
	e.gms = gms.New(a, &gms.Config{})
	return e, e.loadAccounts(context.Background())
}

// Close ends the engine's own goroutines.
func (e *Engine) Close() error {
	if err := e.gms.Close(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// shapeOf is a table in the engine's terms.
func (e *Engine) shapeOf(t *rel.Table) (*shape, error) {
	if s, ok := e.shapes.Load(t); ok {
		return s.(*shape), nil
	}
	s, err := newShape(t)
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", t.Def.Name, err)
	}
	if !t.Def.Retired() {
		e.shapes.Store(t, s)
	}
	return s, nil
}

// forgetShapes drops the shapes of tables that were changed.
func (e *Engine) forgetShapes() {
	e.shapes.Range(func(k, _ any) bool {
		if k.(*rel.Table).Def.Retired() {
			e.shapes.Delete(k)
		}
		return true
	})
}
