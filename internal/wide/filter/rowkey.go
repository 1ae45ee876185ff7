package filter

import (
	"bytes"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// prefixFilter keeps the rows whose key starts with the prefix and ends the
// scan once that stretch of keys is passed.
type prefixFilter struct {
	base
	prefix   []byte
	none     bool // no prefix was sent: nothing passes
	reversed bool
	passed   bool
	// drop starts out true: a reader that never shows the row key (SkipFilter)
	// gets no cell.
	drop bool
}

func (f *prefixFilter) Reset()                    { f.drop = true }
func (f *prefixFilter) SetReversed(reversed bool) { f.reversed = reversed }
func (f *prefixFilter) FilterAllRemaining() bool  { return f.passed }

func (f *prefixFilter) FilterRowKey(first *cell.Cell) bool {
	if f.none || f.passed || len(first.Row) < len(f.prefix) {
		return true
	}
	c := bytes.Compare(first.Row[:len(f.prefix)], f.prefix)
	if !f.reversed && c > 0 || f.reversed && c < 0 {
		f.passed = true
	}
	f.drop = c != 0
	return f.drop
}

func (f *prefixFilter) FilterCell(*cell.Cell) Code {
	if f.drop {
		return NextRow
	}
	return Include
}

func (f *prefixFilter) FilterRow() bool { return f.drop }

// inclusiveStopFilter ends the scan after a row.
type inclusiveStopFilter struct {
	base
	stop     []byte
	reversed bool
	done     bool
}

func (f *inclusiveStopFilter) SetReversed(reversed bool) { f.reversed = reversed }
func (f *inclusiveStopFilter) FilterAllRemaining() bool  { return f.done }

func (f *inclusiveStopFilter) FilterRowKey(first *cell.Cell) bool {
	if f.done {
		return true
	}
	c := bytes.Compare(first.Row, f.stop)
	f.done = !f.reversed && c > 0 || f.reversed && c < 0
	return f.done
}

func (f *inclusiveStopFilter) FilterCell(*cell.Cell) Code {
	if f.done {
		return NextRow
	}
	return Include
}

// randomRowFilter keeps each row with the given chance.
type randomRowFilter struct {
	base
	chance float32
	drop   bool
}

func (f *randomRowFilter) Reset() { f.drop = false }

func (f *randomRowFilter) FilterRowKey(*cell.Cell) bool {
	switch {
	case f.chance < 0:
		f.drop = true
	case f.chance > 1:
		f.drop = false
	default:
		f.drop = !(f.env.random() < f.chance)
	}
	return f.drop
}

func (f *randomRowFilter) FilterCell(*cell.Cell) Code {
	if f.drop {
		return NextRow
	}
	return Include
}

func (f *randomRowFilter) FilterRow() bool    { return f.drop }
func (f *randomRowFilter) HasFilterRow() bool { return true }

// pageFilter ends the scan after so many rows. It counts in FilterRow, that is
// rows that every filter asked before it has kept, and per scanner: a scan over
// many regions gets a page of each.
type pageFilter struct {
	base
	size     int64
	accepted int64
}

func (f *pageFilter) FilterAllRemaining() bool     { return f.accepted >= f.size }
func (f *pageFilter) FilterRowKey(*cell.Cell) bool { return f.accepted >= f.size }
func (f *pageFilter) FilterCell(*cell.Cell) Code   { return Include }
func (f *pageFilter) HasFilterRow() bool           { return true }

func (f *pageFilter) FilterRow() bool {
	f.accepted++
	return f.accepted > f.size
}

// filterAllFilter keeps nothing and reads everything.
type filterAllFilter struct{ base }

func (f *filterAllFilter) FilterCell(*cell.Cell) Code { return Skip }
func (f *filterAllFilter) HasFilterRow() bool         { return true }
func (f *filterAllFilter) FilterRow() bool            { return true }
