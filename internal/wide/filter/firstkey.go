package filter

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// firstKeyOnlyFilter keeps the first cell of each row.
type firstKeyOnlyFilter struct {
	base
	found bool
}

func (f *firstKeyOnlyFilter) Reset() { f.found = false }

func (f *firstKeyOnlyFilter) FilterCell(*cell.Cell) Code {
	if f.found {
		return NextRow
	}
	f.found = true
	return Include
}

// firstMatchingQualifiersFilter keeps the cells of each row up to and including
// the first one of the given qualifiers.
type firstMatchingQualifiersFilter struct {
	base
	qualifiers [][]byte // sorted
	found      bool
}

func (f *firstMatchingQualifiersFilter) Reset() { f.found = false }

func (f *firstMatchingQualifiersFilter) FilterCell(c *cell.Cell) Code {
	if f.found {
		return NextRow
	}
	_, f.found = slices.BinarySearchFunc(f.qualifiers, c.Qualifier, bytes.Compare)
	return Include
}

// keyOnlyFilter keeps every cell but not its value, or only the value's length.
type keyOnlyFilter struct {
	base
	lengthAsValue bool
	// room is what is left of a block that lengths are written to. Transformed
	// values outlive the call, so a block is never written twice.
	room []byte
}

func (f *keyOnlyFilter) FilterCell(*cell.Cell) Code { return Include }

func (f *keyOnlyFilter) Transform(c *cell.Cell) {
	c.Tags = nil
	if !f.lengthAsValue {
		c.Value = nil
		return
	}
	if len(f.room) < 4 {
		f.room = make([]byte, 1024)
	}
	length := f.room[:4:4]
	f.room = f.room[4:]
	binary.BigEndian.PutUint32(length, uint32(len(c.Value)))
	c.Value = length
}
