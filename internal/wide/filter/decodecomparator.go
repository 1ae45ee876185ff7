package filter

import (
	"encoding/binary"
	"strings"
)

// comparator decodes the comparator of class name from b, parts of which it
// keeps.
func (d *decoder) comparator(name string, b []byte) (Comparator, error) {
	class, ok := strings.CutPrefix(name, classPrefix)
	if !ok {
		return nil, &UnknownError{Class: name}
	}
	v, ok := fields(b)
	switch {
	case !knownComparator(class):
		return nil, &UnknownError{Class: name}
	case !ok:
		return nil, incomplete(class)
	}
	switch class {
	case "NullComparator":
		// {}
		return nullComparator{}, nil
	case "RegexStringComparator":
		return d.decodeRegex(b)
	case "SubstringComparator":
		// {1! substr:s}
		if v.first == nil {
			return nil, incomplete(class)
		}
		return newSubstringComparator(v.first), nil
	case "BinaryComponentComparator":
		// {1! value:b; 2! offset:uint32}
		if v.first == nil || !v.hasSecond {
			return nil, incomplete(class)
		}
		if int32(v.second) < 0 {
			return nil, malformed(class, "the offset %d is negative", int32(v.second))
		}
		return &binaryComponentComparator{operand: v.first, offset: int(int32(v.second))}, nil
	}
	operand, err := wrappedOperand(class, v)
	if err != nil {
		return nil, err
	}
	switch class {
	case "BinaryComparator":
		return &binaryComparator{operand: operand}, nil
	case "BinaryPrefixComparator":
		return &binaryPrefixComparator{operand: operand}, nil
	case "LongComparator":
		return &longComparator{env: d.env, operand: int64(binary.BigEndian.Uint64(operand))}, nil
	case "BitComparator":
		return &bitComparator{operand: operand, op: bitOp(v.second)}, nil
	}
	k := &bigDecimalComparator{env: d.env}
	if !k.operand.set(operand) {
		return nil, malformed(class, "the operand is no BigDecimal, or one of more than 64 KiB")
	}
	return k, nil
}

func knownComparator(class string) bool {
	switch class {
	case "BinaryComparator", "BinaryPrefixComparator", "BinaryComponentComparator", "LongComparator",
		"BigDecimalComparator", "BitComparator", "NullComparator", "RegexStringComparator", "SubstringComparator":
		return true
	}
	return false
}

// wrappedOperand checks and unwraps the operand of the comparators that are
//
//	{1! comparable:ByteArrayComparable{1 value:b}}
//
// BitComparator has besides 2! bitwise_op{1 AND, 2 OR, 3 XOR}.
func wrappedOperand(class string, v twoFields) ([]byte, error) {
	if v.first == nil {
		return nil, incomplete(class)
	}
	inner, ok := fields(v.first)
	if !ok {
		return nil, incomplete(class)
	}
	operand := orEmpty(inner.first)
	switch class {
	case "LongComparator":
		if len(operand) < 8 {
			return nil, malformed(class, "the operand has %d bytes, not 8", len(operand))
		}
		operand = operand[:8]
	case "BitComparator":
		if !v.hasSecond || v.second < uint64(bitAnd) || v.second > uint64(bitXor) {
			return nil, incomplete(class)
		}
	}
	return operand, nil
}

// twoFields are the first two fields of a comparator's message: bytes and a
// number.
type twoFields struct {
	first     []byte // nil: absent
	second    uint64
	hasSecond bool
}

func fields(b []byte) (v twoFields, ok bool) {
	m := message{rest: b}
	for m.next() {
		switch m.tag {
		case 1<<3 | bytesType:
			v.first = orEmpty(m.bytes())
		case 2<<3 | varintType:
			v.second, v.hasSecond = m.varint(), true
		default:
			m.skip()
		}
	}
	return v, !m.bad
}

// ComparatorValue returns the bytes that a comparator carries, whatever its
// class: conditions of conditional writes compare with these alone. They are
// nil for NullComparator and belong to the caller. The errors are *UnknownError
// and *MalformedError.
func ComparatorValue(name string, serialized []byte) ([]byte, error) {
	class, ok := strings.CutPrefix(name, classPrefix)
	if !ok || !knownComparator(class) {
		return nil, &UnknownError{Class: name}
	}
	v, ok := fields(serialized)
	if !ok {
		return nil, incomplete(class)
	}
	switch class {
	case "NullComparator":
		return nil, nil
	case "RegexStringComparator", "BinaryComponentComparator":
	case "SubstringComparator":
		if v.first != nil {
			v.first = orEmpty(lower(appendJavaUTF8(nil, v.first)))
		}
	default:
		operand, err := wrappedOperand(class, v)
		if err != nil {
			return nil, err
		}
		v.first = operand
	}
	if v.first == nil {
		return nil, incomplete(class)
	}
	return append([]byte{}, v.first...), nil
}
