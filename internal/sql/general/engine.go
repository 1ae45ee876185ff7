package general

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	gms "github.com/dolthub/go-mysql-server"
	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/analyzer"
	"github.com/dolthub/go-mysql-server/sql/expression/function"
	"github.com/dolthub/go-mysql-server/sql/variables"

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
		variables.InitStatusVariables()
		err = settleVariables(o.Version)
	})
	if err != nil {
		return nil, err
	}
	b := analyzer.NewBuilder(&provider{e})
	// Foreign keys are rel's, with locks.
	removed := false
	for _, r := range analyzer.OnceAfterDefault {
		if r.Id.String() == "applyForeignKeys" {
			b.RemoveOnceAfterRule(r.Id)
			removed = true
		}
	}
	if !removed {
		return nil, fmt.Errorf("general: the engine has no rule applyForeignKeys to take out")
	}
	a := b.Build()
	a.Catalog.RegisterFunction(sql.NewEmptyContext(), sql.FunctionN{Name: "version", Fn: function.NewVersion("")})
	e.gms = gms.New(a, &gms.Config{})
	return e, e.loadAccounts(context.Background())
}

// Close ends the engine's own goroutines.
func (e *Engine) Close() error { return e.gms.Close() }

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

// settleVariables sets those variables to MySQL 8's values that drivers look at
// and the engine has otherwise.
func settleVariables(version string) error {
	values := map[string]any{
		"version":                       version,
		"version_comment":               "Basalt",
		"collation_server":              defaultCollation.Name(),
		"collation_connection":          defaultCollation.Name(),
		"collation_database":            defaultCollation.Name(),
		"default_collation_for_utf8mb4": defaultCollation.Name(),
		"sql_mode":                      "ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION",
		"performance_schema":            0,
	}
	for name, v := range values {
		if err := sql.SystemVariables.AssignValues(map[string]any{name: v}); err != nil {
			if sql.ErrUnknownSystemVariable.Is(err) {
				continue
			}
			return fmt.Errorf("general: setting %s: %w", name, err)
		}
	}
	return nil
}
