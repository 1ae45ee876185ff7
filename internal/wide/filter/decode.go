package filter

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"time"
)

// Limits bound what Decode accepts and what a decoded filter may spend. A zero
// field means the default.
type Limits struct {
	// MaxDepth bounds the nesting of filters, counting the outermost as 1.
	MaxDepth int
	// MaxFilters bounds the filters of one tree.
	MaxFilters int
	// MaxItems bounds the ranges, keys, prefixes, qualifiers and timestamps of
	// one tree together.
	MaxItems int
	// MaxPatternBytes bounds one regular expression.
	MaxPatternBytes int
	// RegexTimeout bounds one match of a regular expression that has to
	// backtrack; then the filter has an Err.
	RegexTimeout time.Duration
	// Random draws from [0, 1) for RandomRowFilter.
	Random func() float32
}

// DefaultLimits are generous: a tree of this depth costs a fraction of a
// millisecond per cell.
var DefaultLimits = Limits{
	MaxDepth:        128,
	MaxFilters:      64 << 10,
	MaxItems:        1 << 18,
	MaxPatternBytes: 32 << 10,
	RegexTimeout:    time.Second,
	Random:          rand.Float32,
}

func (l Limits) withDefaults() Limits {
	or := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	or(&l.MaxDepth, DefaultLimits.MaxDepth)
	or(&l.MaxFilters, DefaultLimits.MaxFilters)
	or(&l.MaxItems, DefaultLimits.MaxItems)
	or(&l.MaxPatternBytes, DefaultLimits.MaxPatternBytes)
	if l.RegexTimeout == 0 {
		l.RegexTimeout = DefaultLimits.RegexTimeout
	}
	if l.Random == nil {
		l.Random = DefaultLimits.Random
	}
	return l
}

// Decode makes a filter of its Java class and its serialized form, which it
// does not keep. The errors are *UnknownError and *MalformedError.
func Decode(name string, serialized []byte, limits Limits) (Filter, error) {
	d := newDecoder(limits)
	return d.filter(name, bytes.Clone(serialized), 1)
}

// DecodeComparator is Decode for a comparator.
func DecodeComparator(name string, serialized []byte, limits Limits) (Comparator, error) {
	return newDecoder(limits).comparator(name, bytes.Clone(serialized))
}

func newDecoder(limits Limits) *decoder {
	limits = limits.withDefaults()
	return &decoder{limits: limits, env: &env{random: limits.Random}}
}

// decoder decodes one tree.
type decoder struct {
	limits  Limits
	env     *env
	filters int
	items   int
}

func (d *decoder) base() base { return base{d.env} }

// item counts one element of a repeated field.
func (d *decoder) item(class string) error {
	d.items++
	if d.items > d.limits.MaxItems {
		return malformed(class, "more than %d ranges, keys, prefixes, qualifiers and timestamps", d.limits.MaxItems)
	}
	return nil
}

// classPrefix is the package of HBase's filters and comparators.
const classPrefix = "org.apache.hadoop.hbase.filter."

func incomplete(class string) error {
	return malformed(class, "the serialized form is damaged or lacks a required field")
}

// filter decodes the filter of class name from b, parts of which it keeps.
func (d *decoder) filter(name string, b []byte, depth int) (Filter, error) {
	class, ok := strings.CutPrefix(name, classPrefix)
	if !ok {
		return nil, &UnknownError{Class: name}
	}
	if depth > d.limits.MaxDepth {
		return nil, malformed(class, "filters are nested more than %d deep", d.limits.MaxDepth)
	}
	d.filters++
	if d.filters > d.limits.MaxFilters {
		return nil, malformed(class, "more than %d filters", d.limits.MaxFilters)
	}
	switch class {
	case "RowFilter", "FamilyFilter", "QualifierFilter", "ValueFilter":
		return d.compareFilter(class, b)
	case "PrefixFilter", "InclusiveStopFilter", "RandomRowFilter", "PageFilter",
		"ColumnCountGetFilter", "FirstKeyOnlyFilter", "KeyOnlyFilter", "FilterAllFilter":
		return d.simpleFilter(class, b)
	case "SingleColumnValueFilter":
		return d.singleColumn(class, b)
	case "SingleColumnValueExcludeFilter":
		// {1! single_column_value_filter}
		inner, ok := onlyBytes(b)
		if !ok {
			return nil, incomplete(class)
		}
		f, err := d.singleColumn(class, inner)
		if err != nil {
			return nil, err
		}
		return &singleColumnExcludeFilter{*f}, nil
	case "ColumnValueFilter":
		return d.columnValue(class, b)
	case "DependentColumnFilter":
		return d.dependentColumn(class, b)
	case "ColumnPrefixFilter":
		// {1! prefix}
		prefix, ok := onlyBytes(b)
		if !ok {
			return nil, incomplete(class)
		}
		return &columnPrefixFilter{base: d.base(), prefix: prefix}, nil
	case "ColumnRangeFilter":
		return d.columnRange(class, b)
	case "ColumnPaginationFilter":
		return d.columnPagination(class, b)
	case "MultipleColumnPrefixFilter", "FirstKeyValueMatchingQualifiersFilter":
		return d.byteStrings(class, b)
	case "TimestampsFilter":
		return d.timestamps(class, b)
	case "FuzzyRowFilter":
		return d.fuzzyRow(class, b)
	case "MultiRowRangeFilter":
		return d.multiRowRange(class, b)
	case "SkipFilter", "WhileMatchFilter", "FilterWrapper":
		return d.wrapper(class, b, depth)
	case "FilterList":
		return d.list(class, b, depth)
	}
	return nil, &UnknownError{Class: name}
}

// named reads a Filter or Comparator message, which is
//
//	{1! name:s; 2 serialized:b}
func named(b []byte) (name string, serialized []byte, ok bool) {
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | bytesType:
			name, ok = string(m.bytes()), true
		case 2<<3 | bytesType:
			serialized = m.bytes()
		default:
			m.skip()
		}
	}
	return name, serialized, ok && !m.bad
}

// onlyBytes reads a message whose only field is number 1, bytes or a message.
func onlyBytes(b []byte) (v []byte, ok bool) {
	m := message{rest: b}
	for m.next() {
		if m.tag == 1<<3|bytesType {
			v, ok = orEmpty(m.bytes()), true
		} else {
			m.skip()
		}
	}
	return v, ok && !m.bad
}

// wrapper reads {1! filter}.
func (d *decoder) wrapper(class string, b []byte, depth int) (Filter, error) {
	member, ok := onlyBytes(b)
	if !ok {
		return nil, incomplete(class)
	}
	inner, err := d.member(class, member, depth)
	if err != nil {
		return nil, err
	}
	w := wrapped{base: d.base(), inner: inner}
	switch class {
	case "SkipFilter":
		return &skipFilter{wrapped: w}, nil
	case "WhileMatchFilter":
		return &whileMatchFilter{wrapped: w}, nil
	}
	return &wrapperFilter{wrapped: w}, nil
}

// member decodes a Filter message inside a filter at depth.
func (d *decoder) member(class string, b []byte, depth int) (Filter, error) {
	name, serialized, ok := named(b)
	if !ok {
		return nil, incomplete(class)
	}
	return d.filter(name, serialized, depth+1)
}

// list reads {1! operator{1 MUST_PASS_ALL, 2 MUST_PASS_ONE}; 2* filters}.
func (d *decoder) list(class string, b []byte, depth int) (Filter, error) {
	const mustPassAll, mustPassOne = 1, 2
	operator := uint64(0)
	l := members{base: d.base()}
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | varintType:
			operator = m.varint()
		case 2<<3 | bytesType:
			f, err := d.member(class, m.bytes(), depth)
			if err != nil {
				return nil, err
			}
			l.filters = append(l.filters, f)
		default:
			m.skip()
		}
	}
	switch {
	case m.bad:
	case operator == mustPassAll:
		return newAllList(l), nil
	case operator == mustPassOne:
		return newOneList(l), nil
	}
	return nil, incomplete(class)
}
