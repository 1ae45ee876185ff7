package wire

import (
	"math"
	"strconv"
)

// textNull stands for NULL in a row of the text protocol, in which every other
// value is a lenenc string.
const textNull = 0xfb

// AppendTextNull appends NULL.
func AppendTextNull(b []byte) []byte { return append(b, textNull) }

// AppendTextInt appends a signed integer. digits of int64 never need more than
// one byte of length, as in the other functions for numbers and times.
func AppendTextInt(b []byte, v int64) []byte {
	at := len(b)
	b = strconv.AppendInt(append(b, 0), v, 10)
	b[at] = byte(len(b) - at - 1)
	return b
}

// AppendTextUint appends an unsigned integer.
func AppendTextUint(b []byte, v uint64) []byte {
	at := len(b)
	b = strconv.AppendUint(append(b, 0), v, 10)
	b[at] = byte(len(b) - at - 1)
	return b
}

// NotFixed as decimals says that a float has as many digits as it needs.
const NotFixed = 31

// AppendTextFloat appends a floating point number of 32 or 64 bits, with
// decimals digits after the point unless that is NotFixed.
func AppendTextFloat(b []byte, v float64, bits int, decimals byte) []byte {
	if decimals < NotFixed {
		// Up to 309 digits before the point: the length is not known before.
		var buf [352]byte
		return AppendLenencString(b, strconv.AppendFloat(buf[:0], v, 'f', int(decimals), bits))
	}
	at := len(b)
	b = AppendFloat(append(b, 0), v, bits)
	b[at] = byte(len(b) - at - 1)
	return b
}

// AppendFloat appends a floating point number as MySQL writes it: the shortest
// text that reads back the same, in full below 1e15 and down to 1e-15, and else
// with an exponent. 32 bit numbers get at most six digits.
func AppendFloat(b []byte, v float64, bits int) []byte {
	digits := -1
	if bits == 32 {
		// FLT_DIG: MySQL shows no more, although more may be stored.
		digits = 6
		v = roundDigits(v, digits)
	}
	switch a := math.Abs(v); {
	case a == 0 && math.Signbit(v):
		return append(b, "-0"...)
	case a == 0:
		return append(b, '0')
	case a < 1e15 && a >= 1e-15:
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	at := len(b)
	b = strconv.AppendFloat(b, v, 'e', -1, 64)
	// Go has e+20 and e-07; MySQL e20 and e-7.
	for i := at; i < len(b); i++ {
		if b[i] != 'e' {
			continue
		}
		to := i + 1
		from := to
		if b[from] == '-' {
			to++
		}
		from++
		for from < len(b)-1 && b[from] == '0' {
			from++
		}
		to += copy(b[to:], b[from:])
		return b[:to]
	}
	return b // an infinity, which no column holds
}

// roundDigits rounds to so many significant digits.
func roundDigits(v float64, digits int) float64 {
	var buf [32]byte
	r, err := strconv.ParseFloat(string(strconv.AppendFloat(buf[:0], v, 'e', digits-1, 64)), 64)
	if err != nil {
		return v
	}
	return r
}

// A DateTime is a date with a time of day; an all-zero date is one too.
type DateTime struct {
	Year                 uint16
	Month, Day           uint8
	Hour, Minute, Second uint8
	Micro                uint32
}

// A Duration is a value of type TIME.
type Duration struct {
	Negative         bool
	Hours            uint32 // all of them, up to 838
	Minutes, Seconds uint8
	Micro            uint32
}

// AppendDate appends YYYY-MM-DD.
func AppendDate(b []byte, d DateTime) []byte {
	b = append(b, digits2[d.Year/100%100]...)
	b = append(b, digits2[d.Year%100]...)
	b = append(append(b, '-'), digits2[d.Month%100]...)
	return append(append(b, '-'), digits2[d.Day%100]...)
}

// AppendDateTime appends YYYY-MM-DD hh:mm:ss, and so many digits of a fraction.
func AppendDateTime(b []byte, d DateTime, decimals byte) []byte {
	b = append(AppendDate(b, d), ' ')
	b = append(b, digits2[d.Hour%100]...)
	b = append(append(b, ':'), digits2[d.Minute%100]...)
	b = append(append(b, ':'), digits2[d.Second%100]...)
	return appendFraction(b, d.Micro, decimals)
}

// AppendDuration appends [-]hh:mm:ss, hh longer where it must, and so many
// digits of a fraction.
func AppendDuration(b []byte, d Duration, decimals byte) []byte {
	if d.Negative {
		b = append(b, '-')
	}
	if d.Hours < 100 {
		b = append(b, digits2[d.Hours]...)
	} else {
		b = strconv.AppendUint(b, uint64(d.Hours), 10)
	}
	b = append(append(b, ':'), digits2[d.Minutes%100]...)
	b = append(append(b, ':'), digits2[d.Seconds%100]...)
	return appendFraction(b, d.Micro, decimals)
}

func appendFraction(b []byte, micro uint32, decimals byte) []byte {
	if decimals == 0 || decimals > 6 {
		return b
	}
	b = append(b, '.')
	for unit := uint32(100_000); decimals > 0; decimals-- {
		b = append(b, '0'+byte(micro/unit%10))
		unit /= 10
	}
	return b
}

// AppendTextDate appends a date.
func AppendTextDate(b []byte, d DateTime) []byte { return AppendDate(append(b, 10), d) }

// AppendTextDateTime appends a date with a time.
func AppendTextDateTime(b []byte, d DateTime, decimals byte) []byte {
	at := len(b)
	b = AppendDateTime(append(b, 0), d, decimals)
	b[at] = byte(len(b) - at - 1)
	return b
}

// AppendTextDuration appends a time.
func AppendTextDuration(b []byte, d Duration, decimals byte) []byte {
	at := len(b)
	b = AppendDuration(append(b, 0), d, decimals)
	b[at] = byte(len(b) - at - 1)
	return b
}

// digits2 are 00 to 99.
var digits2 = func() (t [100]string) {
	for i := range t {
		t[i] = string([]byte{'0' + byte(i/10), '0' + byte(i%10)})
	}
	return t
}()
