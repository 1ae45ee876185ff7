package filter

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// Filter is a filter as servers take it: a Java class and its serialized form.
// Filters for classes that a server has on its own class path can be made by
// hand.
type Filter struct {
	Class string
	Data  []byte
}

// Op is a comparison.
type Op uint8

// The comparisons, in HBase's numbers. NoOp keeps nothing.
const (
	Less Op = iota
	LessOrEqual
	Equal
	NotEqual
	GreaterOrEqual
	Greater
	NoOp
)

func (o Op) String() string {
	names := [...]string{"<", "<=", "=", "!=", ">=", ">", "no-op"}
	if int(o) < len(names) {
		return names[o]
	}
	return "?"
}

const javaPackage = "org.apache.hadoop.hbase.filter."

func of(class string, m message) Filter { return Filter{javaPackage + class, m} }

// message is a protobuf message in the making.
type message []byte

func (m message) bytes(field protowire.Number, b []byte) message {
	m = protowire.AppendTag(m, field, protowire.BytesType)
	return protowire.AppendBytes(m, b)
}

func (m message) uint(field protowire.Number, v uint64) message {
	m = protowire.AppendTag(m, field, protowire.VarintType)
	return protowire.AppendVarint(m, v)
}

func (m message) bool(field protowire.Number, v bool) message {
	return m.uint(field, protowire.EncodeBool(v))
}

func (m message) filter(field protowire.Number, f Filter) message {
	return m.bytes(field, message{}.bytes(1, []byte(f.Class)).bytes(2, f.Data))
}

func (m message) comparator(field protowire.Number, c Comparator) message {
	return m.bytes(field, message{}.bytes(1, []byte(c.Class)).bytes(2, c.Data))
}

// compare is HBase's CompareFilter: {1! op, 2 comparator}.
func compare(op Op, c Comparator) message {
	return message{}.uint(1, uint64(op)).comparator(2, c)
}

// All keeps what every filter keeps, asked in that order. Without filters it
// keeps everything.
func All(filters ...Filter) Filter { return list(1, filters) }

// Any keeps what at least one filter keeps.
func Any(filters ...Filter) Filter { return list(2, filters) }

// list is a FilterList: {1! operator, 2* filters}.
func list(operator uint64, filters []Filter) Filter {
	m := message{}.uint(1, operator)
	for _, f := range filters {
		m = m.filter(2, f)
	}
	return of("FilterList", m)
}

// Skip drops a row when f drops any of its cells.
func Skip(f Filter) Filter { return of("SkipFilter", message{}.filter(1, f)) }

// WhileMatch ends the scan where f first drops something.
func WhileMatch(f Filter) Filter { return of("WhileMatchFilter", message{}.filter(1, f)) }

// Row keeps rows whose key compares so.
func Row(op Op, c Comparator) Filter { return of("RowFilter", message{}.bytes(1, compare(op, c))) }

// Family keeps the families whose name compares so.
func Family(op Op, c Comparator) Filter {
	return of("FamilyFilter", message{}.bytes(1, compare(op, c)))
}

// Qualifier keeps the columns whose qualifier compares so.
func Qualifier(op Op, c Comparator) Filter {
	return of("QualifierFilter", message{}.bytes(1, compare(op, c)))
}

// Value keeps the cells whose value compares so.
func Value(op Op, c Comparator) Filter {
	return of("ValueFilter", message{}.bytes(1, compare(op, c)))
}

// Column options of SingleColumnValue and SingleColumnValueExclude.
type Column uint8

const (
	// IfMissing drops rows that lack the column. Without it they are kept.
	IfMissing Column = 1 << iota
	// AllVersions tests every version, not only the newest.
	AllVersions
)

// SingleColumnValue keeps the rows in which a column's value compares so. The
// column must be among those that are read.
func SingleColumnValue(family string, qualifier []byte, op Op, c Comparator, options ...Column) Filter {
	return of("SingleColumnValueFilter", singleColumn(family, qualifier, op, c, options))
}

// SingleColumnValueExclude is SingleColumnValue, and takes the column itself out
// of the result.
func SingleColumnValueExclude(family string, qualifier []byte, op Op, c Comparator, options ...Column) Filter {
	return of("SingleColumnValueExcludeFilter", message{}.bytes(1, singleColumn(family, qualifier, op, c, options)))
}

// singleColumn is {1 family, 2 qualifier, 3! op, 4! comparator,
// 5 filter_if_missing, 6 latest_version_only}.
func singleColumn(family string, qualifier []byte, op Op, c Comparator, options []Column) message {
	var o Column
	for _, option := range options {
		o |= option
	}
	return message{}.bytes(1, []byte(family)).bytes(2, qualifier).uint(3, uint64(op)).comparator(4, c).
		bool(5, o&IfMissing != 0).bool(6, o&AllVersions == 0)
}

// ColumnValue keeps one column, where its value compares so.
func ColumnValue(family string, qualifier []byte, op Op, c Comparator) Filter {
	return of("ColumnValueFilter", message{}.bytes(1, []byte(family)).bytes(2, qualifier).uint(3, uint64(op)).comparator(4, c))
}

// Dependent keeps the cells that have the timestamp of a cell of a reference
// column; with drop the reference column's own cells are left out.
func Dependent(family string, qualifier []byte, drop bool) Filter {
	return of("DependentColumnFilter", message{}.bytes(1, message{}.uint(1, uint64(NoOp))).
		bytes(2, []byte(family)).bytes(3, qualifier).bool(4, drop))
}

// DependentValue is Dependent with only such reference cells whose value
// compares so.
func DependentValue(family string, qualifier []byte, drop bool, op Op, c Comparator) Filter {
	return of("DependentColumnFilter", message{}.bytes(1, compare(op, c)).
		bytes(2, []byte(family)).bytes(3, qualifier).bool(4, drop))
}

// ColumnPrefix keeps the columns whose qualifier begins so.
func ColumnPrefix(prefix []byte) Filter {
	return of("ColumnPrefixFilter", message{}.bytes(1, prefix))
}

// MultipleColumnPrefix keeps the columns whose qualifier begins with one of
// these, which must be in order.
func MultipleColumnPrefix(sorted ...[]byte) Filter {
	var m message
	for _, p := range sorted {
		m = m.bytes(1, p)
	}
	return of("MultipleColumnPrefixFilter", m)
}

// ColumnRange keeps the columns with qualifiers from min to max; nil is no
// bound.
func ColumnRange(min []byte, minInclusive bool, max []byte, maxInclusive bool) Filter {
	var m message
	if min != nil {
		m = m.bytes(1, min)
	}
	m = m.bool(2, minInclusive)
	if max != nil {
		m = m.bytes(3, max)
	}
	return of("ColumnRangeFilter", m.bool(4, maxInclusive))
}

// ColumnPagination keeps limit columns of each row, after the first offset ones.
func ColumnPagination(limit, offset int32) Filter {
	return of("ColumnPaginationFilter", message{}.uint(1, uint64(int64(limit))).uint(2, uint64(int64(offset))))
}

// ColumnPaginationFrom keeps limit columns of each row, from a qualifier on.
func ColumnPaginationFrom(limit int32, qualifier []byte) Filter {
	return of("ColumnPaginationFilter", message{}.uint(1, uint64(int64(limit))).bytes(3, qualifier))
}

// ColumnCountGet keeps the first limit columns; it is meant for Gets and ends a
// scan.
func ColumnCountGet(limit int32) Filter {
	return of("ColumnCountGetFilter", message{}.uint(1, uint64(int64(limit))))
}

// FirstKeyOnly keeps the first cell of each row: enough to count rows.
func FirstKeyOnly() Filter { return of("FirstKeyOnlyFilter", nil) }

// FirstKeyValueMatchingQualifiers keeps a row's cells up to the first whose
// qualifier is one of these.
func FirstKeyValueMatchingQualifiers(qualifiers ...[]byte) Filter {
	var m message
	for _, q := range qualifiers {
		m = m.bytes(1, q)
	}
	return of("FirstKeyValueMatchingQualifiersFilter", m)
}

// KeyOnly keeps cells without their values; with lengths, the value is the
// length of what it was, in 4 bytes.
func KeyOnly(lengths bool) Filter { return of("KeyOnlyFilter", message{}.bool(1, lengths)) }

// FuzzyKey is a row key of which some bytes are free.
type FuzzyKey struct {
	Key []byte
	// Free has a byte for each of Key's: true for any byte.
	Free []bool
}

// FuzzyRow keeps the rows that match any of the keys. A row may be longer than
// the key.
func FuzzyRow(keys ...FuzzyKey) Filter {
	// {1* {1! key, 2! mask}}; in the mask 0 is a fixed byte, 1 a free one.
	var m message
	for _, k := range keys {
		mask := make([]byte, len(k.Key))
		key := append([]byte(nil), k.Key...)
		for i := range mask {
			if i < len(k.Free) && k.Free[i] {
				mask[i], key[i] = 1, 0
			}
		}
		m = m.bytes(1, message{}.bytes(1, key).bytes(2, mask))
	}
	return of("FuzzyRowFilter", m)
}

// InclusiveStop ends the scan after a row.
func InclusiveStop(row []byte) Filter { return of("InclusiveStopFilter", message{}.bytes(1, row)) }

// Page ends the scan of each region after n rows.
func Page(n int64) Filter { return of("PageFilter", message{}.uint(1, uint64(n))) }

// Prefix keeps the rows whose key begins so.
func Prefix(prefix []byte) Filter { return of("PrefixFilter", message{}.bytes(1, prefix)) }

// RandomRow keeps each row with that chance, from 0 to 1.
func RandomRow(chance float32) Filter {
	m := protowire.AppendTag(nil, 1, protowire.Fixed32Type)
	return of("RandomRowFilter", protowire.AppendFixed32(m, math.Float32bits(chance)))
}

// Timestamps keeps the cells of these versions.
func Timestamps(versions ...int64) Filter {
	var packed []byte
	for _, v := range versions {
		packed = protowire.AppendVarint(packed, uint64(v))
	}
	return of("TimestampsFilter", message{}.bytes(1, packed))
}

// RowRange is a range of rows; an empty bound is none.
type RowRange struct {
	Start          []byte
	StartInclusive bool
	Stop           []byte
	StopInclusive  bool
}

// MultiRowRange keeps the rows of all ranges, and skips what is between.
func MultiRowRange(ranges ...RowRange) Filter {
	var m message
	for _, r := range ranges {
		m = m.bytes(1, message{}.bytes(1, r.Start).bool(2, r.StartInclusive).bytes(3, r.Stop).bool(4, r.StopInclusive))
	}
	return of("MultiRowRangeFilter", m)
}

// None keeps nothing. Servers know it by HBase's performance tool, which reads
// without a reply's cost by it.
func None() Filter { return of("FilterAllFilter", nil) }

// Comparator is an operand and how to compare with it, as servers take it.
type Comparator struct {
	Class string
	Data  []byte
}

func comparatorOf(class string, m message) Comparator { return Comparator{javaPackage + class, m} }

// operand is a ByteArrayComparable, {1 value}, as field 1.
func operand(b []byte) message { return message{}.bytes(1, message{}.bytes(1, b)) }

// Binary compares byte for byte.
func Binary(b []byte) Comparator { return comparatorOf("BinaryComparator", operand(b)) }

// BinaryPrefix compares with as many first bytes as b has.
func BinaryPrefix(b []byte) Comparator { return comparatorOf("BinaryPrefixComparator", operand(b)) }

// BinaryComponent compares with the bytes at an offset.
func BinaryComponent(b []byte, offset uint32) Comparator {
	return comparatorOf("BinaryComponentComparator", message{}.bytes(1, b).uint(2, uint64(offset)))
}

// Long compares as numbers of 8 bytes with a sign.
func Long(v int64) Comparator {
	return comparatorOf("LongComparator", operand(binary.BigEndian.AppendUint64(nil, uint64(v))))
}

// BitOp is how Bit combines operand and value.
type BitOp uint8

// The operations of Bit, in HBase's numbers.
const (
	And BitOp = 1 + iota
	Or
	Xor
)

// Bit is equal where combining operand and value, which must be of one length,
// leaves a bit set.
func Bit(b []byte, op BitOp) Comparator {
	return comparatorOf("BitComparator", operand(b).uint(2, uint64(op)))
}

// Null is for finding out whether there is a value.
func Null() Comparator { return comparatorOf("NullComparator", nil) }

// Flags of Regexp, as Java has them.
const (
	CaseInsensitive int32 = 2
	Multiline       int32 = 8
	DotAll          int32 = 32
)

// Regexp is equal where a Java regular expression is found, anywhere in the
// value.
func Regexp(pattern string, flags int32) Comparator {
	return comparatorOf("RegexStringComparator", message{}.bytes(1, []byte(pattern)).
		uint(2, uint64(int64(flags))).bytes(3, []byte("UTF-8")).bytes(4, []byte("JAVA")))
}

// Substring is equal where a text is found, whatever its case.
func Substring(s string) Comparator {
	return comparatorOf("SubstringComparator", message{}.bytes(1, []byte(s)))
}
