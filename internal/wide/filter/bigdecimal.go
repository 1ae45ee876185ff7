package filter

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/big"
)

// decimal is unscaled * 10^-scale.
type decimal struct {
	unscaled big.Int
	scale    int64
}

// maxDecimalBytes bounds a number, since comparing takes more than linear time.
const maxDecimalBytes = 64 << 10

// set reads HBase's form of a BigDecimal; false: there is none in b.
//
//	int32 BE scale | two's complement, big-endian, 1 byte or more
func (d *decimal) set(b []byte) bool {
	if len(b) < 5 || len(b) > maxDecimalBytes {
		return false
	}
	d.scale = int64(int32(binary.BigEndian.Uint32(b)))
	d.unscaled.SetBytes(b[4:])
	if b[4]&0x80 != 0 {
		var modulus big.Int
		modulus.Lsh(big.NewInt(1), uint(len(b)-4)*8)
		d.unscaled.Sub(&d.unscaled, &modulus)
	}
	return true
}

// magnitude bounds log10 of |d|, which is not zero, from below and above.
func (d *decimal) magnitude() (low, high float64) {
	bits := float64(d.unscaled.BitLen())
	scale := float64(d.scale)
	return (bits-1)*math.Log10(2) - scale, bits*math.Log10(2) - scale
}

// compare orders numerically: 1.0 equals 1.00. Numbers of very different
// magnitude are told apart without writing them out, so that a scale of
// billions costs nothing.
func (d *decimal) compare(e *decimal) int {
	sign := d.unscaled.Sign()
	if other := e.unscaled.Sign(); sign != other || sign == 0 {
		return cmp.Compare(sign, other)
	}
	dLow, dHigh := d.magnitude()
	eLow, eHigh := e.magnitude()
	// Rounding of the bounds stays far below one half.
	switch {
	case dLow > eHigh+0.5:
		return sign
	case eLow > dHigh+0.5:
		return -sign
	}
	// The scales now differ by no more than the numbers have digits.
	a, b := &d.unscaled, &e.unscaled
	var scaled big.Int
	if more := d.scale - e.scale; more > 0 {
		b = scaled.Mul(b, pow10(more))
	} else if more < 0 {
		a = scaled.Mul(a, pow10(-more))
	}
	return a.Cmp(b)
}

func pow10(n int64) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(n), nil)
}

// bigDecimalComparator compares numbers. A value that holds none fails the
// call, as in HBase.
type bigDecimalComparator struct {
	env            *env
	operand, value decimal
}

func (k *bigDecimalComparator) Err() error { return k.env.err }

func (k *bigDecimalComparator) Compare(value []byte) int {
	if !k.value.set(value) {
		k.env.fail("BigDecimalComparator", "the value is no BigDecimal, or one of more than 64 KiB")
		return 1
	}
	return k.operand.compare(&k.value)
}
