package row

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
)

// Collation orders and equates texts.
type Collation interface {
	// AppendSortKey appends bytes whose order is that of the texts, and which
	// are equal where those are. No sort key is a prefix of another one.
	AppendSortKey(dst, text []byte) []byte
}

// KeyColumn is a column of an index as keys hold it.
type KeyColumn struct {
	Column *catalog.SQLColumn
	// Place is where the column's value is in a row's values.
	Place     int
	Prefix    int
	Desc      bool
	Collation Collation // of SQLText
}

// AppendKey appends a value as keys hold it, so that byte order is the order of
// values, NULL first, and no encoding is a prefix of another one:
//
//	of a column that may be NULL: 00 for NULL; 01 before all else
//	integers   Width bytes, big-endian, the sign bit turned
//	floats     8 bytes: the sign bit turned, or all bits of a negative number
//	DECIMAL    01 and the digits, two a byte, padded with zeros on both sides to
//	           Precision and Scale; or for negative ones 00 and all bits turned
//	dates      the packed form, 8 bytes big-endian
//	TIME       8 bytes as an integer
//	text       the collation's sort key
//	binary     escaped and terminated (keys.AppendEscaped)
//
// All bits of it are turned for a descending column.
func AppendKey(dst []byte, k *KeyColumn, v Value) []byte {
	at := len(dst)
	switch {
	case v.Kind == Null:
		dst = append(dst, 0)
	default:
		if !k.Column.NotNull {
			dst = append(dst, 1)
		}
		dst = appendKeyValue(dst, k, v)
	}
	if k.Desc {
		for i := at; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

func appendKeyValue(dst []byte, k *KeyColumn, v Value) []byte {
	switch k.Column.Kind {
	case catalog.SQLInt:
		return appendWidth(dst, v.Num^1<<63>>(64-8*k.width()), k.width())
	case catalog.SQLUint:
		return appendWidth(dst, v.Num, k.width())
	case catalog.SQLFloat, catalog.SQLDouble:
		return appendFloatKey(dst, v.Float64())
	case catalog.SQLDecimal:
		return appendDecimalKey(dst, v.Bytes, k.Column.Precision, k.Column.Scale)
	case catalog.SQLDateTime:
		return binary.BigEndian.AppendUint64(dst, v.Num)
	case catalog.SQLTime:
		return binary.BigEndian.AppendUint64(dst, v.Num^1<<63)
	case catalog.SQLText:
		return k.Collation.AppendSortKey(dst, prefixChars(v.Bytes, k.Prefix))
	default:
		b := v.Bytes
		if k.Prefix > 0 && len(b) > k.Prefix {
			b = b[:k.Prefix]
		}
		return keys.AppendEscaped(dst, b)
	}
}

func (k *KeyColumn) width() int {
	if w := k.Column.Width; w > 0 && w < 8 {
		return w
	}
	return 8
}

func appendWidth(dst []byte, n uint64, width int) []byte {
	for i := width - 1; i >= 0; i-- {
		dst = append(dst, byte(n>>(8*i)))
	}
	return dst
}

func appendFloatKey(dst []byte, f float64) []byte {
	if f == 0 {
		f = 0 // a negative zero equals zero
	}
	n := math.Float64bits(f)
	if n>>63 != 0 {
		n = ^n
	} else {
		n |= 1 << 63
	}
	return binary.BigEndian.AppendUint64(dst, n)
}

// appendDecimalKey reads the text of a decimal: [-]digits[.digits].
func appendDecimalKey(dst []byte, text []byte, precision, scale int) []byte {
	negative := len(text) > 0 && text[0] == '-'
	s := strings.TrimLeft(string(text), "-+")
	whole, fraction, _ := strings.Cut(s, ".")
	whole = strings.TrimLeft(whole, "0")
	var digits [96]byte
	d := digits[:0]
	for n := precision - scale - len(whole); n > 0; n-- {
		d = append(d, '0')
	}
	d = append(d, whole...)
	for i := range scale {
		if i < len(fraction) {
			d = append(d, fraction[i])
		} else {
			d = append(d, '0')
		}
	}
	if len(d)%2 == 1 {
		d = append(d, '0')
	}
	if strings.Trim(string(d), "0") == "" {
		negative = false
	}
	at := len(dst)
	dst = append(dst, 1)
	for i := 0; i < len(d); i += 2 {
		dst = append(dst, (d[i]-'0')<<4|(d[i+1]-'0')&0xF)
	}
	if negative {
		dst[at] = 0
		for i := at + 1; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

// prefixChars is the first n characters of a text, all of it for n = 0.
func prefixChars(b []byte, n int) []byte {
	if n <= 0 || len(b) <= n {
		return b
	}
	at := 0
	for ; n > 0 && at < len(b); n-- {
		_, size := utf8.DecodeRune(b[at:])
		at += size
	}
	return b[:at]
}

// binaryCollation compares bytes, as utf8mb4_0900_bin does.
type binaryCollation struct{}

// Binary is the collation that compares texts byte by byte.
var Binary Collation = binaryCollation{}

func (binaryCollation) AppendSortKey(dst, text []byte) []byte {
	return keys.AppendEscaped(dst, text)
}
