package row

import (
	"math"
	"time"
)

// Kind says what a Value holds.
type Kind uint8

const (
	Null Kind = iota
	Int
	Uint
	Float  // 32 bits
	Double // 64 bits
	// Bytes: text, binary, JSON and decimal values. Decimals are their text.
	Bytes
	// DateTime: a date with or without a time of day.
	DateTime
	// Time: a signed duration.
	Time
)

// Value is one SQL value. It needs no memory of its own but for Bytes, which
// are only lent: whoever hands out a Value says how long they live.
type Value struct {
	Kind Kind
	// Num holds, by Kind: an int64, a uint64, the bits of a float64 (Float and
	// Double alike), a packed date (PackDateTime), microseconds as an int64.
	Num   uint64
	Bytes []byte
}

// The constructors.

func IntValue(v int64) Value      { return Value{Kind: Int, Num: uint64(v)} }
func UintValue(v uint64) Value    { return Value{Kind: Uint, Num: v} }
func FloatValue(v float32) Value  { return Value{Kind: Float, Num: math.Float64bits(float64(v))} }
func DoubleValue(v float64) Value { return Value{Kind: Double, Num: math.Float64bits(v)} }
func BytesValue(b []byte) Value   { return Value{Kind: Bytes, Bytes: b} }
func DateTimeValue(c Civil) Value { return Value{Kind: DateTime, Num: PackDateTime(c)} }
func TimeValue(d time.Duration) Value {
	return Value{Kind: Time, Num: uint64(d.Microseconds())}
}

func (v Value) IsNull() bool     { return v.Kind == Null }
func (v Value) Int() int64       { return int64(v.Num) }
func (v Value) Uint() uint64     { return v.Num }
func (v Value) Float64() float64 { return math.Float64frombits(v.Num) }
func (v Value) Micros() int64    { return int64(v.Num) }
func (v Value) Civil() Civil     { return UnpackDateTime(v.Num) }

// Civil is a date and a time of day without a zone, as the wall shows it. Month
// and Day may be 0, and 2021-02-31 is possible where a sql_mode allows it.
type Civil struct {
	Year                 uint16
	Month, Day           uint8
	Hour, Minute, Second uint8
	Micro                uint32
}

// PackDateTime packs a Civil so that the order of numbers is that of dates:
//
//	63..60  59..46  45..42  41..37  36..32  31..26  25..20  19..0
//	0       year    month   day     hour    minute  second  micro
func PackDateTime(c Civil) uint64 {
	return uint64(c.Year)<<46 | uint64(c.Month)<<42 | uint64(c.Day)<<37 | uint64(c.Hour)<<32 |
		uint64(c.Minute)<<26 | uint64(c.Second)<<20 | uint64(c.Micro)
}

// UnpackDateTime is the reverse of PackDateTime.
func UnpackDateTime(n uint64) Civil {
	return Civil{
		Year: uint16(n >> 46 & 0x3FFF), Month: uint8(n >> 42 & 0xF), Day: uint8(n >> 37 & 0x1F),
		Hour: uint8(n >> 32 & 0x1F), Minute: uint8(n >> 26 & 0x3F), Second: uint8(n >> 20 & 0x3F),
		Micro: uint32(n & 0xFFFFF),
	}
}

// CivilOf is the wall clock of t in its own location.
func CivilOf(t time.Time) Civil {
	return Civil{
		Year: uint16(t.Year()), Month: uint8(t.Month()), Day: uint8(t.Day()),
		Hour: uint8(t.Hour()), Minute: uint8(t.Minute()), Second: uint8(t.Second()),
		Micro: uint32(t.Nanosecond() / 1000),
	}
}
