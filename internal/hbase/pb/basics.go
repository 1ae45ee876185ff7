package pb

import "math"

// Named is a filter or comparator: a Java class and its serialized form.
type Named struct {
	Name []byte
	Data []byte
}

// Decode reads a Filter or Comparator message.
func (n *Named) Decode(b []byte) error {
	*n = Named{}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			n.Name = p.b
		case 2<<3 | length:
			n.Data = p.b
		}
	}
	return p.done("Filter")
}

// Attribute is a NameBytesPair of a request.
type Attribute struct {
	Name  []byte
	Value []byte
}

func (a *Attribute) decode(b []byte) error {
	*a = Attribute{}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			a.Name = p.b
		case 2<<3 | length:
			a.Value = p.b
		}
	}
	return p.done("NameBytesPair")
}

// Attributes are the attributes of an operation.
type Attributes []Attribute

// Get returns the last value of that name.
func (as Attributes) Get(name string) (value []byte, ok bool) {
	for i := len(as) - 1; i >= 0; i-- {
		if string(as[i].Name) == name {
			return as[i].Value, true
		}
	}
	return nil, false
}

func (as *Attributes) add(b []byte) error {
	if len(*as) >= maxAttributes {
		return tooMany("attributes", maxAttributes)
	}
	*as = grow(*as)
	return (*as)[len(*as)-1].decode(b)
}

// Column selects one family, whole (no qualifiers) or in part.
type Column struct {
	Family     []byte
	Qualifiers [][]byte
}

func (c *Column) decode(b []byte) error {
	c.Family, c.Qualifiers = nil, reuse(c.Qualifiers)
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			c.Family = p.b
		case 2<<3 | length:
			if len(c.Qualifiers) >= maxQualifiers {
				return tooMany("qualifiers", maxQualifiers)
			}
			c.Qualifiers = append(c.Qualifiers, p.b)
		}
	}
	return p.done("Column")
}

func addColumn(cs []Column, b []byte) ([]Column, error) {
	if len(cs) >= maxColumns {
		return cs, tooMany("columns", maxColumns)
	}
	cs = grow(cs)
	return cs, cs[len(cs)-1].decode(b)
}

// TimeRange is [Min, Max) in ms; the zero message is all of time. A value past
// int64 is negative here.
type TimeRange struct {
	Min, Max int64
}

// AllTime is the range of a request that names none.
var AllTime = TimeRange{0, math.MaxInt64}

// Decode reads a TimeRange message.
func (t *TimeRange) Decode(b []byte) error {
	*t = AllTime
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | varint:
			t.Min = int64(p.u)
		case 2<<3 | varint:
			t.Max = int64(p.u)
		}
	}
	return p.done("TimeRange")
}

// FamilyTimeRange is a ColumnFamilyTimeRange.
type FamilyTimeRange struct {
	Family []byte
	TimeRange
}

func (t *FamilyTimeRange) decode(b []byte) error {
	*t = FamilyTimeRange{TimeRange: AllTime}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			t.Family = p.b
		case 2<<3 | length:
			if err := t.TimeRange.Decode(p.b); err != nil {
				return err
			}
		}
	}
	return p.done("ColumnFamilyTimeRange")
}

func addFamilyTimeRange(ts []FamilyTimeRange, b []byte) ([]FamilyTimeRange, error) {
	if len(ts) >= maxTimeRanges {
		return ts, tooMany("family time ranges", maxTimeRanges)
	}
	ts = grow(ts)
	return ts, ts[len(ts)-1].decode(b)
}

// Types of a region specifier. Clients get them wrong: look regions up by value.
const (
	RegionName        = 1
	EncodedRegionName = 2
)

// Region is a RegionSpecifier.
type Region struct {
	Type  uint32
	Value []byte
}

// Decode reads a RegionSpecifier message.
func (r *Region) Decode(b []byte) error {
	*r = Region{}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | varint:
			r.Type = uint32(p.u)
		case 2<<3 | length:
			r.Value = p.b
		}
	}
	return p.done("RegionSpecifier")
}
