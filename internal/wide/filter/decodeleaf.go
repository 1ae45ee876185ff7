package filter

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// tested is what the filters that compare one column have on the wire.
type tested struct {
	column
	test
	hasOp         bool
	dropIfMissing bool
	newestOnly    bool
}

// compareFilter reads the filters that wrap
//
//	CompareFilter{1! compare_op; 2 comparator}
func (d *decoder) compareFilter(class string, b []byte) (Filter, error) {
	inner, ok := onlyBytes(b)
	if !ok {
		return nil, incomplete(class)
	}
	t, err := d.test(class, inner)
	if err != nil {
		return nil, err
	}
	if t.operand == nil && t.op != opNone {
		return nil, malformed(class, "the comparator is missing")
	}
	switch class {
	case "RowFilter":
		return &rowFilter{base: d.base(), test: t}, nil
	case "FamilyFilter":
		return &familyFilter{base: d.base(), test: t}, nil
	case "QualifierFilter":
		return &qualifierFilter{base: d.base(), test: t}, nil
	}
	return &valueFilter{base: d.base(), test: t}, nil
}

// test reads CompareFilter.
func (d *decoder) test(class string, b []byte) (t test, err error) {
	hasOp := false
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | varintType:
			if t.op, err = readOp(class, &m); err != nil {
				return t, err
			}
			hasOp = true
		case 2<<3 | bytesType:
			if t.operand, err = d.operand(class, m.bytes()); err != nil {
				return t, err
			}
		default:
			m.skip()
		}
	}
	if m.bad || !hasOp {
		return t, incomplete(class)
	}
	return t, nil
}

func readOp(class string, m *message) (compareOp, error) {
	op := m.varint()
	if op > uint64(opNone) {
		return 0, malformed(class, "comparison %d is not known", op)
	}
	return compareOp(op), nil
}

// operand reads a Comparator message.
func (d *decoder) operand(class string, b []byte) (Comparator, error) {
	name, serialized, ok := named(b)
	if !ok {
		return nil, incomplete(class)
	}
	return d.comparator(name, serialized)
}

// simpleFilter reads the filters with at most one plain field, number 1.
func (d *decoder) simpleFilter(class string, b []byte) (Filter, error) {
	var (
		field  []byte
		number uint64
		chance float32
		has    bool
	)
	want := varintType
	switch class {
	case "PrefixFilter", "InclusiveStopFilter":
		want = bytesType
	case "RandomRowFilter":
		want = fixed32
	}
	m := message{rest: b}
	for m.next() {
		if m.tag != 1<<3|want {
			m.skip()
			continue
		}
		has = true
		switch want {
		case bytesType:
			field = m.bytes()
		case fixed32:
			chance = m.float32()
		default:
			number = m.varint()
		}
	}
	if m.bad {
		return nil, incomplete(class)
	}
	switch class {
	case "FirstKeyOnlyFilter": // {}
		return &firstKeyOnlyFilter{base: d.base()}, nil
	case "FilterAllFilter": // {}
		return &filterAllFilter{base: d.base()}, nil
	case "PrefixFilter": // {1 prefix:b}
		return &prefixFilter{base: d.base(), prefix: field, none: !has, drop: true}, nil
	}
	if !has {
		return nil, incomplete(class)
	}
	switch class {
	case "InclusiveStopFilter": // {1 stop_row_key:b}
		return &inclusiveStopFilter{base: d.base(), stop: field}, nil
	case "RandomRowFilter": // {1! chance:float}
		return &randomRowFilter{base: d.base(), chance: chance}, nil
	case "KeyOnlyFilter": // {1! len_as_val:bool}
		return &keyOnlyFilter{base: d.base(), lengthAsValue: number != 0}, nil
	case "PageFilter": // {1! page_size:int64}
		if int64(number) < 0 {
			return nil, malformed(class, "the page size %d is negative", int64(number))
		}
		return &pageFilter{base: d.base(), size: int64(number)}, nil
	default: // ColumnCountGetFilter {1! limit:int32}
		if int32(number) < 0 {
			return nil, malformed(class, "the limit %d is negative", int32(number))
		}
		return &columnCountGetFilter{base: d.base(), limit: int64(int32(number))}, nil
	}
}

// singleColumn reads
//
//	SingleColumnValueFilter{1 column_family:b; 2 column_qualifier:b; 3! compare_op;
//	  4! comparator; 5 filter_if_missing:bool; 6 latest_version_only:bool}
func (d *decoder) singleColumn(class string, b []byte) (*singleColumnFilter, error) {
	t, err := d.tested(class, b)
	if err != nil {
		return nil, err
	}
	return &singleColumnFilter{base: d.base(), column: t.column, test: t.test,
		dropIfMissing: t.dropIfMissing, newestOnly: t.newestOnly}, nil
}

// columnValue reads
//
//	ColumnValueFilter{1! family:b; 2! qualifier:b; 3! compare_op; 4! comparator}
func (d *decoder) columnValue(class string, b []byte) (Filter, error) {
	t, err := d.tested(class, b)
	if err != nil {
		return nil, err
	}
	if t.family == nil || t.qualifier == nil {
		return nil, incomplete(class)
	}
	return &columnValueFilter{base: d.base(), column: t.column, test: t.test}, nil
}

func (d *decoder) tested(class string, b []byte) (t tested, err error) {
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | bytesType:
			t.family = orEmpty(m.bytes())
		case 2<<3 | bytesType:
			t.qualifier = orEmpty(m.bytes())
		case 3<<3 | varintType:
			if t.op, err = readOp(class, &m); err != nil {
				return t, err
			}
			t.hasOp = true
		case 4<<3 | bytesType:
			if t.operand, err = d.operand(class, m.bytes()); err != nil {
				return t, err
			}
		case 5<<3 | varintType:
			t.dropIfMissing = m.bool()
		case 6<<3 | varintType:
			t.newestOnly = m.bool()
		default:
			m.skip()
		}
	}
	if m.bad || !t.hasOp || t.operand == nil {
		return t, incomplete(class)
	}
	if t.op == opNone && class != "ColumnValueFilter" {
		// HBase fails at the first cell of the column.
		return t, malformed(class, "Unknown Compare op NO_OP")
	}
	return t, nil
}

// dependentColumn reads
//
//	DependentColumnFilter{1! compare_filter; 2 column_family:b; 3 column_qualifier:b;
//	  4 drop_dependent_column:bool}
func (d *decoder) dependentColumn(class string, b []byte) (Filter, error) {
	f := &dependentColumnFilter{base: d.base(), stamps: map[int64]struct{}{}}
	hasTest := false
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | bytesType:
			var err error
			if f.test, err = d.test(class, m.bytes()); err != nil {
				return nil, err
			}
			hasTest = true
		case 2<<3 | bytesType:
			f.family = m.bytes()
		case 3<<3 | bytesType:
			f.qualifier = m.bytes()
		case 4<<3 | varintType:
			f.drop = m.bool()
		default:
			m.skip()
		}
	}
	if m.bad || !hasTest {
		return nil, incomplete(class)
	}
	return f, nil
}

// columnRange reads
//
//	ColumnRangeFilter{1 min_column:b; 2 min_column_inclusive:bool; 3 max_column:b;
//	  4 max_column_inclusive:bool}
func (d *decoder) columnRange(class string, b []byte) (Filter, error) {
	f := &columnRangeFilter{base: d.base()}
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | bytesType:
			f.min = orEmpty(m.bytes())
		case 2<<3 | varintType:
			f.minInclusive = m.bool()
		case 3<<3 | bytesType:
			f.max = orEmpty(m.bytes())
		case 4<<3 | varintType:
			f.maxInclusive = m.bool()
		default:
			m.skip()
		}
	}
	if m.bad {
		return nil, incomplete(class)
	}
	return f, nil
}

// columnPagination reads
//
//	ColumnPaginationFilter{1! limit:int32; 2 offset:int32; 3 column_offset:b}
func (d *decoder) columnPagination(class string, b []byte) (Filter, error) {
	var limit, offset int32
	var column []byte
	hasLimit := false
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | varintType:
			limit, hasLimit = m.int32(), true
		case 2<<3 | varintType:
			offset = m.int32()
		case 3<<3 | bytesType:
			column = orEmpty(m.bytes())
		default:
			m.skip()
		}
	}
	switch {
	case m.bad || !hasLimit:
		return nil, incomplete(class)
	case limit < 0:
		return nil, malformed(class, "the limit %d is negative", limit)
	case column != nil:
		return &columnOffsetFilter{base: d.base(), limit: int64(limit), offset: column}, nil
	case offset < 0:
		return nil, malformed(class, "the offset %d is negative", offset)
	}
	return &columnPaginationFilter{base: d.base(), limit: int64(limit), offset: int64(offset)}, nil
}

// byteStrings reads
//
//	MultipleColumnPrefixFilter{1* sorted_prefixes:b}
//	FirstKeyValueMatchingQualifiersFilter{1* qualifiers:b}
func (d *decoder) byteStrings(class string, b []byte) (Filter, error) {
	var list [][]byte
	m := message{rest: b}
	for m.next() {
		if m.tag != 1<<3|bytesType {
			m.skip()
			continue
		}
		if err := d.item(class); err != nil {
			return nil, err
		}
		list = append(list, m.bytes())
	}
	if m.bad {
		return nil, incomplete(class)
	}
	slices.SortFunc(list, bytes.Compare)
	n := len(list)
	list = slices.CompactFunc(list, bytes.Equal)
	if class != "MultipleColumnPrefixFilter" {
		return &firstMatchingQualifiersFilter{base: d.base(), qualifiers: list}, nil
	}
	if len(list) < n {
		return nil, malformed(class, "prefixes must be distinct")
	}
	return &multipleColumnPrefixFilter{base: d.base(), prefixes: list}, nil
}

// timestamps reads TimestampsFilter{1* timestamps:int64 packed; 2 can_hint:bool}.
func (d *decoder) timestamps(class string, b []byte) (Filter, error) {
	f := &timestampsFilter{base: d.base()}
	add := func(v uint64) error {
		if int64(v) < 0 {
			return malformed(class, "the timestamp %d is negative", int64(v))
		}
		f.timestamps = append(f.timestamps, int64(v))
		return d.item(class)
	}
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | varintType:
			if err := add(m.varint()); err != nil {
				return nil, err
			}
		case 1<<3 | bytesType:
			for packed := m.bytes(); len(packed) > 0; {
				v, n := protowire.ConsumeVarint(packed)
				if n < 0 {
					return nil, incomplete(class)
				}
				if err := add(v); err != nil {
					return nil, err
				}
				packed = packed[n:]
			}
		case 2<<3 | varintType:
			f.canHint = m.bool()
		default:
			m.skip()
		}
	}
	if m.bad {
		return nil, incomplete(class)
	}
	slices.Sort(f.timestamps)
	f.timestamps = slices.Compact(f.timestamps)
	return f, nil
}

// fuzzyRow reads
//
//	FuzzyRowFilter{1* fuzzy_keys_data{1! first:b; 2! second:b}; 2 is_mask_v2:bool}
//
// where first is the key and second its mask.
func (d *decoder) fuzzyRow(class string, b []byte) (Filter, error) {
	f := &fuzzyRowFilter{base: d.base()}
	var masks [][]byte
	v2 := false
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | bytesType:
			if err := d.item(class); err != nil {
				return nil, err
			}
			var key, mask []byte
			pair := message{rest: m.bytes()}
			for pair.next() {
				switch pair.tag {
				case 1<<3 | bytesType:
					key = orEmpty(pair.bytes())
				case 2<<3 | bytesType:
					mask = orEmpty(pair.bytes())
				default:
					pair.skip()
				}
			}
			if pair.bad || key == nil || mask == nil {
				return nil, incomplete(class)
			}
			if len(key) != len(mask) {
				return nil, malformed(class, "a key has %d bytes and its mask %d", len(key), len(mask))
			}
			f.keys = append(f.keys, fuzzyKey{key: key})
			masks = append(masks, mask)
		case 2<<3 | varintType:
			v2 = m.bool()
		default:
			m.skip()
		}
	}
	if m.bad {
		return nil, incomplete(class)
	}
	if len(f.keys) == 0 {
		return nil, malformed(class, "there are no keys")
	}
	for i, mask := range masks {
		f.keys[i].fixed = fixedPositions(mask, v2)
	}
	return f, nil
}

// fixedPositions reads a mask. Clients send it as their user wrote it
//
//	0 fixed    1 free
//
// or prepared for the server: with is_mask_v2, and before that flag came up in
// most versions,
//
//	ff fixed   2 free
//
// but in the oldest
//
//	ff fixed   0 free
//
// A 0 is free in the last form only, which has neither 1 nor 2. A mask of
// nothing but 0 without the flag is taken for that form, as HBase 2.6 does.
func fixedPositions(mask []byte, v2 bool) []bool {
	const raw, prepared = 1, 2
	zeroIsFree := !v2 && bytes.IndexByte(mask, raw) < 0 && bytes.IndexByte(mask, prepared) < 0
	fixed := make([]bool, len(mask))
	for i, c := range mask {
		fixed[i] = c == 0 && !zeroIsFree || c >= 0x80
	}
	return fixed
}

// multiRowRange reads
//
//	MultiRowRangeFilter{1* row_range_list{1 start_row:b; 2 start_row_inclusive:bool;
//	  3 stop_row:b; 4 stop_row_inclusive:bool}}
func (d *decoder) multiRowRange(class string, b []byte) (Filter, error) {
	var ranges []rowRange
	m := message{rest: b}
	for m.next() {
		if m.tag != 1<<3|bytesType {
			m.skip()
			continue
		}
		if err := d.item(class); err != nil {
			return nil, err
		}
		var r rowRange
		one := message{rest: m.bytes()}
		for one.next() {
			switch one.tag {
			case 1<<3 | bytesType:
				r.start = one.bytes()
			case 2<<3 | varintType:
				r.startInclusive = one.bool()
			case 3<<3 | bytesType:
				r.stop = one.bytes()
			case 4<<3 | varintType:
				r.stopInclusive = one.bool()
			default:
				one.skip()
			}
		}
		if one.bad {
			return nil, incomplete(class)
		}
		if !r.valid() {
			return nil, malformed(class, "invalid range: start row %.200q, stop row %.200q", r.start, r.stop)
		}
		ranges = append(ranges, r)
	}
	switch {
	case m.bad:
		return nil, incomplete(class)
	case len(ranges) == 0:
		return nil, malformed(class, "No ranges found.")
	}
	return &multiRowRangeFilter{base: d.base(), ranges: mergeRanges(ranges)}, nil
}
