package filter

import "github.com/basaltdb/basalt/internal/wide/cell"

// Code is a filter's verdict on one cell.
type Code uint8

const (
	Include               Code = iota
	IncludeAndNextCol          // include; no more versions of this column
	IncludeAndSeekNextRow      // include; nothing more of this family
	Skip                       // not this cell
	NextCol                    // no more of this column
	NextRow                    // no more of this family (other families of the row are still offered)
	SeekHint                   // go to NextHint
)

// Filter is one server-side filter with its state for one scanner (or one Get).
// Not safe for concurrent use.
//
// Per row the reader calls, in this order: FilterAllRemaining (true ends the
// scan), FilterRowKey with the row's first cell (true skips the row), FilterCell
// for each candidate cell (after deletes, TTL, time range, columns), Transform
// for the included ones; then, if HasFilterRow, FilterRowCells and, when cells
// are left, FilterRow; without HasFilterRow, FilterRow is asked only if a cell
// was kept; Reset after each row, skipped rows included; then
// FilterAllRemaining again. Before each cell FilterAllRemaining is asked too:
// true means nothing more of this family, in this row or any later one.
//
// Cells passed in are valid only during the call: a filter that remembers bytes
// copies them. After each row the reader asks Err.
type Filter interface {
	Reset()
	FilterAllRemaining() bool
	FilterRowKey(first *cell.Cell) bool
	FilterCell(c *cell.Cell) Code
	// Transform may replace parts of c (KeyOnlyFilter drops the value). It must
	// not write into c's byte slices.
	Transform(c *cell.Cell)
	// FilterRowCells may drop cells of the finished row, in place.
	FilterRowCells(cells []cell.Cell) []cell.Cell
	FilterRow() bool
	HasFilterRow() bool
	// NextHint, after SeekHint, fills the target: the reader skips every cell
	// before it (in scan direction of rows; forward within a row), in the family
	// at hand. ok=false: no hint, the code means Skip. The target may have a type
	// that no cell has and an empty family, to stand before the cells that it
	// leads to; it is valid until the next call of any method.
	NextHint(c *cell.Cell) (target cell.Cell, ok bool)
	// SetReversed is told once, before use.
	SetReversed(reversed bool)
}
