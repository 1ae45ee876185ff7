package keys

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// The space bytes. See the package comment for what follows each.
const (
	SpaceSystem  byte = 0x01
	SpaceCatalog byte = 0x02
	SpaceNonce   byte = 0x03
	SpaceWide    byte = 0x10
	SpaceRel     byte = 0x20
)

// The byte after the family id of a wide key.
const (
	FormPacked byte = 0x00
	FormCell   byte = 0x01
)

const (
	escape     byte = 0x00
	escaped00  byte = 0xFF
	terminator byte = 0x01
	afterRow   byte = 0x02
)

// ErrMalformed is returned when bytes are not a key of the expected form.
var ErrMalformed = errors.New("keys: malformed key")

// AppendUvarint appends v so that byte order is numeric order: values below
// 0xF8 take one byte; larger ones a length byte 0xF7+n and n big-endian bytes.
func AppendUvarint(dst []byte, v uint64) []byte {
	if v < 0xF8 {
		return append(dst, byte(v))
	}
	n := 1
	for x := v >> 8; x > 0; x >>= 8 {
		n++
	}
	dst = append(dst, 0xF7+byte(n))
	for i := n - 1; i >= 0; i-- {
		dst = append(dst, byte(v>>(8*uint(i))))
	}
	return dst
}

// Uvarint decodes what AppendUvarint wrote and returns the bytes it took, or 0
// when b does not start with one.
func Uvarint(b []byte) (v uint64, n int) {
	if len(b) == 0 {
		return 0, 0
	}
	if b[0] < 0xF8 {
		return uint64(b[0]), 1
	}
	n = int(b[0] - 0xF7)
	if len(b) < 1+n {
		return 0, 0
	}
	for _, x := range b[1 : 1+n] {
		v = v<<8 | uint64(x)
	}
	return v, 1 + n
}

// AppendEscaped appends b escaped and terminated.
func AppendEscaped(dst, b []byte) []byte {
	for {
		i := bytes.IndexByte(b, escape)
		if i < 0 {
			dst = append(dst, b...)
			return append(dst, escape, terminator)
		}
		dst = append(dst, b[:i]...)
		dst = append(dst, escape, escaped00)
		b = b[i+1:]
	}
}

// Unescape appends to dst the bytes that an escaped, terminated field at the
// start of b holds, and returns the length of the field in b, or 0 if b does
// not start with one.
func Unescape(dst, b []byte) (out []byte, n int) {
	for {
		i := bytes.IndexByte(b[n:], escape)
		if i < 0 || n+i+1 >= len(b) {
			return dst, 0
		}
		dst = append(dst, b[n:n+i]...)
		n += i + 2
		switch b[n-1] {
		case terminator:
			return dst, n
		case escaped00:
			dst = append(dst, 0)
		default:
			return dst, 0
		}
	}
}

// escapedLen is the length of the escaped, terminated field at the start of b,
// or 0.
func escapedLen(b []byte) int {
	n := 0
	for {
		i := bytes.IndexByte(b[n:], escape)
		if i < 0 || n+i+1 >= len(b) {
			return 0
		}
		n += i + 2
		switch b[n-1] {
		case terminator:
			return n
		case escaped00:
		default:
			return 0
		}
	}
}

// AppendData appends the prefix of every key of a data id.
func AppendData(dst []byte, dataID uint64) []byte {
	return AppendUvarint(append(dst, SpaceWide), dataID)
}

// AppendDataEnd appends the smallest key after every key of a data id.
func AppendDataEnd(dst []byte, dataID uint64) []byte {
	return AppendData(dst, dataID+1)
}

// AppendRow appends the row prefix: every key of the row starts with it and no
// key of another row does. It is also the row's lock name.
func AppendRow(dst []byte, dataID uint64, row []byte) []byte {
	return AppendEscaped(AppendData(dst, dataID), row)
}

// AppendRowEnd appends the smallest key after every key of the row.
func AppendRowEnd(dst []byte, dataID uint64, row []byte) []byte {
	dst = AppendRow(dst, dataID, row)
	dst[len(dst)-1] = afterRow
	return dst
}

// AppendFamily appends a family's prefix to a row prefix.
func AppendFamily(rowPrefix []byte, familyID uint32) []byte {
	return AppendUvarint(rowPrefix, uint64(familyID))
}

// AppendPacked appends the rest of a packed key to a row prefix.
func AppendPacked(rowPrefix []byte, familyID uint32) []byte {
	return append(AppendFamily(rowPrefix, familyID), FormPacked)
}

// AppendCells appends to a row prefix the prefix of all cell keys of a family.
func AppendCells(rowPrefix []byte, familyID uint32) []byte {
	return append(AppendFamily(rowPrefix, familyID), FormCell)
}

// AppendCell appends the rest of a cell key to a row prefix.
func AppendCell(rowPrefix []byte, familyID uint32, qualifier []byte, ts int64, typ byte) []byte {
	k := AppendEscaped(AppendCells(rowPrefix, familyID), qualifier)
	k = binary.BigEndian.AppendUint64(k, ^uint64(ts))
	return append(k, ^typ)
}

// AppendRel appends the prefix of every key of an index of a SQL table. Data
// ids begin at 1: 0 is the place of what belongs to no index.
func AppendRel(dst []byte, dataID uint64) []byte {
	return AppendUvarint(append(dst, SpaceRel), dataID)
}

// AppendRelEnd appends the smallest key after every key of an index.
func AppendRelEnd(dst []byte, dataID uint64) []byte {
	return AppendRel(dst, dataID+1)
}

// AppendRelCounter appends the key of a SQL table's counters.
func AppendRelCounter(dst []byte, tableID uint64) []byte {
	return AppendUvarint(AppendRel(dst, 0), tableID)
}

// AppendRelLock appends the lock name of a SQL table as a whole.
func AppendRelLock(dst []byte, tableID uint64) []byte {
	return append(AppendRelCounter(dst, tableID), 1)
}

// Split returns the length of the row prefix of a wide key. For keys of other
// spaces, and for bounds that end inside a row, it is the length of the key.
func Split(key []byte) int {
	if len(key) == 0 || key[0] != SpaceWide {
		return len(key)
	}
	_, n := Uvarint(key[1:])
	if n == 0 {
		return len(key)
	}
	r := escapedLen(key[1+n:])
	if r == 0 {
		return len(key)
	}
	return 1 + n + r
}

// Wide is a decoded wide key. Row and Qualifier are appended to the buffer
// given to DecodeWide; the other fields are values.
type Wide struct {
	DataID    uint64
	FamilyID  uint32
	Form      byte
	Row       []byte
	Qualifier []byte // FormCell only
	Timestamp int64  // FormCell only
	Type      byte   // FormCell only
}

// DecodeRow decodes only the data id and the row of a wide key. It returns the
// length of the row prefix. The row is appended to dst.
func DecodeRow(dst, key []byte) (dataID uint64, row []byte, n int, err error) {
	if len(key) == 0 || key[0] != SpaceWide {
		return 0, nil, 0, ErrMalformed
	}
	dataID, n = Uvarint(key[1:])
	if n == 0 {
		return 0, nil, 0, ErrMalformed
	}
	row, r := Unescape(dst, key[1+n:])
	if r == 0 {
		return 0, nil, 0, ErrMalformed
	}
	return dataID, row, 1 + n + r, nil
}

// DecodeSuffix decodes what follows the row prefix of a wide key: the family
// id, the form and, for a cell key, its qualifier (appended to dst), timestamp
// and type.
func DecodeSuffix(dst, suffix []byte) (w Wide, err error) {
	f, n := Uvarint(suffix)
	if n == 0 || f > 1<<32-1 || len(suffix) <= n {
		return w, ErrMalformed
	}
	w.FamilyID, w.Form = uint32(f), suffix[n]
	rest := suffix[n+1:]
	switch w.Form {
	case FormPacked:
		if len(rest) != 0 {
			return w, ErrMalformed
		}
	case FormCell:
		q, m := Unescape(dst, rest)
		if m == 0 || len(rest) != m+9 {
			return w, ErrMalformed
		}
		w.Qualifier = q
		w.Timestamp = int64(^binary.BigEndian.Uint64(rest[m:]))
		w.Type = ^rest[m+8]
	default:
		return w, ErrMalformed
	}
	return w, nil
}
