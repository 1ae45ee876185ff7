package wide

import (
	"bytes"
	"time"

	"github.com/basaltdb/basalt/internal/wide/cell"
	"github.com/basaltdb/basalt/internal/wide/filter"
)

// position is a cell in a row: where a read of it goes on.
type position struct {
	family    int // index into the plan
	at        bool
	qualifier []byte
	timestamp int64
	typ       cell.Type
}

// rowRead carries one read over rows: the plan, the filter's row phase, what has
// been collected, and the limits. It is used by gets and by scanners.
type rowRead struct {
	plan
	out Emitter
	lim Limits
	// batch > 0 cuts rows into results.
	batch       int
	maxRowBytes int64

	// progress of this call
	bytes   int64
	results int

	// the row at hand
	key     []byte
	perFam  int       // cells seen in the family, for StoreLimit and StoreOffset
	changed cell.Cell // what the filter made of the cell at hand
	inPiece int       // cells of the current result
	pos     position
	// held are cells collected because a filter has a say at the end.
	held  []cell.Cell
	arena []byte
	steps int
	// rowBytes is what the row has given so far.
	rowBytes int64
	// hints: a family is not read before this cell.
	hints []hint
}

type hint struct {
	set    bool
	target cell.Cell
}

// rowEnd says how reading a row ended.
type rowEnd uint8

const (
	rowDone rowEnd = iota
	rowCut         // a limit was reached inside the row
	rowStop        // the filter ended the scan; seen by read only
)

// cellBytes is the size of a cell as HBase counts it against result sizes: what
// it takes in the region server's memory.
func cellBytes(c *cell.Cell) int64 {
	n := cellOverhead + len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value)
	if len(c.Tags) > 0 {
		n += 2 + len(c.Tags)
	}
	return int64(n)
}

// cellOverhead is the fixed part: 20 bytes of a KeyValue (lengths, timestamp,
// type) and 32 of the object around it in a JVM.
const cellOverhead = 52

// begin prepares for a new row whose sources are set up.
func (r *rowRead) begin(key []byte) {
	r.key = key
	for i := range r.matchers {
		r.matchers[i].resetRow()
		r.sources[i].cur.Row = key
	}
	r.pos = position{}
	r.perFam, r.inPiece, r.rowBytes = 0, 0, 0
	r.held, r.arena = r.held[:0], r.arena[:0]
}

// filtersKey asks the filter, if there is one, about the row's first cell.
func (r *rowRead) filtersKey() (bool, error) {
	f := r.query.Filter
	if f == nil {
		return false, nil
	}
	for i := range r.sources {
		if s := &r.sources[i]; s.valid {
			return f.FilterRowKey(&s.cur), filter.Err(f)
		}
	}
	return false, nil
}

// resume prepares to go on inside a row whose sources are set up anew.
func (r *rowRead) resume(key []byte) {
	r.key = key
	for i := range r.sources {
		r.sources[i].cur.Row = key
	}
	r.inPiece, r.rowBytes = 0, 0
	r.held, r.arena = r.held[:0], r.arena[:0]
	if r.pos.at {
		r.sources[r.pos.family].seek(r.pos.qualifier, r.pos.timestamp, r.pos.typ)
	}
}

// holds tells whether cells are collected until the row's end.
func (r *rowRead) holds() bool { return r.query.Filter != nil }

// rowPhase tells whether the filter decides over whole rows.
func (r *rowRead) rowPhase() bool { return r.query.Filter != nil && r.query.Filter.HasFilterRow() }

// read reads the row from r.pos on and emits what it shows.
func (r *rowRead) read() (rowEnd, error) {
	cuttable := !r.rowPhase()
	for ; r.pos.family < len(r.matchers); r.pos = (position{family: r.pos.family + 1}) {
		i := r.pos.family
		if !r.pos.at {
			r.perFam = 0
		}
		if r.hinted(i) {
			continue
		}
		end, err := r.readFamily(i, cuttable)
		if err != nil || end == rowCut {
			return end, err
		}
		if end == rowStop {
			break
		}
	}
	return r.finish()
}

func (r *rowRead) readFamily(i int, cuttable bool) (rowEnd, error) {
	m, s := r.matchers[i], &r.sources[i]
	for s.valid {
		if r.steps++; r.steps&0xFF == 0 && cuttable && r.expired() {
			r.savePosition(i)
			return r.cut()
		}
		switch v := m.match(&s.cur); v {
		case include, includeNextColumn, includeNextRow:
			c := &s.cur
			if m.filter != nil {
				r.changed = s.cur
				m.filter.Transform(&r.changed)
				c = &r.changed
			}
			done, err := r.add(c, s)
			if err != nil {
				return rowDone, err
			}
			switch {
			case done || v == includeNextRow:
				s.valid = false
			case v == includeNextColumn:
				r.leaveColumn(m, s)
			default:
				s.advance()
			}
			if cuttable && r.full() {
				if s.err != nil {
					return rowDone, s.err
				}
				if r.more(i) {
					r.savePosition(i)
					return r.cut()
				}
			}
		case skip:
			s.advance()
		case nextColumn:
			r.leaveColumn(m, s)
		case nextRow:
			s.valid = false
		case useHint:
			if r.hint(i, m, s) {
				return rowDone, nil
			}
		case endScan:
			return rowStop, nil
		}
	}
	return rowDone, s.err
}

// leaveColumn goes on behind the column. Markers of the whole family sort into
// the empty column, so that one is never skipped.
func (r *rowRead) leaveColumn(m *matcher, s *source) {
	if len(s.cur.Qualifier) == 0 {
		s.advance()
		return
	}
	s.skipColumn(m.nextWanted())
}

// leaveEmptyColumn goes behind the empty column before a seek, and notes the
// markers of the whole family that are there. A raw read has no use for them.
func (m *matcher) leaveEmptyColumn(s *source) {
	if m.raw {
		return
	}
	for s.valid && len(s.cur.Qualifier) == 0 {
		if s.cur.Type.IsDelete() {
			m.match(&s.cur)
		}
		s.advance()
	}
}

// hint follows the filter's hint; true: nothing more of this family in this row.
func (r *rowRead) hint(i int, m *matcher, s *source) bool {
	target, ok := m.filter.NextHint(&s.cur)
	if !ok {
		s.advance()
		return false
	}
	d := bytes.Compare(target.Row, s.cur.Row)
	if r.hints != nil && (d > 0 && !r.reversed() || d < 0 && r.reversed()) {
		h := &r.hints[i]
		h.set, h.target = true, target.Clone()
		return true
	}
	if d != 0 {
		s.advance()
		return false
	}
	switch d = bytes.Compare(target.Family, s.cur.Family); {
	case len(target.Family) > 0 && d > 0:
		return true
	case len(target.Family) > 0 && d < 0 || cell.Compare(&target, &s.cur) <= 0:
		s.advance()
	default:
		m.leaveEmptyColumn(s)
		if s.valid && cell.Compare(&target, &s.cur) > 0 {
			s.seek(target.Qualifier, target.Timestamp, target.Type)
		}
	}
	return false
}

func (r *rowRead) reversed() bool { return r.lim.reversed }

// hinted tells whether family i is not to be read in this row, since a hint
// pointed behind it.
func (r *rowRead) hinted(i int) bool {
	if i >= len(r.hints) || !r.hints[i].set {
		return false
	}
	h := &r.hints[i]
	d := bytes.Compare(r.key, h.target.Row)
	if r.reversed() {
		d = -d
	}
	if d < 0 {
		return true
	}
	h.set = false
	if d == 0 && (len(h.target.Family) == 0 || bytes.Equal(h.target.Family, r.matchers[i].family.Name)) && len(h.target.Qualifier) > 0 {
		r.matchers[i].leaveEmptyColumn(&r.sources[i])
		r.sources[i].seek(h.target.Qualifier, h.target.Timestamp, h.target.Type)
	}
	return false
}

// add takes an included cell; done says that the family has given all it may.
func (r *rowRead) add(c *cell.Cell, s *source) (done bool, err error) {
	q := r.query
	r.perFam++
	if r.perFam <= q.StoreOffset {
		return false, nil
	}
	// The last cell within the limit ends the family: the filter, which may
	// count, sees no more. A limit of 0 shows one cell, as HBase's does.
	done = q.StoreLimit >= 0 && r.perFam >= q.StoreLimit+q.StoreOffset
	size := cellBytes(c)
	r.rowBytes += size
	if r.rowBytes > r.maxRowBytes {
		return true, &RowTooBigError{Row: append([]byte(nil), r.key...), Limit: r.maxRowBytes}
	}
	r.bytes += size
	r.inPiece++
	if !r.holds() {
		r.out.Cell(c)
		return done, nil
	}
	held := *c
	if s.volatile() {
		held.Qualifier = r.keep(c.Qualifier)
		held.Value = r.keep(c.Value)
		held.Tags = r.keep(c.Tags)
	}
	r.held = append(r.held, held)
	return done, nil
}

// keep copies bytes to where they live until the end of the row.
func (r *rowRead) keep(b []byte) []byte {
	if len(b) == 0 {
		return b
	}
	if cap(r.arena)-len(r.arena) < len(b) {
		// Cells collected so far keep the old arena alive.
		r.arena = make([]byte, 0, max(2*cap(r.arena), len(b), 4096))
	}
	n := len(r.arena)
	r.arena = append(r.arena, b...)
	return r.arena[n:len(r.arena):len(r.arena)]
}

// full tells whether the piece or the call has reached a limit that may be
// reached inside a row.
func (r *rowRead) full() bool {
	if r.batch > 0 && r.inPiece >= r.batch {
		return true
	}
	return r.lim.Partials && r.lim.Bytes > 0 && r.bytes >= r.lim.Bytes && r.inPiece > 0
}

// expired tells whether the call's time is over and that may show inside a row.
func (r *rowRead) expired() bool {
	return r.lim.Heartbeats && r.lim.Partials && !r.lim.Deadline.IsZero() && time.Now().After(r.lim.Deadline)
}

// more tells whether any cell, shown or not, is left in the row after family i's
// current position.
func (r *rowRead) more(i int) bool {
	if r.sources[i].valid {
		return true
	}
	for j := i + 1; j < len(r.sources); j++ {
		if r.sources[j].valid {
			return true
		}
	}
	return false
}

func (r *rowRead) savePosition(i int) {
	s := &r.sources[i]
	if !s.valid {
		r.pos = position{family: i + 1}
		return
	}
	r.pos.family, r.pos.at = i, true
	r.pos.qualifier = append(r.pos.qualifier[:0], s.cur.Qualifier...)
	r.pos.timestamp, r.pos.typ = s.cur.Timestamp, s.cur.Type
}

// cut ends the piece inside the row.
func (r *rowRead) cut() (rowEnd, error) {
	if f := r.query.Filter; f != nil {
		if err := filter.Err(f); err != nil {
			return rowCut, err
		}
	}
	if r.inPiece > 0 {
		r.flush()
		r.out.EndResult(true)
		r.results++
		r.inPiece = 0
	}
	return rowCut, nil
}

func (r *rowRead) flush() {
	for i := range r.held {
		r.out.Cell(&r.held[i])
	}
	r.held, r.arena = r.held[:0], r.arena[:0]
}

// finish ends the row: the filter's last word, then the result.
func (r *rowRead) finish() (rowEnd, error) {
	f := r.query.Filter
	if f != nil {
		if err := filter.Err(f); err != nil {
			return rowDone, err
		}
		drop := false
		if f.HasFilterRow() {
			if len(r.held) > 0 {
				r.held = f.FilterRowCells(r.held)
				drop = len(r.held) > 0 && f.FilterRow()
			}
		} else if len(r.held) > 0 {
			drop = f.FilterRow()
		}
		if drop {
			r.held = r.held[:0]
		}
		if r.batch > 0 && f.HasFilterRow() && r.inPiece >= r.batch {
			// HBase cannot stop inside such a row either.
			return rowDone, &IncompatibleFilterError{}
		}
		if len(r.held) != r.inPiece {
			r.recount()
		}
	}
	if r.inPiece == 0 {
		return rowDone, nil
	}
	r.emitRow()
	return rowDone, nil
}

// recount counts the bytes again after the filter changed the row.
func (r *rowRead) recount() {
	r.bytes -= r.rowBytes
	r.rowBytes = 0
	for i := range r.held {
		r.rowBytes += cellBytes(&r.held[i])
	}
	r.bytes += r.rowBytes
	r.inPiece = len(r.held)
}

// emitRow emits what is left of the row.
func (r *rowRead) emitRow() {
	r.flush()
	r.out.EndResult(false)
	r.results++
	r.inPiece = 0
}
