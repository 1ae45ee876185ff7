package filter

import "github.com/basaltdb/basalt/internal/wide/cell"

// wrapped passes on what every wrapper passes on.
type wrapped struct {
	base
	inner Filter
}

func (f *wrapped) Reset()                       { f.inner.Reset() }
func (f *wrapped) SetReversed(reversed bool)    { f.inner.SetReversed(reversed) }
func (f *wrapped) Transform(c *cell.Cell)       { f.inner.Transform(c) }
func (f *wrapped) essential(family []byte) bool { return EssentialFamily(f.inner, family) }

// skipFilter drops a row if the inner filter does anything but include one of
// its cells. As in HBase, the inner filter sees cells only: neither row keys nor
// finished rows, and its hints are not followed.
type skipFilter struct {
	wrapped
	drop bool
}

func (f *skipFilter) Reset() {
	f.wrapped.Reset()
	f.drop = false
}

func (f *skipFilter) FilterCell(c *cell.Cell) Code {
	code := f.inner.FilterCell(c)
	f.drop = f.drop || code != Include
	return code
}

func (f *skipFilter) HasFilterRow() bool { return true }
func (f *skipFilter) FilterRow() bool    { return f.drop }

// whileMatchFilter ends the scan as soon as the inner filter drops a row or
// does anything but include a cell. Hints of the inner filter are not followed,
// and it gets no finished rows to drop cells from.
//
// HBase does not tell the inner filter that a scan is reversed, so that a
// reversed scan until a row (InclusiveStopFilter) finds nothing; here it finds
// the rows.
type whileMatchFilter struct {
	wrapped
	ended bool
}

func (f *whileMatchFilter) end(it bool) bool {
	f.ended = f.ended || it
	return it
}

func (f *whileMatchFilter) FilterAllRemaining() bool {
	return f.ended || f.inner.FilterAllRemaining()
}

func (f *whileMatchFilter) FilterRowKey(first *cell.Cell) bool {
	return f.FilterAllRemaining() || f.end(f.inner.FilterRowKey(first))
}

func (f *whileMatchFilter) FilterCell(c *cell.Cell) Code {
	code := f.inner.FilterCell(c)
	f.end(code != Include)
	return code
}

func (f *whileMatchFilter) HasFilterRow() bool { return true }
func (f *whileMatchFilter) FilterRow() bool    { return f.end(f.inner.FilterRow()) }

// wrapperFilter is HBase's own FilterWrapper, which keeps a row for its
// FilterRow only if FilterRowCells left something of it.
type wrapperFilter struct{ wrapped }

func (f *wrapperFilter) FilterAllRemaining() bool     { return f.inner.FilterAllRemaining() }
func (f *wrapperFilter) FilterCell(c *cell.Cell) Code { return f.inner.FilterCell(c) }
func (f *wrapperFilter) HasFilterRow() bool           { return f.inner.HasFilterRow() }
func (f *wrapperFilter) FilterRow() bool              { return f.inner.FilterRow() }

func (f *wrapperFilter) FilterRowKey(first *cell.Cell) bool {
	return f.inner.FilterAllRemaining() || f.inner.FilterRowKey(first)
}

func (f *wrapperFilter) FilterRowCells(cells []cell.Cell) []cell.Cell {
	cells = f.inner.FilterRowCells(cells)
	if len(cells) > 0 && f.inner.FilterRow() {
		return cells[:0]
	}
	return cells
}

func (f *wrapperFilter) NextHint(c *cell.Cell) (cell.Cell, bool) { return f.inner.NextHint(c) }
