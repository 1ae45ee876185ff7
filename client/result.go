package client

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// CellType tells puts from the markers that deletes leave.
type CellType uint8

// The types of cells. Only raw scans return markers.
const (
	TypePut                 = CellType(cell.Put)
	TypeDelete              = CellType(cell.Delete)
	TypeDeleteFamilyVersion = CellType(cell.DeleteFamilyVersion)
	TypeDeleteColumn        = CellType(cell.DeleteColumn)
	TypeDeleteFamily        = CellType(cell.DeleteFamily)
)

func (t CellType) String() string { return cell.Type(t).String() }

// LatestTimestamp as a cell's timestamp stands for the server's clock.
const LatestTimestamp = cell.Latest

// Cell is one version of one column of a row.
type Cell struct {
	Row       []byte
	Family    []byte
	Qualifier []byte
	Value     []byte
	// Timestamp is the version, by custom in milliseconds since 1970.
	Timestamp int64
	Type      CellType
}

func (c *Cell) String() string {
	return fmt.Sprintf("%q/%s:%q/%d/%s/%q", c.Row, c.Family, c.Qualifier, c.Timestamp, c.Type, c.Value)
}

// Result is what came back of one row, its cells in HBase's order: by family,
// qualifier and, newest first, version.
//
// All byte slices of a result are views of one buffer which the result keeps
// alive; results of one scan call or one batch share a buffer. They stay valid
// as long as anyone holds them, and may be changed, but to keep a small part of
// a large answer for long, Clone it.
type Result struct {
	Cells []Cell
	// Exists answers a Get with CheckExistenceOnly, which has no cells.
	Exists bool
	// Partial: more cells of this row follow in the next result. Only scans
	// with AllowPartialResults or a batch size have such results.
	Partial bool
	// Stale: a replica answered which may be behind.
	Stale bool
}

// Empty is true for a row without cells: there is no such row.
func (r *Result) Empty() bool { return len(r.Cells) == 0 }

// Row is the row's key; nil for an empty result.
func (r *Result) Row() []byte {
	if len(r.Cells) == 0 {
		return nil
	}
	return r.Cells[0].Row
}

// Cell returns the newest cell of a column; nil when there is none.
func (r *Result) Cell(family string, qualifier []byte) *Cell {
	i, found := slices.BinarySearchFunc(r.Cells, family, func(c Cell, family string) int {
		if f := compareString(c.Family, family); f != 0 {
			return f
		}
		return bytes.Compare(c.Qualifier, qualifier)
	})
	if !found {
		return nil
	}
	return &r.Cells[i]
}

// Value returns the newest value of a column; nil when there is none. An empty
// value is not nil.
func (r *Result) Value(family string, qualifier []byte) []byte {
	c := r.Cell(family, qualifier)
	if c == nil {
		return nil
	}
	if c.Value == nil {
		return []byte{}
	}
	return c.Value
}

// Bytes is the size of the cells' contents.
func (r *Result) Bytes() int {
	n := 0
	for i := range r.Cells {
		c := &r.Cells[i]
		n += len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value) + 9
	}
	return n
}

// Clone returns a copy that shares nothing with r.
func (r *Result) Clone() *Result {
	d := *r
	d.Cells = slices.Clone(r.Cells)
	buf := make([]byte, 0, r.Bytes())
	take := func(b *[]byte) {
		n := len(buf)
		buf = append(buf, *b...)
		*b = buf[n:len(buf):len(buf)]
	}
	for i := range d.Cells {
		c := &d.Cells[i]
		take(&c.Row)
		take(&c.Family)
		take(&c.Qualifier)
		take(&c.Value)
	}
	return &d
}

func compareString(b []byte, s string) int {
	switch {
	case string(b) < s:
		return -1
	case string(b) > s:
		return 1
	}
	return 0
}

// cellReader turns the cells of a response into Cells. Several results take
// theirs from one allocation.
type cellReader struct {
	block wire.Cells
	arena []Cell
	// more: results follow, how many cells they have is not known yet.
	more bool
}

// minCellBytes is the least that a cell takes in a block.
const minCellBytes = 4 + 4 + 4 + 2 + 1 + 8 + 1

func newCellReader(block []byte) cellReader {
	return cellReader{block: wire.NewCells(wire.KeyValueCodec, block)}
}

// take returns the next n cells of the block.
func (d *cellReader) take(n int) ([]Cell, error) {
	if n == 0 {
		return nil, nil
	}
	if n < 0 || n > d.block.Rest()/minCellBytes {
		return nil, fmt.Errorf("%w: %d cells in %d bytes", errMalformed, n, d.block.Rest())
	}
	d.reserve(n)
	start := len(d.arena)
	var c cell.Cell
	for range n {
		if !d.block.Next(&c) {
			if err := d.block.Err(); err != nil {
				return nil, fmt.Errorf("%w: %w", errMalformed, err)
			}
			return nil, fmt.Errorf("%w: too few cells", errMalformed)
		}
		d.arena = append(d.arena, publicCell(&c))
	}
	return d.arena[start:len(d.arena):len(d.arena)], nil
}

// arenaCells is how many cells of several results share an allocation.
const arenaCells = 128

// reserve makes room in the arena for n cells.
func (d *cellReader) reserve(n int) {
	if cap(d.arena)-len(d.arena) >= n {
		return
	}
	if d.more {
		n = max(n, min(d.block.Rest()/(2*minCellBytes), arenaCells))
	}
	d.arena = make([]Cell, 0, n)
}

func publicCell(c *cell.Cell) Cell {
	return Cell{
		Row: c.Row, Family: c.Family, Qualifier: c.Qualifier, Value: c.Value,
		Timestamp: c.Timestamp, Type: CellType(c.Type),
	}
}

// result fills r from a Result message, whose cells are inline or in the block.
func (d *cellReader) result(m *pb.Result, r *Result) error {
	r.Exists, r.Partial, r.Stale = m.Exists, m.Partial, m.Stale
	if len(m.Cells) > 0 {
		r.Cells = make([]Cell, len(m.Cells))
		for i := range m.Cells {
			r.Cells[i] = publicCell(&m.Cells[i])
		}
		return nil
	}
	var err error
	r.Cells, err = d.take(int(m.CellCount))
	return err
}
