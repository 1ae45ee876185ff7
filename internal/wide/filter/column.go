package filter

import (
	"bytes"
	"slices"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// inRow is the part of filters whose hints lead to a later column or version of
// the row at hand. In a reversed scan HBase follows only hints to smaller rows,
// so these have none there: a cell that asks for one is merely skipped, and
// filters asked before it see as many cells as with HBase.
type inRow struct{ reversed bool }

func (h *inRow) setReversed(reversed bool) { h.reversed = reversed }

// columnHint is the hint to the start of a column.
func (h *inRow) columnHint(c *cell.Cell, qualifier []byte) (cell.Cell, bool) {
	if h.reversed {
		return cell.Cell{}, false
	}
	return firstOfColumn(c, qualifier), true
}

// columnPrefixFilter keeps the columns whose qualifier starts with the prefix.
type columnPrefixFilter struct {
	base
	inRow
	prefix []byte
}

func (f *columnPrefixFilter) hints()                    {}
func (f *columnPrefixFilter) SetReversed(reversed bool) { f.setReversed(reversed) }

func (f *columnPrefixFilter) FilterCell(c *cell.Cell) Code {
	n := min(len(c.Qualifier), len(f.prefix))
	order := bytes.Compare(c.Qualifier[:n], f.prefix[:n])
	switch {
	case order > 0:
		return NextRow
	case order < 0 || n < len(f.prefix):
		return SeekHint
	}
	return Include
}

func (f *columnPrefixFilter) NextHint(c *cell.Cell) (cell.Cell, bool) {
	return f.columnHint(c, f.prefix)
}

// multipleColumnPrefixFilter keeps the columns whose qualifier starts with the
// largest prefix that is not above it. As in HBase, a longer prefix hides a
// shorter one: with a and ab, column ac is dropped.
type multipleColumnPrefixFilter struct {
	base
	inRow
	prefixes [][]byte // sorted, distinct
	next     []byte   // where the last hint leads
}

func (f *multipleColumnPrefixFilter) hints()                    {}
func (f *multipleColumnPrefixFilter) SetReversed(reversed bool) { f.setReversed(reversed) }

func (f *multipleColumnPrefixFilter) FilterCell(c *cell.Cell) Code {
	if len(f.prefixes) == 0 {
		return Include
	}
	i, found := slices.BinarySearchFunc(f.prefixes, c.Qualifier, bytes.Compare)
	if found || i > 0 && bytes.HasPrefix(c.Qualifier, f.prefixes[i-1]) {
		return Include
	}
	if i == len(f.prefixes) {
		return NextRow
	}
	f.next = f.prefixes[i]
	return SeekHint
}

func (f *multipleColumnPrefixFilter) NextHint(c *cell.Cell) (cell.Cell, bool) {
	return f.columnHint(c, f.next)
}

// columnRangeFilter keeps the columns between two qualifiers; nil is no bound.
type columnRangeFilter struct {
	base
	inRow
	min, max                   []byte
	minInclusive, maxInclusive bool
}

func (f *columnRangeFilter) hints()                    {}
func (f *columnRangeFilter) SetReversed(reversed bool) { f.setReversed(reversed) }

func (f *columnRangeFilter) FilterCell(c *cell.Cell) Code {
	if f.min != nil {
		order := bytes.Compare(c.Qualifier, f.min)
		if order < 0 {
			return SeekHint
		}
		if order == 0 && !f.minInclusive {
			return NextCol
		}
	}
	if f.max == nil {
		return Include
	}
	if order := bytes.Compare(c.Qualifier, f.max); order < 0 || order == 0 && f.maxInclusive {
		return Include
	}
	return NextRow
}

func (f *columnRangeFilter) NextHint(c *cell.Cell) (cell.Cell, bool) {
	return f.columnHint(c, f.min)
}

// columnPaginationFilter keeps limit columns of each row, after leaving out
// offset columns.
type columnPaginationFilter struct {
	base
	limit, offset int64
	count         int64
}

func (f *columnPaginationFilter) Reset() { f.count = 0 }

func (f *columnPaginationFilter) FilterCell(*cell.Cell) Code {
	if f.count >= f.offset+f.limit {
		return NextRow
	}
	f.count++
	if f.count <= f.offset {
		return NextCol
	}
	return IncludeAndNextCol
}

// columnOffsetFilter keeps limit columns of each row from a qualifier on. It is
// the other form of HBase's ColumnPaginationFilter.
type columnOffsetFilter struct {
	base
	inRow
	limit  int64
	offset []byte
	count  int64
}

func (f *columnOffsetFilter) SetReversed(reversed bool) { f.setReversed(reversed) }
func (f *columnOffsetFilter) Reset()                    { f.count = 0 }

func (f *columnOffsetFilter) FilterCell(c *cell.Cell) Code {
	if f.count >= f.limit {
		return NextRow
	}
	// The bound matters only until the first column was taken: the families
	// after that one are taken from their start.
	if f.count == 0 && bytes.Compare(c.Qualifier, f.offset) < 0 {
		return SeekHint
	}
	f.count++
	return IncludeAndNextCol
}

func (f *columnOffsetFilter) NextHint(c *cell.Cell) (cell.Cell, bool) {
	return f.columnHint(c, f.offset)
}

// columnCountGetFilter keeps the first limit columns of the row and then ends
// everything: it is meant for Gets.
type columnCountGetFilter struct {
	base
	limit, count int64
}

func (f *columnCountGetFilter) Reset()                       { f.count = 0 }
func (f *columnCountGetFilter) FilterAllRemaining() bool     { return f.count > f.limit }
func (f *columnCountGetFilter) FilterRowKey(*cell.Cell) bool { return f.FilterAllRemaining() }

func (f *columnCountGetFilter) FilterCell(*cell.Cell) Code {
	f.count++
	if f.FilterAllRemaining() {
		return NextCol
	}
	return IncludeAndNextCol
}

// timestampsFilter keeps the cells with one of the given timestamps.
type timestampsFilter struct {
	base
	inRow
	timestamps []int64 // sorted
	canHint    bool
}

func (f *timestampsFilter) hints()                    {}
func (f *timestampsFilter) SetReversed(reversed bool) { f.setReversed(reversed) }

func (f *timestampsFilter) FilterCell(c *cell.Cell) Code {
	i, found := slices.BinarySearch(f.timestamps, c.Timestamp)
	switch {
	case found:
		return Include
	case i == 0:
		return NextCol // the remaining versions are older still
	case f.canHint:
		return SeekHint
	}
	return Skip
}

func (f *timestampsFilter) NextHint(c *cell.Cell) (cell.Cell, bool) {
	i, _ := slices.BinarySearch(f.timestamps, c.Timestamp)
	if i == 0 || !f.canHint || f.reversed {
		return cell.Cell{}, false
	}
	target := firstOfColumn(c, c.Qualifier)
	target.Timestamp = f.timestamps[i-1]
	return target, true
}
