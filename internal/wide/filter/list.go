package filter

import (
	"bytes"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// How two codes merge in a list rests on two properties of a code: whether it
// keeps the cell, and how far it moves on (0 next cell, 1 next column, 2 next
// row).

func (c Code) includes() bool { return c <= IncludeAndSeekNextRow }

func (c Code) step() Code {
	switch c {
	case IncludeAndNextCol, NextCol:
		return 1
	case IncludeAndSeekNextRow, NextRow:
		return 2
	}
	return 0
}

func codeOf(includes bool, step Code) Code {
	if includes {
		return Include + step
	}
	return Skip + step
}

// members is what both kinds of list have in common.
type members struct {
	base
	filters  []Filter
	reversed bool
}

func (l *members) SetReversed(reversed bool) {
	l.reversed = reversed
	for _, f := range l.filters {
		f.SetReversed(reversed)
	}
}

func (l *members) HasFilterRow() bool {
	for _, f := range l.filters {
		if f.HasFilterRow() {
			return true
		}
	}
	return false
}

func (l *members) FilterRowCells(cells []cell.Cell) []cell.Cell {
	for _, f := range l.filters {
		cells = f.FilterRowCells(cells)
	}
	return cells
}

func (l *members) essential(family []byte) bool {
	for _, f := range l.filters {
		if EssentialFamily(f, family) {
			return true
		}
	}
	return len(l.filters) == 0
}

// order compares two places in the order in which the scan comes to them: rows
// in its direction, forward within a row.
func (l *members) order(a, b *cell.Cell) int {
	if l.reversed {
		if c := bytes.Compare(b.Row, a.Row); c != 0 {
			return c
		}
	}
	return cell.CompareFull(a, b)
}

// allList (MUST_PASS_ALL) keeps what every member keeps.
type allList struct {
	members
	hints []bool // which members are hinting
	// hinted are the members that asked for a hint at the cell at hand.
	hinted []Filter
}

func (l *allList) Reset() {
	for _, f := range l.filters {
		f.Reset()
	}
	l.hinted = l.hinted[:0]
}

func (l *allList) FilterAllRemaining() bool {
	for _, f := range l.filters {
		if f.FilterAllRemaining() {
			return true
		}
	}
	return false
}

// FilterRowKey shows the key to every member, since some keep state of it. A
// member that passes the row and may give hints keeps the row alive, so that
// it can give one: otherwise the scan would crawl through rejected rows.
func (l *allList) FilterRowKey(first *cell.Cell) bool {
	rejected, hintPossible := false, false
	for i, f := range l.filters {
		if f.FilterAllRemaining() {
			return true
		}
		if f.FilterRowKey(first) {
			rejected = true
		} else if l.hints[i] {
			hintPossible = true
		}
	}
	return rejected && !hintPossible
}

// FilterCell asks the members in order and stops at the first that does not
// include the cell: those behind it (which may count columns) never see it. Only
// those that give hints are still asked, so that the farthest hint can be taken.
func (l *allList) FilterCell(c *cell.Cell) Code {
	l.hinted = l.hinted[:0]
	code := Include
	i := 0
	for ; i < len(l.filters) && code.includes(); i++ {
		f := l.filters[i]
		if f.FilterAllRemaining() {
			code = NextRow
			continue
		}
		one := f.FilterCell(c)
		if one == SeekHint {
			l.hinted = append(l.hinted, f)
		}
		code = codeOf(one.includes(), max(code.step(), one.step()))
	}
	for ; i < len(l.filters); i++ {
		if l.hints[i] && l.filters[i].FilterCell(c) == SeekHint {
			l.hinted = append(l.hinted, l.filters[i])
		}
	}
	if len(l.hinted) > 0 {
		return SeekHint
	}
	return code
}

func (l *allList) Transform(c *cell.Cell) {
	for _, f := range l.filters {
		f.Transform(c)
	}
}

func (l *allList) FilterRow() bool {
	for _, f := range l.filters {
		if f.FilterRow() {
			return true
		}
	}
	return false
}

// NextHint is the farthest hint.
func (l *allList) NextHint(c *cell.Cell) (farthest cell.Cell, ok bool) {
	for _, f := range l.hinted {
		if f.FilterAllRemaining() {
			continue
		}
		target, has := f.NextHint(c)
		if has && (!ok || l.order(&target, &farthest) > 0) {
			farthest, ok = target, true
		}
	}
	return farthest, ok
}

func newAllList(m members) *allList {
	l := &allList{members: m, hints: make([]bool, len(m.filters))}
	for i, f := range m.filters {
		_, l.hints[i] = f.(hinting)
	}
	return l
}
