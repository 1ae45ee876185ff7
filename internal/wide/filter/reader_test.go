package filter

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// reader runs a filter over a sorted set of cells through the documented steps,
// as one region's scanner does. It also holds filters to their contract: hints
// must not point backwards, cells' bytes must not be written to.
type reader struct {
	cells    []cell.Cell // in cell.CompareFull order
	reversed bool

	filter Filter
	// families are the positions of each family's scanner.
	families []*familyReader
	trace    []string // broken rules
}

// familyReader is at cells[rows[row]...] of its family.
type familyReader struct {
	rows   [][]cell.Cell // in scan order; cells of a row in cell order
	row    int
	at     int
	closed bool
}

func (fr *familyReader) peek() *cell.Cell {
	if fr.closed || fr.row >= len(fr.rows) {
		return nil
	}
	return &fr.rows[fr.row][fr.at]
}

func (fr *familyReader) next() {
	fr.at++
	if fr.at == len(fr.rows[fr.row]) {
		fr.nextRow()
	}
}

func (fr *familyReader) nextRow() { fr.row, fr.at = fr.row+1, 0 }

func newReader(cells []cell.Cell, f Filter, reversed bool) *reader {
	r := &reader{cells: cells, reversed: reversed, filter: f}
	byFamily := map[string]*familyReader{}
	var names []string
	for i, c := range cells {
		name := string(c.Family)
		fr := byFamily[name]
		if fr == nil {
			fr = &familyReader{}
			byFamily[name] = fr
			names = append(names, name)
		}
		if n := len(fr.rows); n > 0 && bytes.Equal(fr.rows[n-1][0].Row, c.Row) {
			fr.rows[n-1] = append(fr.rows[n-1], cells[i])
		} else {
			fr.rows = append(fr.rows, []cell.Cell{cells[i]})
		}
	}
	slices.Sort(names)
	for _, n := range names {
		if reversed {
			slices.Reverse(byFamily[n].rows)
		}
		r.families = append(r.families, byFamily[n])
	}
	f.SetReversed(reversed)
	return r
}

// compareRows in scan direction.
func (r *reader) compareRows(a, b []byte) int {
	if r.reversed {
		a, b = b, a
	}
	return bytes.Compare(a, b)
}

// first is the family whose next cell comes first.
func (r *reader) first() *familyReader {
	var first *familyReader
	for _, fr := range r.families {
		c := fr.peek()
		if c != nil && (first == nil || r.compareRows(c.Row, first.peek().Row) < 0) {
			first = fr
		}
	}
	return first
}

// scan returns the rows that pass.
func (r *reader) scan() [][]cell.Cell {
	var out [][]cell.Cell
	for {
		fr := r.first()
		if fr == nil || r.filter.FilterAllRemaining() {
			return out
		}
		row := fr.peek().Row
		skipped := r.filter.FilterRowKey(fr.peek())
		if skipped && r.filter.FilterAllRemaining() {
			return out
		}
		// HBase runs the cells of a skipped row past the filter too.
		kept := r.row(row)
		if !skipped && r.passes(&kept) && len(kept) > 0 {
			out = append(out, kept)
		}
		r.filter.Reset()
		if Err(r.filter) != nil {
			return out
		}
	}
}

// passes runs the row phase.
func (r *reader) passes(kept *[]cell.Cell) bool {
	if r.filter.HasFilterRow() {
		*kept = r.filter.FilterRowCells(*kept)
		return len(*kept) > 0 && !r.filter.FilterRow()
	}
	return len(*kept) > 0 && !r.filter.FilterRow()
}

// row returns the included cells of one row and leaves every family behind it.
func (r *reader) row(row []byte) []cell.Cell {
	var kept []cell.Cell
	for _, fr := range r.families {
		entered := false
		for c := fr.peek(); c != nil; c = fr.peek() {
			here := bytes.Equal(c.Row, row)
			if !here && !entered {
				break
			}
			// HBase's family scanner asks this before it knows that a cell is of
			// the next row.
			if r.filter.FilterAllRemaining() {
				fr.closed = true
				break
			}
			if !here {
				break
			}
			entered = true
			kept = r.cell(fr, c, kept)
		}
	}
	return kept
}

func (r *reader) cell(fr *familyReader, c *cell.Cell, kept []cell.Cell) []cell.Cell {
	before := c.Clone()
	code := r.filter.FilterCell(c)
	if code.includes() {
		d := *c
		r.filter.Transform(&d)
		kept = append(kept, d)
	}
	switch code {
	case Include, Skip:
		fr.next()
	case IncludeAndNextCol, NextCol:
		r.nextColumn(fr, c)
	case IncludeAndSeekNextRow, NextRow:
		fr.nextRow()
	case SeekHint:
		r.seek(fr, c)
	default:
		r.trace = append(r.trace, fmt.Sprintf("code %d", code))
		fr.next()
	}
	if c.String() != before.String() || !bytes.Equal(c.Value, before.Value) {
		r.trace = append(r.trace, fmt.Sprintf("cell %s was changed", before.String()))
	}
	return kept
}

func (r *reader) nextColumn(fr *familyReader, c *cell.Cell) {
	for d := c; d != nil && bytes.Equal(d.Row, c.Row) && bytes.Equal(d.Qualifier, c.Qualifier); d = fr.peek() {
		fr.next()
	}
}

func (r *reader) seek(fr *familyReader, c *cell.Cell) {
	target, ok := r.filter.NextHint(c)
	if !ok {
		fr.next()
		return
	}
	target = target.Clone()
	order := r.compareRows(target.Row, c.Row)
	if order == 0 {
		order = cell.CompareFull(&target, c)
	}
	if order <= 0 {
		r.trace = append(r.trace, fmt.Sprintf("hint at %s leads back to %s", c, &target))
		fr.next()
		return
	}
	for d := fr.peek(); d != nil; d = fr.peek() {
		order := r.compareRows(d.Row, target.Row)
		if order > 0 || order == 0 && cell.CompareFull(d, &target) >= 0 {
			return
		}
		if order < 0 {
			fr.nextRow()
		} else {
			fr.next()
		}
	}
}

// show writes rows as the tests compare them.
func show(rows [][]cell.Cell) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(text(row[0].Row))
		for _, c := range row {
			fmt.Fprintf(&b, " %s:%s/%d=%s", c.Family, text(c.Qualifier), c.Timestamp, text(c.Value))
		}
		b.WriteByte('\n')
	}
	if len(rows) == 0 {
		return "(nothing)\n"
	}
	return b.String()
}

// text leaves plain bytes as they are and writes the others as %xx.
func text(b []byte) string {
	if len(b) == 0 {
		return "''"
	}
	var s strings.Builder
	for _, c := range b {
		if c > ' ' && c < 0x7f && c != '%' && c != '\'' {
			s.WriteByte(c)
		} else {
			fmt.Fprintf(&s, "%%%02x", c)
		}
	}
	return s.String()
}
