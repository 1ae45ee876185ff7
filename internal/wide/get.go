package wide

import (
	"context"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// getState is what one read of one row needs, reused.
type getState struct {
	read   rowRead
	table  *catalog.Table
	state  kv.Reader
	reader rowReader
	row    rowData
	key    []byte
	end    []byte
}

func (s *Store) takeGet() *getState {
	if g, ok := s.gets.Get().(*getState); ok {
		return g
	}
	return new(getState)
}

func (s *Store) giveGet(g *getState) {
	g.read.closeSources()
	g.read.out, g.read.query, g.read.hints, g.state, g.table = nil, nil, nil, nil, nil
	s.gets.Put(g)
}

// Get emits the row as one result, or nothing. The mark says how far the log
// must be synced before the result may be shown; it is set on errors too.
func (s *Store) Get(ctx context.Context, r *catalog.Region, q *Get, out Emitter) (kv.Mark, error) {
	if err := checkRow(r, q.Row); err != nil {
		return 0, err
	}
	gate, err := s.enter(r.Table)
	if err != nil {
		return 0, err
	}
	defer gate.RUnlock()
	g := s.takeGet()
	defer s.giveGet(g)
	g.table = r.Table
	r.CountReads(1)
	if err := bind(&g.read.plan, &q.Query, r.Table, s.o.Clock()); err != nil {
		return 0, err
	}
	g.key = keys.AppendRow(g.key[:0], r.Table.DataID(), q.Row)
	err = s.readRow(g, out)
	return s.engine.ReadMark(g.key), err
}

// readRow reads the row of g.key with g's plan, from the newest state.
func (s *Store) readRow(g *getState, out Emitter) error {
	wide, err := s.readRowAt(g, s.engine, out, false)
	if err != nil || !wide {
		return err
	}
	// The row has cell keys: packed values and cells must be of one state.
	snap := s.engine.Snapshot()
	defer snap.Close()
	_, err = s.readRowAt(g, snap, out, true)
	return err
}

// readRowAt reads the row in a state of the store. With cells not allowed and
// met, it returns true and has emitted nothing.
func (s *Store) readRowAt(g *getState, state kv.Reader, out Emitter, cells bool) (wide bool, err error) {
	if f := g.read.query.Filter; f != nil && f.FilterAllRemaining() {
		return false, nil
	}
	g.state = state
	found, err := s.loadRow(g, state)
	if err != nil || !found {
		return false, err
	}
	r := &g.read
	for i, m := range r.matchers {
		v := g.row.family(m.family.ID)
		if v == nil {
			r.sources[i].initEmpty()
			continue
		}
		if !cells && cell.HasCells(v) {
			return true, nil
		}
		r.sources[i].initPacked(v, g.row.prefix, m.family.ID, g)
		if err := r.sources[i].err; err != nil {
			return false, err
		}
		s.watchChain(g.table, g.row.prefix, v)
	}
	r.out, r.batch, r.lim, r.bytes, r.results = out, 0, Limits{}, 0, 0
	r.maxRowBytes = s.o.MaxRowBytes
	r.begin(g.row.key)
	if drop, err := r.filtersKey(); drop || err != nil {
		return false, err
	}
	_, err = r.read()
	return false, err
}

func (g *getState) openCells(prefix []byte) (kv.Iterator, error) {
	return g.state.NewIter(kv.IterOptions{KeyRange: prefixRange(prefix)})
}

// loadRow loads the packed values of the row of g.key.
func (s *Store) loadRow(g *getState, state kv.Reader) (bool, error) {
	g.end = append(g.end[:0], g.key...)
	g.end[len(g.end)-1]++
	it, err := state.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: g.key, End: g.end}, Prefix: true})
	if err != nil {
		return false, err
	}
	defer it.Close()
	if !it.SeekGE(g.key) {
		return false, it.Error()
	}
	g.reader = rowReader{it: it, lone: true, seek: g.reader.seek}
	if !g.read.lone {
		g.reader.lone = false
		g.reader.wanted = g.read.ids
	}
	err = g.reader.loadOne(&g.row)
	g.reader.it = nil
	return err == nil, err
}

// checkRow refuses rows that the region cannot hold.
func checkRow(r *catalog.Region, row []byte) error {
	switch {
	case len(row) == 0:
		return argumentf("Row length 0 is not allowed")
	case len(row) > maxRowLength:
		return argumentf("Row length %d is > %d", len(row), maxRowLength)
	case !r.Contains(row):
		return &WrongRegionError{Row: append([]byte(nil), row...), Region: string(r.Name)}
	}
	return nil
}

// maxRowLength is HBase's.
const maxRowLength = 32767
