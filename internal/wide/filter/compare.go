package filter

import (
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// compareOp in HBase's numbers.
type compareOp uint8

const (
	opLess           compareOp = 0
	opLessOrEqual    compareOp = 1
	opEqual          compareOp = 2
	opNotEqual       compareOp = 3
	opGreaterOrEqual compareOp = 4
	opGreater        compareOp = 5
	opNone           compareOp = 6
)

// keeps tells whether "value OP operand" holds, given how the operand compares
// with the value.
func (op compareOp) keeps(operandToValue int) bool {
	switch op {
	case opLess:
		return operandToValue > 0
	case opLessOrEqual:
		return operandToValue >= 0
	case opEqual:
		return operandToValue == 0
	case opNotEqual:
		return operandToValue != 0
	case opGreaterOrEqual:
		return operandToValue <= 0
	case opGreater:
		return operandToValue < 0
	}
	return false
}

// test is an operator with its operand. opNone holds for nothing.
type test struct {
	op      compareOp
	operand Comparator
}

func (t *test) keeps(value []byte) bool {
	return t.op != opNone && t.op.keeps(t.operand.Compare(value))
}

// rowFilter keeps the rows whose key passes the test.
type rowFilter struct {
	base
	test
	drop bool
}

func (f *rowFilter) Reset() { f.drop = false }

func (f *rowFilter) FilterRowKey(first *cell.Cell) bool {
	if !f.keeps(first.Row) {
		f.drop = true
	}
	return f.drop
}

func (f *rowFilter) FilterCell(*cell.Cell) Code {
	if f.drop {
		return NextRow
	}
	return Include
}

func (f *rowFilter) FilterRow() bool { return f.drop }

// familyFilter keeps the families whose name passes the test.
type familyFilter struct {
	base
	test
}

func (f *familyFilter) FilterCell(c *cell.Cell) Code {
	if len(c.Family) > 0 && !f.keeps(c.Family) {
		return NextRow
	}
	return Include
}

// qualifierFilter keeps the cells whose qualifier passes the test.
type qualifierFilter struct {
	base
	test
}

func (f *qualifierFilter) FilterCell(c *cell.Cell) Code {
	if !f.keeps(c.Qualifier) {
		return Skip
	}
	return Include
}

// valueFilter keeps the cells whose value passes the test.
type valueFilter struct {
	base
	test
}

func (f *valueFilter) FilterCell(c *cell.Cell) Code {
	if !f.keeps(c.Value) {
		return Skip
	}
	return Include
}
