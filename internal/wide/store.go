package wide

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
)

// Options of a Store. The zero value has working defaults.
type Options struct {
	// Clock is the time in ms; nil: the system's.
	Clock func() int64
	// MaxCellBytes bounds a cell as HBase counts it (key and value); 0: 10 MiB.
	MaxCellBytes int
	// MaxRowBytes bounds what one read of a row may collect; 0: 1 GiB.
	MaxRowBytes int64
	// LockTimeout bounds the wait for a row's lock; 0: 30 s.
	LockTimeout time.Duration
	// SnapshotAge is how old a scanner's snapshot may grow before it takes a new
	// one at a row boundary; 0: 60 s.
	SnapshotAge time.Duration
	// SpillBytes and SpillCells: beyond either, the cells of a packed row move
	// to keys of their own; 0: 64 KiB and 1000.
	SpillBytes, SpillCells int
	// LargeValueBytes: longer values get a key of their own; 0: 4 KiB.
	LargeValueBytes int
	// ChainLength is the number of unread writes to a row after which it is
	// rewritten; 0: 64.
	ChainLength int
	// NonceAge is how long the outcome of an increment or append is kept for
	// retries; 0: 5 minutes.
	NonceAge time.Duration
	Logger   *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Clock == nil {
		o.Clock = func() int64 { return time.Now().UnixMilli() }
	}
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&o.MaxCellBytes, 10<<20)
	def(&o.SpillBytes, 64<<10)
	def(&o.SpillCells, 1000)
	def(&o.LargeValueBytes, 4<<10)
	def(&o.ChainLength, 64)
	if o.MaxRowBytes == 0 {
		o.MaxRowBytes = 1 << 30
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = 30 * time.Second
	}
	if o.SnapshotAge == 0 {
		o.SnapshotAge = time.Minute
	}
	if o.NonceAge == 0 {
		o.NonceAge = 5 * time.Minute
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// Store reads and writes the rows of all tables. Safe for concurrent use.
type Store struct {
	engine kv.Engine
	o      Options

	gates sync.Map // data id -> *sync.RWMutex
	seq   atomic.Uint64
	gets  sync.Pool // *getState
	muts  sync.Pool // *mutState

	points  readPoints
	warm    warmIters
	nonces  *nonceTable
	rewrite *rewriter
}

// New opens the wide rows of an engine. Close it before the engine.
func New(e kv.Engine, o Options) (*Store, error) {
	s := &Store{engine: e, o: o.withDefaults()}
	s.warm.logger = s.o.Logger
	// Arrival numbers must grow over restarts: they start from the clock.
	s.seq.Store(uint64(s.o.Clock()) << 20)
	s.points.next.Store(uint64(s.o.Clock()) << 16)
	var err error
	if s.nonces, err = openNonces(e, s.o); err != nil {
		return nil, fmt.Errorf("wide: load nonces: %w", err)
	}
	s.rewrite = startRewriter(s)
	return s, nil
}

// Close ends the background work. Scanners must be closed before.
func (s *Store) Close() { s.rewrite.stop() }

// Engine is the engine below.
func (s *Store) Engine() kv.Engine { return s.engine }

func (s *Store) gate(dataID uint64) *sync.RWMutex {
	if g, ok := s.gates.Load(dataID); ok {
		return g.(*sync.RWMutex)
	}
	g, _ := s.gates.LoadOrStore(dataID, new(sync.RWMutex))
	return g.(*sync.RWMutex)
}

// enter lets an operation on a table begin, unless the table has been replaced.
// The gate is unlocked (RUnlock) when the operation is over.
func (s *Store) enter(t *catalog.Table) (*sync.RWMutex, error) {
	if len(t.DataIDs) != 1 {
		return nil, fmt.Errorf("wide: table %s has %d data ids", t.Name, len(t.DataIDs))
	}
	g := s.gate(t.DataID())
	g.RLock()
	switch {
	case t.Retired():
		g.RUnlock()
		return nil, ErrRetired
	case t.State != catalog.Enabled:
		g.RUnlock()
		return nil, ErrNotServing
	}
	return g, nil
}

// Drain waits until no operation that began on this version of the table is
// under way. The table must be retired or disabled, so that none begins.
func (s *Store) Drain(t *catalog.Table) {
	for _, id := range t.DataIDs {
		g := s.gate(id)
		g.Lock()
		//lint:ignore SA2001 waiting for the readers is the purpose
		g.Unlock()
	}
}
