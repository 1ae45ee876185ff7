package pb

// MutateRequest changes one row, perhaps under a condition.
type MutateRequest struct {
	Region       Region
	Mutation     Mutation
	Condition    Condition
	HasCondition bool
	NonceGroup   uint64
}

// Decode reads a MutateRequest message.
func (r *MutateRequest) Decode(b []byte) error {
	r.Region, r.HasCondition, r.NonceGroup = Region{}, false, 0
	r.Condition = Condition{}
	var mutation []byte
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			if err := r.Region.Decode(p.b); err != nil {
				return err
			}
		case 2<<3 | length:
			mutation = p.b
		case 3<<3 | length:
			r.HasCondition = true
			if err := r.Condition.Decode(p.b); err != nil {
				return err
			}
		case 4<<3 | varint:
			r.NonceGroup = p.u
		}
	}
	if p.err != nil {
		return p.done("MutateRequest")
	}
	if mutation == nil {
		return missing("MutateRequest", "mutation")
	}
	return r.Mutation.Decode(mutation)
}

// Mutation types.
const (
	MutateAppend    = 0
	MutateIncrement = 1
	MutatePut       = 2
	MutateDelete    = 3
)

// Delete types of a value.
const (
	DeleteOneVersion       = 0
	DeleteMultipleVersions = 1
	DeleteFamily           = 2
	DeleteFamilyVersion    = 3
)

// Mutation is a MutationProto. Its data are inline values (walk them with
// Values), or CellCount cells of the request's cell block, or both.
type Mutation struct {
	Row          []byte
	HasRow       bool
	Type         uint32
	Timestamp    int64
	HasTimestamp bool
	Attributes   Attributes
	Durability   uint32
	TimeRange    TimeRange
	HasTimeRange bool
	CellCount    int32
	HasCellCount bool
	Nonce        uint64
	HasNonce     bool
	// HasValues: at least one ColumnValue is there.
	HasValues bool

	raw []byte
}

// Decode reads a MutationProto message.
func (m *Mutation) Decode(b []byte) (err error) {
	*m = Mutation{Attributes: reuse(m.Attributes), TimeRange: AllTime, raw: b}
	p := parser{in: b}
	for err == nil && p.next() {
		switch p.tag {
		case 1<<3 | length:
			m.Row, m.HasRow = p.b, true
		case 2<<3 | varint:
			m.Type = uint32(p.u)
		case 3<<3 | length:
			m.HasValues = true
		case 4<<3 | varint:
			m.Timestamp, m.HasTimestamp = int64(p.u), true
		case 5<<3 | length:
			err = m.Attributes.add(p.b)
		case 6<<3 | varint:
			m.Durability = uint32(p.u)
		case 7<<3 | length:
			m.HasTimeRange = true
			err = m.TimeRange.Decode(p.b)
		case 8<<3 | varint:
			m.CellCount, m.HasCellCount = int32(p.u), true
		case 9<<3 | varint:
			m.Nonce, m.HasNonce = p.u, true
		}
	}
	if err != nil {
		return err
	}
	return p.done("MutationProto")
}

// Values walks the inline values.
func (m *Mutation) Values() Values { return Values{families: parser{in: m.raw}} }

// Value is one QualifierValue and the family it stands in.
type Value struct {
	Family        []byte
	Qualifier     []byte
	HasQualifier  bool
	Value         []byte
	HasValue      bool
	Timestamp     int64
	HasTimestamp  bool
	DeleteType    uint32
	HasDeleteType bool
	Tags          []byte
}

// Values is an iterator over the values of a mutation.
type Values struct {
	families parser
	values   parser
	family   []byte
	err      error
}

// Next fills v with the next value; false at the end or on an error (Err).
func (it *Values) Next(v *Value) bool {
	for it.err == nil {
		for it.values.next() {
			if it.values.tag == 2<<3|length {
				if it.err = v.decode(it.values.b); it.err != nil {
					return false
				}
				v.Family = it.family
				return true
			}
		}
		if it.err = it.values.done("ColumnValue"); it.err != nil {
			return false
		}
		if !it.nextFamily() {
			return false
		}
	}
	return false
}

// nextFamily moves to the next ColumnValue. The family is looked for first: it
// may stand behind its values.
func (it *Values) nextFamily() bool {
	for it.families.next() {
		if it.families.tag != 3<<3|length {
			continue
		}
		it.values, it.family = parser{in: it.families.b}, nil
		for p := it.values; p.next(); {
			if p.tag == 1<<3|length {
				it.family = p.b
				break
			}
		}
		return true
	}
	it.err = it.families.done("MutationProto")
	return false
}

// Err is nil after a complete walk.
func (it *Values) Err() error { return it.err }

func (v *Value) decode(b []byte) error {
	*v = Value{}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			v.Qualifier, v.HasQualifier = p.b, true
		case 2<<3 | length:
			v.Value, v.HasValue = p.b, true
		case 3<<3 | varint:
			v.Timestamp, v.HasTimestamp = int64(p.u), true
		case 4<<3 | varint:
			v.DeleteType, v.HasDeleteType = uint32(p.u), true
		case 5<<3 | length:
			v.Tags = p.b
		}
	}
	return p.done("QualifierValue")
}

// Condition guards a mutation: by a filter, or by comparing one column.
type Condition struct {
	Row           []byte
	Family        []byte
	Qualifier     []byte
	CompareType   uint32
	Comparator    Named
	HasComparator bool
	TimeRange     TimeRange
	HasTimeRange  bool
	Filter        Named
	HasFilter     bool
}

// Decode reads a Condition message.
func (c *Condition) Decode(b []byte) (err error) {
	*c = Condition{TimeRange: AllTime}
	p := parser{in: b}
	for err == nil && p.next() {
		switch p.tag {
		case 1<<3 | length:
			c.Row = p.b
		case 2<<3 | length:
			c.Family = p.b
		case 3<<3 | length:
			c.Qualifier = p.b
		case 4<<3 | varint:
			c.CompareType = uint32(p.u)
		case 5<<3 | length:
			c.HasComparator = true
			err = c.Comparator.Decode(p.b)
		case 6<<3 | length:
			c.HasTimeRange = true
			err = c.TimeRange.Decode(p.b)
		case 7<<3 | length:
			c.HasFilter = true
			err = c.Filter.Decode(p.b)
		}
	}
	if err != nil {
		return err
	}
	return p.done("Condition")
}
