package wide

import (
	"bytes"
	"context"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide/filter"
)

// Scanner reads the rows of one region, in calls of Next. Not safe for
// concurrent use. Between calls it holds a snapshot and plain state; its iterator
// is the store's to keep for a moment or to close.
type Scanner struct {
	s      *Store
	region *catalog.Region
	query  Scan
	read   rowRead
	reader rowReader
	row    rowData

	point *readPoint
	// lower and upper bound what is left to read, as keys.
	lower, upper []byte
	// mid: the last call ended inside the row whose bytes are in row.key.
	mid bool
	// pieces: an earlier call gave out a piece of that row, which then counts as
	// a row even if nothing more of it is shown.
	pieces bool
	done   bool
	closed bool

	warmSlot int // where warmIters may have its iterator

	virtual *virtualReader // reads a virtual table instead
}

// OpenScanner checks a scan and pins the state that it reads. The scanner must
// be closed. q's bytes must stay as they are.
func (s *Store) OpenScanner(r *catalog.Region, q *Scan) (*Scanner, error) {
	g, err := s.enter(r.Table)
	if err != nil {
		return nil, err
	}
	defer g.RUnlock()
	sc := &Scanner{s: s, region: r, query: *q}
	if err := sc.prepare(r.Table); err != nil {
		return nil, err
	}
	sc.setBounds()
	sc.point = s.points.take(s.engine, q.ReadPoint)
	return sc, nil
}

func (sc *Scanner) prepare(t *catalog.Table) error {
	if err := bind(&sc.read.plan, &sc.query.Query, t, sc.s.o.Clock()); err != nil {
		return err
	}
	sc.read.batch = sc.query.Batch
	sc.read.maxRowBytes = sc.s.o.MaxRowBytes
	if f := sc.query.Filter; f != nil {
		if sc.query.Reversed && sc.query.LoadOnDemand {
			for _, m := range sc.read.matchers {
				if !filter.EssentialFamily(f, m.family.Name) {
					return argumentf("Reverse scan with loading CFs on demand is not supported")
				}
			}
		}
		f.SetReversed(sc.query.Reversed)
		sc.read.hints = make([]hint, len(sc.read.matchers))
	}
	sc.reader = rowReader{lone: sc.read.lone, reverse: sc.query.Reversed}
	if len(sc.query.Columns) > 0 {
		sc.reader.wanted = sc.read.ids
	}
	return nil
}

// setBounds intersects the scan's range with the region's.
func (sc *Scanner) setBounds() {
	id := sc.region.Table.DataID()
	from, to := sc.query.Start, sc.query.Stop
	includeFrom, includeTo := sc.query.IncludeStart, sc.query.IncludeStop
	if sc.query.Reversed {
		from, to = to, from
		includeFrom, includeTo = includeTo, includeFrom
	}
	sc.lower = keys.AppendData(nil, id)
	if len(sc.region.Start) > 0 {
		sc.lower = keys.AppendRow(nil, id, sc.region.Start)
	}
	if len(from) > 0 {
		k := keys.AppendRow(nil, id, from)
		if !includeFrom {
			k = keys.AppendRowEnd(nil, id, from)
		}
		if bytes.Compare(k, sc.lower) > 0 {
			sc.lower = k
		}
	}
	sc.upper = keys.AppendDataEnd(nil, id)
	if len(sc.region.End) > 0 {
		sc.upper = keys.AppendRow(nil, id, sc.region.End)
	}
	if len(to) > 0 {
		k := keys.AppendRow(nil, id, to)
		if includeTo {
			k = keys.AppendRowEnd(nil, id, to)
		}
		if bytes.Compare(k, sc.upper) < 0 {
			sc.upper = k
		}
	}
}

// ReadPoint names the state that the scanner reads, for Scan.ReadPoint. It is 0
// for virtual tables.
func (sc *Scanner) ReadPoint() uint64 {
	if sc.point == nil {
		return 0
	}
	return sc.point.number
}

// Region is the region that the scanner was opened on.
func (sc *Scanner) Region() *catalog.Region { return sc.region }

// Close releases the snapshot. It may be called more than once.
func (sc *Scanner) Close() {
	if sc.closed {
		return
	}
	sc.closed = true
	sc.read.closeSources()
	if sc.point != nil {
		sc.s.warm.drop(sc)
		if err := sc.s.points.release(sc.point); err != nil {
			sc.s.o.Logger.Error("closing a scanner's snapshot", "error", err)
		}
	}
}

// Next emits the next results within the limits. After an error the scanner can
// only be closed.
func (sc *Scanner) Next(ctx context.Context, lim *Limits, out Emitter) (Progress, error) {
	if sc.closed {
		return Progress{}, ErrScannerClosed
	}
	if sc.virtual != nil {
		return sc.nextVirtual(lim, out)
	}
	g, err := sc.s.enter(sc.region.Table)
	if err != nil {
		return Progress{}, err
	}
	defer g.RUnlock()
	if sc.done {
		return Progress{Done: true}, nil
	}
	sc.refresh()
	if bytes.Compare(sc.lower, sc.upper) >= 0 && !sc.mid {
		sc.done = true
		return Progress{Done: true}, nil
	}
	it := sc.s.warm.take(sc)
	if it == nil {
		if it, err = sc.seek(); err != nil {
			return Progress{}, err
		}
	}
	kept := false
	defer func() {
		sc.read.closeSources()
		sc.reader.it = nil
		if !kept {
			sc.s.warm.close(it)
		}
	}()
	sc.reader.it, sc.reader.bytes = it, 0
	p, err := sc.rows(ctx, lim, out)
	if err == nil && !p.Done && !p.MidRow && it.Valid() {
		sc.s.warm.keep(sc, it)
		kept = true
	}
	sc.region.CountReads(int(p.RowsScanned))
	p.Mark = sc.point.snap.Mark()
	p.BytesRead = sc.reader.bytes
	if p.Done {
		sc.done = true
	}
	return p, err
}

// seek opens an iterator at the first row that is left to read.
func (sc *Scanner) seek() (kv.Iterator, error) {
	it, err := sc.point.snap.NewIter(kv.IterOptions{
		KeyRange: kv.KeyRange{Start: sc.lower, End: sc.upper}, NoCache: sc.query.NoCache,
	})
	if err != nil {
		return nil, err
	}
	if sc.query.Reversed {
		it.Last()
	} else {
		it.First()
	}
	return it, nil
}

// refresh replaces a snapshot that has grown old, between rows.
func (sc *Scanner) refresh() {
	sc.read.setNow(sc.s.o.Clock())
	if sc.mid || time.Since(sc.point.taken) < sc.s.o.SnapshotAge {
		return
	}
	old := sc.point
	sc.s.warm.drop(sc)
	sc.point = sc.s.points.take(sc.s.engine, 0)
	if err := sc.s.points.release(old); err != nil {
		sc.s.o.Logger.Error("closing an old snapshot", "error", err)
	}
}

func (p *plan) setNow(now int64) {
	for _, m := range p.matchers {
		m.setNow(now)
	}
}

// rows reads row after row until a limit or the end.
func (sc *Scanner) rows(ctx context.Context, lim *Limits, out Emitter) (p Progress, err error) {
	r := &sc.read
	r.out, r.lim, r.bytes, r.results, r.steps = out, *lim, 0, 0, 0
	r.lim.reversed = sc.query.Reversed
	f := sc.query.Filter
	for n := 1; ; n++ {
		if !sc.reader.it.Valid() {
			if err := sc.reader.it.Error(); err != nil {
				return p, err
			}
			p.Done = true
			return p, nil
		}
		if n&0xF == 0 {
			if err := ctx.Err(); err != nil {
				return p, err
			}
			if lim.Heartbeats && !lim.Deadline.IsZero() && time.Now().After(lim.Deadline) {
				p.Early = true
				return p, nil
			}
		}
		if !sc.mid {
			if f != nil && f.FilterAllRemaining() {
				p.Done, p.FilterDone = true, true
				return p, nil
			}
			if sc.seekHints() {
				continue
			}
		}
		end, err := sc.oneRow(&p)
		p.Cursor = sc.row.key
		p.Results = r.results
		if err != nil {
			return p, err
		}
		if end == rowDone && f != nil && f.FilterAllRemaining() {
			p.Done, p.FilterDone = true, true
			return p, nil
		}
		if end == rowDone {
			if err := sc.reader.leave(&sc.row); err != nil {
				return p, err
			}
		}
		switch {
		case end == rowCut:
			p.MidRow, p.Early = true, true
			return p, nil
		case lim.Rows > 0 && p.Rows >= lim.Rows:
			p.LimitReached = true
			p.Done = !sc.reader.it.Valid()
			return p, sc.reader.it.Error()
		case lim.Results > 0 && r.results >= lim.Results:
			p.Done = !sc.reader.it.Valid()
			return p, sc.reader.it.Error()
		case lim.Bytes > 0 && r.bytes >= lim.Bytes:
			p.Done = !sc.reader.it.Valid()
			p.Early = !p.Done
			return p, sc.reader.it.Error()
		}
	}
}

// oneRow reads the row at hand, or goes on inside it.
func (sc *Scanner) oneRow(p *Progress) (rowEnd, error) {
	r := &sc.read
	f := sc.query.Filter
	if err := sc.reader.load(&sc.row); err != nil {
		return rowDone, err
	}
	if err := sc.setSources(); err != nil {
		return rowDone, err
	}
	pieces := false
	if sc.mid {
		pieces = sc.pieces
		sc.mid = false
		r.resume(sc.row.key)
	} else {
		r.begin(sc.row.key)
		if drop, err := sc.read.filtersKey(); err != nil {
			return rowDone, err
		} else if drop {
			p.RowsScanned++
			p.RowsFiltered++
			f.Reset()
			sc.passed()
			return rowDone, nil
		}
	}
	before := r.results
	for {
		end, err := r.read()
		if err != nil {
			return end, err
		}
		if end == rowDone {
			break
		}
		if r.lim.Results > 0 && r.results >= r.lim.Results ||
			r.lim.Bytes > 0 && r.lim.Partials && r.bytes >= r.lim.Bytes || r.expired() {
			sc.hold()
			sc.pieces = pieces || r.results > before
			return rowCut, nil
		}
		// The piece was full, the call is not.
	}
	p.RowsScanned++
	if pieces || r.results > before {
		p.Rows++
	} else {
		p.RowsFiltered++
	}
	if f != nil {
		f.Reset()
	}
	sc.passed()
	return rowDone, nil
}

func (sc *Scanner) setSources() error {
	r := &sc.read
	for i, m := range r.matchers {
		s := &r.sources[i]
		if v := sc.row.family(m.family.ID); v != nil {
			sc.s.watchChain(sc.region.Table, sc.row.prefix, v)
			s.initPacked(v, sc.row.prefix, m.family.ID, sc)
		} else {
			s.initEmpty()
		}
		if s.err != nil {
			return s.err
		}
	}
	return nil
}

func (sc *Scanner) openCells(prefix []byte) (kv.Iterator, error) {
	return sc.point.snap.NewIter(kv.IterOptions{KeyRange: prefixRange(prefix)})
}

// prefixRange is the range of all keys that start with prefix, which does not
// end in FF.
func prefixRange(prefix []byte) kv.KeyRange {
	end := append([]byte(nil), prefix...)
	end[len(end)-1]++
	return kv.KeyRange{Start: append([]byte(nil), prefix...), End: end}
}

// passed moves the bound behind the row that was read.
func (sc *Scanner) passed() {
	if sc.query.Reversed {
		sc.upper = append(sc.upper[:0], sc.row.prefix...)
	} else {
		sc.lower = append(sc.lower[:0], sc.row.prefix...)
		sc.lower[len(sc.lower)-1]++
	}
}

// hold moves the bound to the row itself, to be read on.
func (sc *Scanner) hold() {
	sc.mid = true
	if sc.query.Reversed {
		sc.upper = append(sc.upper[:0], sc.row.prefix...)
		sc.upper[len(sc.upper)-1]++
	} else {
		sc.lower = append(sc.lower[:0], sc.row.prefix...)
	}
}

// seekHints skips the rows before which the filter wants to see no family. It
// returns true if the iterator moved.
func (sc *Scanner) seekHints() bool {
	r := &sc.read
	if len(r.hints) == 0 {
		return false
	}
	var target []byte
	for i := range r.hints {
		h := &r.hints[i]
		if !h.set {
			return false
		}
		d := bytes.Compare(h.target.Row, target)
		if target == nil || d < 0 && !sc.query.Reversed || d > 0 && sc.query.Reversed {
			target = h.target.Row
		}
	}
	it := sc.reader.it
	id := sc.region.Table.DataID()
	if sc.query.Reversed {
		k := keys.AppendRowEnd(nil, id, target)
		if bytes.Compare(it.Key(), k) < 0 {
			return false
		}
		it.SeekLT(k)
		return true
	}
	k := keys.AppendRow(nil, id, target)
	if bytes.Compare(it.Key(), k) >= 0 {
		return false
	}
	it.SeekGE(k)
	return true
}
