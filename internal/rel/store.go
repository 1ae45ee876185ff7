package rel

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// Options of New.
type Options struct {
	Engine  kv.Engine
	Catalog *catalog.Catalog
	// Collations gives MySQL's collations by their number, nil for unknown ones.
	Collations func(id uint16) row.Collation
}

// Store is the SQL tables of one engine. Safe for concurrent use.
type Store struct {
	engine     kv.Engine
	catalog    *catalog.Catalog
	collations func(uint16) row.Collation

	// ddl counts changes of schemas.
	ddl    atomic.Uint64
	tables sync.Map // *catalog.SQLTable -> *Table

	mu       sync.Mutex // guards all below
	counters map[uint64]*counter
	// changed has, by table id, what ddl was after the last change of a table.
	changed map[uint64]uint64
}

// New makes the Store.
func New(o Options) *Store {
	return &Store{engine: o.Engine, catalog: o.Catalog, collations: o.Collations, counters: map[uint64]*counter{}, changed: map[uint64]uint64{}}
}

// Catalog is where the tables are listed.
func (s *Store) Catalog() *catalog.Catalog { return s.catalog }

// Close writes down the numbers that AUTO_INCREMENT columns have reached.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.engine.NewBatch()
	for id, c := range s.counters {
		c.settle(b, id)
	}
	if b.Count() == 0 {
		return nil
	}
	if _, err := s.engine.Apply(b, kv.DurabilityAsync, nil); err != nil && !errors.Is(err, kv.ErrClosed) {
		return fmt.Errorf("rel: writing counters: %w", err)
	}
	return nil
}

// Lookup is the newest version of a table, not pinned. Nil: there is none.
func (s *Store) Lookup(name catalog.TableName) (*Table, error) {
	def := s.catalog.View().SQLTables[name]
	if def == nil {
		return nil, nil
	}
	return s.compiled(def)
}

func (s *Store) compiled(def *catalog.SQLTable) (*Table, error) {
	if t, ok := s.tables.Load(def); ok {
		return t.(*Table), nil
	}
	t, err := s.compile(def)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	t.seq = s.changed[def.ID]
	s.mu.Unlock()
	if def.Retired() {
		return t, nil // not kept: nobody would take it out again
	}
	kept, _ := s.tables.LoadOrStore(def, t)
	return kept.(*Table), nil
}

// Collation is a collation by its number, nil for an unknown one.
func (s *Store) Collation(id uint16) row.Collation { return s.collations(id) }

// KeyColumn is a column of a table, by its place, as keys hold it.
func (t *Table) KeyColumn(place int) row.KeyColumn {
	k := row.KeyColumn{Column: &t.Def.Columns[place], Place: place}
	if k.Column.Kind == catalog.SQLText {
		k.Collation = t.store.collations(k.Column.Collation)
	}
	return k
}
