package row

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/basaltdb/basalt/internal/catalog"
)

// ErrMalformed is returned for bytes that are no row, or no key, of their table.
var ErrMalformed = errors.New("row: malformed")

// The first byte of a row says how wide its offsets are.
const (
	formatSmall byte = 1 // 2 bytes
	formatLarge byte = 2 // 4 bytes
)

// Layout is how the rows of one version of a table are stored. It is immutable.
type Layout struct {
	columns []catalog.SQLColumn
	// at has, for each column ID, the place of the column in columns, or -1 for
	// one that was dropped.
	at    []int
	added []Value // by place: what an older row reads as
}

// NewLayout makes the Layout of a table.
func NewLayout(t *catalog.SQLTable) (*Layout, error) {
	l := &Layout{columns: t.Columns, at: make([]int, t.NextColumnID), added: make([]Value, len(t.Columns))}
	for i := range l.at {
		l.at[i] = -1
	}
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.ID < 0 || c.ID >= len(l.at) {
			return nil, fmt.Errorf("%w: column %s has id %d of %d", ErrMalformed, c.Name, c.ID, len(l.at))
		}
		l.at[c.ID] = i
		if c.Added != nil {
			v, err := DecodeValue(c, c.Added)
			if err != nil {
				return nil, err
			}
			l.added[i] = v
		}
	}
	return l, nil
}

// Append appends a row, one value for each column of the table:
//
//	format1  n:uvarint  nulls: (n+7)/8 bytes  ends: n times 2 or 4 bytes, little-endian  data
//
// where n counts the column IDs of the time of writing. A bit of nulls, lowest
// first, is set for a column ID whose value is NULL, absent or computed when it
// is read. The value of ID i is the data between end i-1 and end i.
func (l *Layout) Append(dst []byte, values []Value) []byte {
	size := 0
	for i := range values {
		size += maxValueBytes(values[i])
	}
	width := 2
	format := formatSmall
	if size > math.MaxUint16 {
		width, format = 4, formatLarge
	}
	n := len(l.at)
	dst = binary.AppendUvarint(append(dst, format), uint64(n))
	nulls := len(dst)
	dst = append(dst, make([]byte, (n+7)/8+n*width)...)
	ends := nulls + (n+7)/8
	data := len(dst)
	for id, at := range l.at {
		if at < 0 || values[at].Kind == Null {
			dst[nulls+id/8] |= 1 << (id % 8)
		} else {
			dst = AppendValue(dst, &l.columns[at], values[at])
		}
		if width == 2 {
			binary.LittleEndian.PutUint16(dst[ends+2*id:], uint16(len(dst)-data))
		} else {
			binary.LittleEndian.PutUint32(dst[ends+4*id:], uint32(len(dst)-data))
		}
	}
	return dst
}

// maxValueBytes is at least what AppendValue appends.
func maxValueBytes(v Value) int {
	if v.Kind == Bytes {
		return len(v.Bytes)
	}
	return 8
}

// stored is a row taken apart.
type stored struct {
	n     int
	width int
	nulls []byte
	ends  []byte
	data  []byte
}

func open(b []byte) (s stored, err error) {
	if len(b) < 2 {
		return s, ErrMalformed
	}
	switch b[0] {
	case formatSmall:
		s.width = 2
	case formatLarge:
		s.width = 4
	default:
		return s, fmt.Errorf("%w: format %d", ErrMalformed, b[0])
	}
	n, used := uint64(b[1]), 1
	if n >= 0x80 {
		n, used = binary.Uvarint(b[1:])
	}
	rest := b[1+max(used, 0):]
	if used <= 0 || n > uint64(len(rest)) {
		return s, ErrMalformed
	}
	s.n = int(n)
	nulls := (s.n + 7) / 8
	if len(rest) < nulls+s.n*s.width {
		return s, ErrMalformed
	}
	s.nulls, s.ends, s.data = rest[:nulls], rest[nulls:nulls+s.n*s.width], rest[nulls+s.n*s.width:]
	return s, nil
}

func (s *stored) end(id int) int {
	if id < 0 {
		return 0
	}
	if s.width == 2 {
		return int(binary.LittleEndian.Uint16(s.ends[2*id:]))
	}
	return int(binary.LittleEndian.Uint32(s.ends[4*id:]))
}

// value is the bytes of a column ID below n that is not NULL.
func (s *stored) value(id int) ([]byte, error) {
	from, to := s.end(id-1), s.end(id)
	if from > to || to > len(s.data) {
		return nil, ErrMalformed
	}
	return s.data[from:to], nil
}

// Decode reads the columns at the given places of the table (nil: all) into dst,
// which has one Value for each column of the table; the others are not touched.
// Bytes are parts of b.
func (l *Layout) Decode(dst []Value, b []byte, places []int) error {
	s, err := open(b)
	if err != nil {
		return err
	}
	if places == nil {
		for at := range l.columns {
			if err := l.decodeOne(&s, dst, at); err != nil {
				return err
			}
		}
		return nil
	}
	for _, at := range places {
		if err := l.decodeOne(&s, dst, at); err != nil {
			return err
		}
	}
	return nil
}

func (l *Layout) decodeOne(s *stored, dst []Value, at int) error {
	c := &l.columns[at]
	if c.ID >= s.n {
		dst[at] = l.added[at]
		return nil
	}
	if s.nulls[c.ID/8]&(1<<(c.ID%8)) != 0 {
		dst[at] = Value{}
		return nil
	}
	b, err := s.value(c.ID)
	if err != nil {
		return err
	}
	dst[at], err = DecodeValue(c, b)
	return err
}

// AppendValue appends a value that is not NULL, as rows store it:
//
//	integers   little-endian two's complement, without bytes that only repeat the sign
//	FLOAT      4 bytes, little-endian; DOUBLE 8
//	dates      the packed form, big-endian, without zero bytes at the end
//	TIME       as a signed integer of microseconds
//	others     their bytes
func AppendValue(dst []byte, c *catalog.SQLColumn, v Value) []byte {
	switch c.Kind {
	case catalog.SQLInt, catalog.SQLTime:
		n := int64(v.Num)
		for n > math.MaxInt8 || n < math.MinInt8 {
			dst = append(dst, byte(n))
			n >>= 8
		}
		if n != 0 || v.Num != 0 {
			dst = append(dst, byte(n))
		}
	case catalog.SQLUint:
		for n := v.Num; n > 0; n >>= 8 {
			dst = append(dst, byte(n))
		}
	case catalog.SQLFloat:
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(v.Float64())))
	case catalog.SQLDouble:
		dst = binary.LittleEndian.AppendUint64(dst, v.Num)
	case catalog.SQLDateTime:
		for n := v.Num; n != 0; n <<= 8 {
			dst = append(dst, byte(n>>56))
		}
	default:
		dst = append(dst, v.Bytes...)
	}
	return dst
}

// DecodeValue is the reverse of AppendValue. Bytes are b itself.
func DecodeValue(c *catalog.SQLColumn, b []byte) (Value, error) {
	switch c.Kind {
	case catalog.SQLInt, catalog.SQLTime:
		if len(b) > 8 {
			return Value{}, ErrMalformed
		}
		var n uint64
		for i, x := range b {
			n |= uint64(x) << (8 * i)
		}
		if len(b) > 0 && b[len(b)-1]&0x80 != 0 && len(b) < 8 {
			n |= ^uint64(0) << (8 * len(b))
		}
		if c.Kind == catalog.SQLTime {
			return Value{Kind: Time, Num: n}, nil
		}
		return Value{Kind: Int, Num: n}, nil
	case catalog.SQLUint:
		if len(b) > 8 {
			return Value{}, ErrMalformed
		}
		var n uint64
		for i, x := range b {
			n |= uint64(x) << (8 * i)
		}
		return Value{Kind: Uint, Num: n}, nil
	case catalog.SQLFloat:
		if len(b) != 4 {
			return Value{}, ErrMalformed
		}
		return FloatValue(math.Float32frombits(binary.LittleEndian.Uint32(b))), nil
	case catalog.SQLDouble:
		if len(b) != 8 {
			return Value{}, ErrMalformed
		}
		return Value{Kind: Double, Num: binary.LittleEndian.Uint64(b)}, nil
	case catalog.SQLDateTime:
		if len(b) > 8 {
			return Value{}, ErrMalformed
		}
		var n uint64
		for i, x := range b {
			n |= uint64(x) << (56 - 8*i)
		}
		return Value{Kind: DateTime, Num: n}, nil
	case catalog.SQLDecimal, catalog.SQLText, catalog.SQLBinary, catalog.SQLJSON:
		return Value{Kind: Bytes, Bytes: b}, nil
	}
	return Value{}, fmt.Errorf("%w: column %s has kind %d", ErrMalformed, c.Name, c.Kind)
}
