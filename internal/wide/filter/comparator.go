package filter

import (
	"bytes"
	"cmp"
	"encoding/binary"
)

// Comparator compares its operand with stored bytes.
type Comparator interface {
	// Compare is negative, zero or positive as the operand is less than, equal
	// to or greater than value. Comparators that only know "equal" answer 0 or 1.
	Compare(value []byte) int
	// Err is the first failure to judge a value, or nil. Compare answers 1 from
	// then on.
	Err() error
}

// never is embedded by comparators that can judge every value.
type never struct{}

func (never) Err() error { return nil }

// binaryComparator orders bytes as unsigned.
type binaryComparator struct {
	never
	operand []byte
}

func (k *binaryComparator) Compare(value []byte) int { return bytes.Compare(k.operand, value) }

// binaryPrefixComparator looks at no more bytes than the operand has.
type binaryPrefixComparator struct {
	never
	operand []byte
}

func (k *binaryPrefixComparator) Compare(value []byte) int {
	return bytes.Compare(k.operand, value[:min(len(value), len(k.operand))])
}

// binaryComponentComparator looks at the bytes from an offset on. HBase reads
// past the end of a value that is too short; here such a value has fewer bytes,
// possibly none.
type binaryComponentComparator struct {
	never
	operand []byte
	offset  int
}

func (k *binaryComponentComparator) Compare(value []byte) int {
	from := min(k.offset, len(value))
	return bytes.Compare(k.operand, value[from:min(from+len(k.operand), len(value))])
}

// longComparator compares signed 8-byte integers. HBase fails on values of
// other lengths, or reads what happens to lie behind them; here they always
// fail.
type longComparator struct {
	env     *env
	operand int64
}

func (k *longComparator) Err() error { return k.env.err }

func (k *longComparator) Compare(value []byte) int {
	if len(value) != 8 {
		k.env.fail("LongComparator", "the value is not 8 bytes long")
		return 1
	}
	return cmp.Compare(k.operand, int64(binary.BigEndian.Uint64(value)))
}

// bitOp in the numbers of HBase's BitComparator message.
type bitOp uint8

const (
	bitAnd bitOp = 1
	bitOr  bitOp = 2
	bitXor bitOp = 3
)

// bitComparator is equal when the bitwise operation on value and operand leaves
// any bit set. Values of another length are unequal.
type bitComparator struct {
	never
	operand []byte
	op      bitOp
}

func (k *bitComparator) Compare(value []byte) int {
	if len(value) != len(k.operand) {
		return 1
	}
	for i, v := range value {
		switch k.op {
		case bitAnd:
			v &= k.operand[i]
		case bitOr:
			v |= k.operand[i]
		default:
			v ^= k.operand[i]
		}
		if v != 0 {
			return 0
		}
	}
	return 1
}

// nullComparator is unequal to everything stored, the empty value included.
type nullComparator struct{ never }

func (nullComparator) Compare([]byte) int { return 1 }
