package wire

import (
	"encoding/binary"
	"math"
)

// A row of the binary protocol, as COM_STMT_EXECUTE answers:
//
//	00  NULL bitmap (columns + 9) / 8  values of the columns that are not NULL
//
// The bitmap's first two bits are unused. A value's form is the column's type's:
// integers and floats of their size, little-endian; dates and times below;
// everything else a lenenc string.

// AppendBinaryRow starts a row of so many columns and returns where its bitmap
// is, for SetBinaryNull.
func AppendBinaryRow(b []byte, columns int) (_ []byte, bitmap int) {
	b = append(b, 0)
	bitmap = len(b)
	for range (columns + 9) / 8 {
		b = append(b, 0)
	}
	return b, bitmap
}

// SetBinaryNull marks a column of the row as NULL: nothing is appended for it.
func SetBinaryNull(b []byte, bitmap, column int) {
	b[bitmap+(column+2)/8] |= 1 << ((column + 2) % 8)
}

// AppendBinaryInt appends an integer of a type's size: signed or not, the bits
// are the same. For types that are no integers it appends nothing.
func AppendBinaryInt(b []byte, t Type, v uint64) []byte {
	switch t {
	case TypeTiny:
		return append(b, byte(v))
	case TypeShort, TypeYear:
		return binary.LittleEndian.AppendUint16(b, uint16(v))
	case TypeLong, TypeInt24:
		return binary.LittleEndian.AppendUint32(b, uint32(v))
	case TypeLongLong:
		return binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

// AppendBinaryFloat appends a number of 32 bits.
func AppendBinaryFloat(b []byte, v float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
}

// AppendBinaryDouble appends a number of 64 bits.
func AppendBinaryDouble(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// AppendBinaryDate appends a date: AppendBinaryDateTime without the time.
func AppendBinaryDate(b []byte, d DateTime) []byte {
	return AppendBinaryDateTime(b, DateTime{Year: d.Year, Month: d.Month, Day: d.Day})
}

// AppendBinaryDateTime appends a date with a time, as short as its zeros allow:
//
//	00
//	04  year2 month1 day1
//	07  year2 month1 day1  hour1 minute1 second1
//	0b  year2 month1 day1  hour1 minute1 second1  micro4
func AppendBinaryDateTime(b []byte, d DateTime) []byte {
	if d == (DateTime{}) {
		return append(b, 0)
	}
	at := len(b)
	b = binary.LittleEndian.AppendUint16(append(b, 4), d.Year)
	b = append(b, d.Month, d.Day)
	if d.Hour|d.Minute|d.Second != 0 || d.Micro != 0 {
		b[at] = 7
		b = append(b, d.Hour, d.Minute, d.Second)
	}
	if d.Micro != 0 {
		b[at] = 11
		b = binary.LittleEndian.AppendUint32(b, d.Micro)
	}
	return b
}

// AppendBinaryDuration appends a time, as short as its zeros allow:
//
//	00
//	08  negative1 days4  hours1 minutes1 seconds1
//	0c  negative1 days4  hours1 minutes1 seconds1  micro4
func AppendBinaryDuration(b []byte, d Duration) []byte {
	if d.Hours == 0 && d.Minutes|d.Seconds == 0 && d.Micro == 0 {
		return append(b, 0)
	}
	at := len(b)
	negative := byte(0)
	if d.Negative {
		negative = 1
	}
	b = binary.LittleEndian.AppendUint32(append(b, 8, negative), d.Hours/24)
	b = append(b, byte(d.Hours%24), d.Minutes, d.Seconds)
	if d.Micro != 0 {
		b[at] = 12
		b = binary.LittleEndian.AppendUint32(b, d.Micro)
	}
	return b
}

// Float takes a number of 32 bits.
func (c *Cursor) Float() float32 { return math.Float32frombits(c.Uint32()) }

// Double takes a number of 64 bits.
func (c *Cursor) Double() float64 { return math.Float64frombits(c.Uint64()) }

// DateTime takes what AppendBinaryDateTime appends. Values out of range are the
// caller's to find.
func (c *Cursor) DateTime() (d DateTime) {
	n := c.Byte()
	switch n {
	case 0, 4, 7, 11:
	default:
		c.bad, c.b = true, nil
		return d
	}
	if n >= 4 {
		d.Year, d.Month, d.Day = c.Uint16(), c.Byte(), c.Byte()
	}
	if n >= 7 {
		d.Hour, d.Minute, d.Second = c.Byte(), c.Byte(), c.Byte()
	}
	if n >= 11 {
		d.Micro = c.Uint32()
	}
	return d
}

// Duration takes what AppendBinaryDuration appends.
func (c *Cursor) Duration() (d Duration) {
	n := c.Byte()
	switch n {
	case 0, 8, 12:
	default:
		c.bad, c.b = true, nil
		return d
	}
	if n >= 8 {
		d.Negative = c.Byte() != 0
		days := c.Uint32()
		hours := c.Byte()
		if days > math.MaxUint32/25 {
			c.bad = true
			return d
		}
		d.Hours = days*24 + uint32(hours)
		d.Minutes, d.Seconds = c.Byte(), c.Byte()
	}
	if n >= 12 {
		d.Micro = c.Uint32()
	}
	return d
}
