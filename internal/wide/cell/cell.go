package cell

import (
	"bytes"
	"fmt"
	"math"
)

// Type is HBase's cell type, in its wire numbers.
type Type uint8

const (
	Put                 Type = 4
	Delete              Type = 8  // this column at exactly this timestamp
	DeleteFamilyVersion Type = 10 // this family at exactly this timestamp
	DeleteColumn        Type = 12 // this column up to this timestamp
	DeleteFamily        Type = 14 // this family up to this timestamp
)

// Latest is the timestamp that stands for "the server's clock".
const Latest int64 = math.MaxInt64

// IsDelete tells delete markers from puts.
func (t Type) IsDelete() bool { return t != Put }

// Valid tells whether t is one of the five types.
func (t Type) Valid() bool {
	switch t {
	case Put, Delete, DeleteFamilyVersion, DeleteColumn, DeleteFamily:
		return true
	}
	return false
}

func (t Type) String() string {
	switch t {
	case Put:
		return "Put"
	case Delete:
		return "Delete"
	case DeleteFamilyVersion:
		return "DeleteFamilyVersion"
	case DeleteColumn:
		return "DeleteColumn"
	case DeleteFamily:
		return "DeleteFamily"
	}
	return fmt.Sprintf("Type(%d)", uint8(t))
}

// Cell is a view of one cell. The byte slices belong to whoever made the cell;
// who hands one out says how long they live.
type Cell struct {
	Row       []byte
	Family    []byte
	Qualifier []byte
	Value     []byte
	// Tags is HBase's tag block: repeated { uint16 length, uint8 type, bytes }.
	Tags      []byte
	Timestamp int64 // milliseconds, >= 0
	// Seq orders cells by arrival; only families with new version behaviour
	// have it, elsewhere it is 0.
	Seq  uint64
	Type Type
}

// Compare orders cells of one (row, family) as HBase does: qualifier ascending,
// timestamp descending, type descending.
func Compare(a, b *Cell) int {
	if c := bytes.Compare(a.Qualifier, b.Qualifier); c != 0 {
		return c
	}
	return CompareVersion(a.Timestamp, a.Type, b.Timestamp, b.Type)
}

// CompareVersion is Compare for cells of one column.
func CompareVersion(ats int64, at Type, bts int64, bt Type) int {
	switch {
	case ats > bts:
		return -1
	case ats < bts:
		return 1
	case at > bt:
		return -1
	case at < bt:
		return 1
	}
	return 0
}

// CompareFull orders cells of any rows and families.
func CompareFull(a, b *Cell) int {
	if c := bytes.Compare(a.Row, b.Row); c != 0 {
		return c
	}
	if c := bytes.Compare(a.Family, b.Family); c != 0 {
		return c
	}
	return Compare(a, b)
}

// Clone returns a copy that owns its bytes (one allocation).
func (c *Cell) Clone() Cell {
	buf := make([]byte, 0, len(c.Row)+len(c.Family)+len(c.Qualifier)+len(c.Value)+len(c.Tags))
	take := func(b []byte) []byte {
		n := len(buf)
		buf = append(buf, b...)
		return buf[n:len(buf):len(buf)]
	}
	d := *c
	d.Row, d.Family, d.Qualifier = take(c.Row), take(c.Family), take(c.Qualifier)
	d.Value = take(c.Value)
	d.Tags = take(c.Tags)
	return d
}

func (c *Cell) String() string {
	return fmt.Sprintf("%q/%s:%q/%d/%s/vlen=%d", c.Row, c.Family, c.Qualifier, c.Timestamp, c.Type, len(c.Value))
}
