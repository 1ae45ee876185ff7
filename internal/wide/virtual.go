package wide

import (
	"bytes"
	"errors"
	"sort"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// VirtualRow is a row of a virtual table. Its cells are complete (row and
// family too), sorted by cell.CompareFull, and are not changed any more.
type VirtualRow struct {
	Key   []byte
	Cells []cell.Cell
}

// Virtual is a table that is computed, such as hbase:meta: read-only, in an
// order of its own.
type Virtual struct {
	Name string
	Rows []VirtualRow // sorted by Compare
	// Compare orders row keys; it must accept any bytes.
	Compare  func(a, b []byte) int
	Families [][]byte
}

// errVirtualBatch cannot happen: virtual rows have no cell keys.
var errVirtualBatch = errors.New("wide: a virtual row was cut")

// table describes the virtual table to the query planner.
func (v *Virtual) table() *catalog.Table {
	t := &catalog.Table{Name: catalog.ParseTableName(v.Name)}
	for i, f := range v.Families {
		t.Families = append(t.Families, &catalog.Family{
			ID: uint32(i), Name: f, MaxVersions: 1, TTLSeconds: catalog.Forever,
		})
	}
	sort.Slice(t.Families, func(i, j int) bool {
		return bytes.Compare(t.Families[i].Name, t.Families[j].Name) < 0
	})
	return t
}

// GetVirtual is Store.Get for a virtual table.
func GetVirtual(v *Virtual, q *Get, out Emitter) error {
	i := sort.Search(len(v.Rows), func(i int) bool { return v.Compare(v.Rows[i].Key, q.Row) >= 0 })
	var r rowRead
	if err := bind(&r.plan, &q.Query, v.table(), time.Now().UnixMilli()); err != nil {
		return err
	}
	if i == len(v.Rows) || !bytes.Equal(v.Rows[i].Key, q.Row) {
		return nil
	}
	r.out, r.maxRowBytes = out, 1<<40
	r.setVirtual(&v.Rows[i])
	r.begin(v.Rows[i].Key)
	if drop, err := r.filtersKey(); drop || err != nil {
		return err
	}
	if end, err := r.read(); err != nil {
		return err
	} else if end != rowDone {
		return errVirtualBatch
	}
	return nil
}

func (r *rowRead) setVirtual(row *VirtualRow) {
	for i, m := range r.matchers {
		cells := row.Cells
		for len(cells) > 0 && !bytes.Equal(cells[0].Family, m.family.Name) {
			cells = cells[1:]
		}
		n := 0
		for n < len(cells) && bytes.Equal(cells[n].Family, m.family.Name) {
			n++
		}
		r.sources[i].initList(cells[:n])
	}
}

// virtualReader is a scanner's place in a virtual table.
type virtualReader struct {
	table *Virtual
	at    int // index of the next row
	end   int // one past the last row (reversed: before it)
}

// OpenVirtualScanner is Store.OpenScanner for a virtual table.
func (s *Store) OpenVirtualScanner(v *Virtual, q *Scan) (*Scanner, error) {
	sc := &Scanner{s: s, query: *q, virtual: &virtualReader{table: v}}
	if err := sc.prepare(v.table()); err != nil {
		return nil, err
	}
	sc.virtual.setBounds(q)
	return sc, nil
}

// first is the index of the first row at or after key (after: behind key).
func (r *virtualReader) first(key []byte, after bool) int {
	rows, compare := r.table.Rows, r.table.Compare
	return sort.Search(len(rows), func(i int) bool {
		d := compare(rows[i].Key, key)
		return d > 0 || d == 0 && !after
	})
}

func (r *virtualReader) setBounds(q *Scan) {
	if q.Reversed {
		r.at, r.end = len(r.table.Rows)-1, -1
		if len(q.Start) > 0 {
			r.at = r.first(q.Start, q.IncludeStart) - 1
		}
		if len(q.Stop) > 0 {
			r.end = r.first(q.Stop, !q.IncludeStop) - 1
		}
		return
	}
	r.at, r.end = 0, len(r.table.Rows)
	if len(q.Start) > 0 {
		r.at = r.first(q.Start, !q.IncludeStart)
	}
	if len(q.Stop) > 0 {
		r.end = r.first(q.Stop, q.IncludeStop)
	}
}

func (r *virtualReader) over(reversed bool) bool {
	if reversed {
		return r.at <= r.end
	}
	return r.at >= r.end
}

// nextVirtual is Next over a virtual table. Its rows are small: one is never
// read in several calls, only cut into batches within one.
func (sc *Scanner) nextVirtual(lim *Limits, out Emitter) (p Progress, err error) {
	r := &sc.read
	r.out, r.lim, r.bytes, r.results, r.steps = out, *lim, 0, 0, 0
	r.lim.Partials, r.lim.reversed = false, sc.query.Reversed
	f := sc.query.Filter
	v := sc.virtual
	for !v.over(sc.query.Reversed) {
		if f != nil && f.FilterAllRemaining() {
			p.FilterDone = true
			break
		}
		row := &v.table.Rows[v.at]
		if sc.query.Reversed {
			v.at--
		} else {
			v.at++
		}
		r.setVirtual(row)
		r.begin(row.Key)
		p.RowsScanned++
		p.Cursor = row.Key
		before := r.results
		drop, err := r.filtersKey()
		if err != nil {
			return p, err
		}
		if !drop {
			for end := rowCut; end == rowCut; {
				if end, err = r.read(); err != nil {
					return p, err
				}
			}
		}
		if f != nil {
			f.Reset()
		}
		if r.results > before {
			p.Rows++
		} else {
			p.RowsFiltered++
		}
		p.Results = r.results
		if lim.Rows > 0 && p.Rows >= lim.Rows {
			p.LimitReached = true
			break
		}
		if lim.Results > 0 && r.results >= lim.Results {
			break
		}
		if lim.Bytes > 0 && r.bytes >= lim.Bytes {
			p.Early = true
			break
		}
	}
	if f != nil && f.FilterAllRemaining() {
		p.FilterDone = true
	}
	if p.FilterDone || v.over(sc.query.Reversed) {
		p.Done, p.Early = true, false
	}
	return p, nil
}
