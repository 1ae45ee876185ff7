package filter

import (
	"bytes"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// column names one column; absent parts on the wire mean empty ones.
type column struct {
	family    []byte
	qualifier []byte
}

func (k *column) matches(c *cell.Cell) bool {
	return bytes.Equal(k.qualifier, c.Qualifier) && bytes.Equal(k.family, c.Family)
}

// singleColumnFilter keeps the rows in which one column passes the test. Cells
// before that column pass for the time being; the row phase has the last word.
type singleColumnFilter struct {
	base
	column
	test
	dropIfMissing bool
	newestOnly    bool // only the newest version is tested

	found, matched bool
}

func (f *singleColumnFilter) Reset() { f.found, f.matched = false, false }

func (f *singleColumnFilter) FilterCell(c *cell.Cell) Code {
	if f.matched {
		return Include
	}
	if f.newestOnly && f.found {
		return NextRow
	}
	if !f.column.matches(c) {
		return Include
	}
	f.found = true
	if f.keeps(c.Value) {
		f.matched = true
		return Include
	}
	if f.newestOnly {
		return NextRow
	}
	return Include
}

func (f *singleColumnFilter) HasFilterRow() bool { return true }

func (f *singleColumnFilter) FilterRow() bool {
	if f.found {
		return !f.matched
	}
	return f.dropIfMissing
}

func (f *singleColumnFilter) essential(family []byte) bool {
	return !f.dropIfMissing || bytes.Equal(family, f.family)
}

// singleColumnExcludeFilter also leaves the tested column out of what it keeps.
type singleColumnExcludeFilter struct{ singleColumnFilter }

func (f *singleColumnExcludeFilter) FilterRowCells(cells []cell.Cell) []cell.Cell {
	kept := cells[:0]
	for i := range cells {
		if !f.column.matches(&cells[i]) {
			kept = append(kept, cells[i])
		}
	}
	return kept
}

// columnValueFilter keeps the cells of one column that pass the test, and
// nothing else.
type columnValueFilter struct {
	base
	column
	test
	found bool
}

func (f *columnValueFilter) Reset() { f.found = false }

func (f *columnValueFilter) FilterCell(c *cell.Cell) Code {
	if !f.column.matches(c) {
		if f.found {
			return NextRow
		}
		return NextCol
	}
	f.found = true
	if !f.keeps(c.Value) {
		return Skip
	}
	return Include
}

func (f *columnValueFilter) essential(family []byte) bool { return bytes.Equal(family, f.family) }

// dependentColumnFilter keeps the cells of a row whose timestamp is also one of
// the reference column's.
type dependentColumnFilter struct {
	base
	column
	test // operand nil: every cell of the reference column counts
	drop bool
	// stamps are the reference column's timestamps in this row.
	stamps map[int64]struct{}
}

func (f *dependentColumnFilter) Reset() { clear(f.stamps) }

func (f *dependentColumnFilter) FilterCell(c *cell.Cell) Code {
	if !f.column.matches(c) {
		return Include
	}
	if f.operand != nil && !f.keeps(c.Value) {
		return Skip
	}
	f.stamps[c.Timestamp] = struct{}{}
	if f.drop {
		return Skip
	}
	return Include
}

func (f *dependentColumnFilter) HasFilterRow() bool { return true }

func (f *dependentColumnFilter) FilterRowCells(cells []cell.Cell) []cell.Cell {
	kept := cells[:0]
	for i := range cells {
		if _, ok := f.stamps[cells[i].Timestamp]; ok {
			kept = append(kept, cells[i])
		}
	}
	return kept
}
