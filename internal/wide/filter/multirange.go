package filter

import (
	"bytes"
	"slices"
	"sort"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// rowRange is a stretch of row keys; an empty bound is none.
type rowRange struct {
	start, stop                   []byte
	startInclusive, stopInclusive bool
}

func (r *rowRange) valid() bool {
	if len(r.start) == 0 || len(r.stop) == 0 {
		return true
	}
	c := bytes.Compare(r.start, r.stop)
	return c < 0 || c == 0 && r.stopInclusive
}

// above tells whether the range lies wholly above row.
func (r *rowRange) above(row []byte) bool {
	if len(r.start) == 0 {
		return false
	}
	c := bytes.Compare(r.start, row)
	return c > 0 || c == 0 && !r.startInclusive
}

// below tells whether the range lies wholly below row.
func (r *rowRange) below(row []byte) bool {
	if len(r.stop) == 0 {
		return false
	}
	c := bytes.Compare(r.stop, row)
	return c < 0 || c == 0 && !r.stopInclusive
}

func (r *rowRange) contains(row []byte) bool { return !r.above(row) && !r.below(row) }

// mergeRanges sorts ranges and joins those that overlap or touch.
func mergeRanges(ranges []rowRange) []rowRange {
	slices.SortFunc(ranges, func(a, b rowRange) int {
		if c := bytes.Compare(a.start, b.start); c != 0 {
			return c
		}
		switch {
		case a.startInclusive == b.startInclusive:
			return 0
		case a.startInclusive:
			return -1
		}
		return 1
	})
	merged := ranges[:1]
	for _, r := range ranges[1:] {
		last := &merged[len(merged)-1]
		if len(last.stop) > 0 {
			c := bytes.Compare(last.stop, r.start)
			if c < 0 || c == 0 && !last.stopInclusive && !r.startInclusive {
				merged = append(merged, r)
				continue
			}
			switch c := bytes.Compare(last.stop, r.stop); {
			case len(r.stop) == 0 || c < 0:
				last.stop, last.stopInclusive = r.stop, r.stopInclusive
			case c == 0:
				last.stopInclusive = last.stopInclusive || r.stopInclusive
			}
		}
	}
	return merged
}

// multiRowRangeFilter keeps the rows of a union of ranges and jumps from range
// to range.
type multiRowRangeFilter struct {
	base
	ranges   []rowRange // sorted, disjoint
	reversed bool
	at       int // the range that the last row was in or before
	code     Code
	judged   bool // code is for the row at hand
	done     bool
}

func (f *multiRowRangeFilter) hints()                    {}
func (f *multiRowRangeFilter) Reset()                    { f.judged = false }
func (f *multiRowRangeFilter) SetReversed(reversed bool) { f.reversed = reversed }
func (f *multiRowRangeFilter) FilterAllRemaining() bool  { return f.done }

// FilterRowKey judges the row but never drops it: only a cell can answer with a
// hint.
func (f *multiRowRangeFilter) FilterRowKey(first *cell.Cell) bool {
	if f.done {
		return true
	}
	f.judge(first.Row)
	return false
}

func (f *multiRowRangeFilter) FilterCell(c *cell.Cell) Code {
	if !f.judged {
		f.judge(c.Row) // inside a SkipFilter, which keeps the row key to itself
	}
	return f.code
}

func (f *multiRowRangeFilter) judge(row []byte) {
	f.judged = true
	if f.at < len(f.ranges) && f.ranges[f.at].contains(row) {
		f.code = Include
		return
	}
	// Find the first range, in scan order, that does not lie behind row.
	n := len(f.ranges)
	if f.reversed {
		f.at = sort.Search(n, func(i int) bool { return f.ranges[i].above(row) }) - 1
	} else {
		f.at = sort.Search(n, func(i int) bool { return !f.ranges[i].below(row) })
	}
	switch {
	case f.at < 0 || f.at == n:
		f.at, f.done, f.code = 0, true, NextRow
	case f.ranges[f.at].contains(row):
		f.code = Include
	case bytes.Equal(f.bound(), row):
		f.code = NextRow // on a bound that its range excludes
	default:
		f.code = SeekHint
	}
}

// bound is where the scan enters the range at hand.
func (f *multiRowRangeFilter) bound() []byte {
	if f.reversed {
		return f.ranges[f.at].stop
	}
	return f.ranges[f.at].start
}

func (f *multiRowRangeFilter) NextHint(*cell.Cell) (cell.Cell, bool) {
	if f.done {
		return cell.Cell{}, false
	}
	return firstOfRow(f.bound()), true
}
