package filter

import (
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// env is what all filters of one decoded tree share.
type env struct {
	// err is the first failure of a comparator.
	err error
	// random draws from [0, 1).
	random func() float32
}

// fail records the first failure.
func (e *env) fail(class, text string) {
	if e.err == nil {
		e.err = &EvalError{Class: class, Text: text}
	}
}

// base has the answers of a filter that lets everything pass.
type base struct{ env *env }

func (base) Reset()                                          {}
func (base) FilterAllRemaining() bool                        { return false }
func (base) FilterRowKey(*cell.Cell) bool                    { return false }
func (base) Transform(*cell.Cell)                            {}
func (base) FilterRowCells(cells []cell.Cell) []cell.Cell    { return cells }
func (base) FilterRow() bool                                 { return false }
func (base) HasFilterRow() bool                              { return false }
func (base) NextHint(*cell.Cell) (target cell.Cell, ok bool) { return cell.Cell{}, false }
func (base) SetReversed(bool)                                {}

// Err is what the function Err asks for.
func (b base) Err() error { return b.env.err }

// hinting marks the filters that a list asks for a hint even after another
// member has already rejected the cell.
type hinting interface{ hints() }

// essential is implemented by filters that can judge a row without some of its
// families.
type essential interface{ essential(family []byte) bool }

// EssentialFamily tells whether f needs the cells of family to judge a row. The
// other families may be read later, only for rows that pass.
func EssentialFamily(f Filter, family []byte) bool {
	if e, ok := f.(essential); ok {
		return e.essential(family)
	}
	return true
}

// beforeAll is the type of a target that stands before every cell of its
// column and timestamp.
const beforeAll cell.Type = 255

// firstOfRow is the target before every cell of row.
func firstOfRow(row []byte) cell.Cell {
	return cell.Cell{Row: row, Timestamp: cell.Latest, Type: beforeAll}
}

// firstOfColumn is the target before every cell of qualifier in c's row and
// family.
func firstOfColumn(c *cell.Cell, qualifier []byte) cell.Cell {
	return cell.Cell{Row: c.Row, Family: c.Family, Qualifier: qualifier, Timestamp: cell.Latest, Type: beforeAll}
}
