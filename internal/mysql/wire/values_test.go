// Shows values in the text and in the binary protocol.
package wire

import (
	"math"
	"testing"
)

func TestTextValues(t *testing.T) {
	f := func(got []byte, want string) {
		t.Helper()
		c := NewCursor(got)
		if s := c.LenencBytes(); string(s) != want || !c.OK() || c.Len() != 0 {
			t.Errorf("%q, want %q", s, want)
		}
	}
	f(AppendTextInt(nil, math.MinInt64), "-9223372036854775808")
	f(AppendTextInt(nil, 0), "0")
	f(AppendTextUint(nil, math.MaxUint64), "18446744073709551615")
	for v, want := range map[float64]string{
		0: "0", 1: "1", -1.5: "-1.5", 0.1: "0.1", 1e14: "100000000000000", 1e15: "1e15", 1.25e300: "1.25e300",
		-1e-15: "-0.000000000000001", 1e-16: "1e-16", 1.5e-7: "0.00000015", math.MaxFloat64: "1.7976931348623157e308", 5e-324: "5e-324",
	} {
		f(AppendTextFloat(nil, v, 64, NotFixed), want)
	}
	for v, want := range map[float32]string{
		0.1: "0.1", 3.4028235e38: "3.40282e38", 16777216: "16777200", 1.17549e-38: "1.17549e-38", 123456: "123456",
	} {
		f(AppendTextFloat(nil, float64(v), 32, NotFixed), want)
	}
	f(AppendTextFloat(nil, math.Copysign(0, -1), 64, NotFixed), "-0")
	f(AppendTextFloat(nil, 2.5, 64, 3), "2.500")
	if b := AppendTextFloat(nil, math.MaxFloat64, 64, 2); len(b) != 3+309+3 {
		t.Errorf("%q", b)
	}
	d := DateTime{2010, 10, 17, 19, 27, 30, 1}
	f(AppendTextDate(nil, d), "2010-10-17")
	f(AppendTextDateTime(nil, d, 0), "2010-10-17 19:27:30")
	f(AppendTextDateTime(nil, d, 6), "2010-10-17 19:27:30.000001")
	f(AppendTextDateTime(nil, DateTime{Micro: 120000}, 2), "0000-00-00 00:00:00.12")
	f(AppendTextDuration(nil, Duration{true, 838, 59, 59, 0}, 0), "-838:59:59")
	f(AppendTextDuration(nil, Duration{false, 1, 2, 3, 456000}, 3), "01:02:03.456")
}

func TestBinaryDates(t *testing.T) {
	for want, d := range map[string]DateTime{
		"00":                         {},
		"04da070a11":                 {Year: 2010, Month: 10, Day: 17},
		"07da070a11131b1e":           {2010, 10, 17, 19, 27, 30, 0},
		"0bda070a11131b1e01000000":   {2010, 10, 17, 19, 27, 30, 1},
		"0b000000 00000000 01000000": {Micro: 1},
		"07000000 00000001":          {Second: 1},
	} {
		b := AppendBinaryDateTime(nil, d)
		if w := unhex(t, want); string(b) != string(w) {
			t.Errorf("%+v: %x, want %s", d, b, want)
		}
		c := NewCursor(b)
		if got := c.DateTime(); got != d || !c.OK() || c.Len() != 0 {
			t.Errorf("%s became %+v", want, got)
		}
	}
	if b := AppendBinaryDate(nil, DateTime{2010, 10, 17, 1, 2, 3, 4}); len(b) != 5 {
		t.Errorf("%x", b)
	}
	for want, d := range map[string]Duration{
		"00":                         {},
		"08017800000013 1b 1e":       {true, 120*24 + 19, 27, 30, 0},
		"0c0178000000131b1e01000000": {true, 120*24 + 19, 27, 30, 1},
	} {
		b := AppendBinaryDuration(nil, d)
		if w := unhex(t, want); string(b) != string(w) {
			t.Errorf("%+v: %x, want %s", d, b, want)
		}
		c := NewCursor(b)
		if got := c.Duration(); got != d || !c.OK() || c.Len() != 0 {
			t.Errorf("%s became %+v", want, got)
		}
	}
	for _, bad := range []string{"01", "05", "0d", "04da", "ff"} {
		c := NewCursor(unhex(t, bad))
		if c.DateTime(); c.OK() {
			t.Errorf("%s is a date", bad)
		}
	}
	c := NewCursor(unhex(t, "0800ffffffff000000"))
	if d := c.Duration(); c.OK() {
		t.Errorf("%+v", d)
	}
}

func TestBinaryRow(t *testing.T) {
	b, bitmap := AppendBinaryRow(nil, 7)
	for i, add := range []func(){
		func() { b = AppendBinaryInt(b, TypeTiny, math.MaxUint64) },
		nil,
		func() { b = AppendBinaryInt(b, TypeInt24, 0x010203) },
		func() { b = AppendBinaryFloat(b, 10.2) },
		func() { b = AppendBinaryDouble(b, 10.2) },
		func() { b = AppendBinaryInt(b, TypeYear, 2026) },
		nil,
	} {
		if add == nil {
			SetBinaryNull(b, bitmap, i)
			continue
		}
		add()
	}
	want := unhex(t, "00 0801 ff 03020100 33332341 6666666666662440 ea07")
	if string(b) != string(want) {
		t.Errorf("%x, want %x", b, want)
	}
	if b := AppendBinaryInt(nil, TypeLongLong, 1); len(b) != 8 {
		t.Errorf("%x", b)
	}
	if b := AppendBinaryInt(nil, TypeShort, 0xfffe); string(b) != "\xfe\xff" {
		t.Errorf("%x", b)
	}
}

// Types are remembered from one execute to the next.
func TestExecute(t *testing.T) {
	types := make([]ParamType, 2)
	e, err := DecodeExecute(unhex(t, "01000000 01 01000000 02 01 0f00 0380 03666f6f"))
	if err != nil || e.Statement != 1 || e.Cursor != CursorReadOnly {
		t.Fatal(e, err)
	}
	p, err := e.Params(types)
	if err != nil || p.Null(0) || !p.Null(1) || types[0] != (ParamType{TypeVarchar, false}) || types[1] != (ParamType{TypeLong, true}) {
		t.Fatal(p, types, err)
	}
	if s := p.Values().LenencBytes(); string(s) != "foo" {
		t.Errorf("%q", s)
	}
	e, err = DecodeExecute(unhex(t, "01000000 00 01000000 01 00 2a000000"))
	if err != nil {
		t.Fatal(err)
	}
	p, err = e.Params(types)
	if err != nil || !p.Null(0) || p.Null(1) || types[1].Type != TypeLong || p.Values().Uint32() != 42 {
		t.Error(p, types, err)
	}
}

func FuzzExecute(f *testing.F) {
	f.Add(unhex(f, "01000000 01 01000000 02 01 0f00 0380 03666f6f"), uint8(2))
	f.Fuzz(func(t *testing.T, b []byte, count uint8) {
		e, err := DecodeExecute(b)
		if err != nil {
			return
		}
		p, err := e.Params(make([]ParamType, count))
		if err != nil {
			return
		}
		for i := range int(count) {
			p.Null(i)
		}
	})
}

func TestCompressedHead(t *testing.T) {
	h := CompressedHead{0x010203, 9, 0x040506}
	b := AppendCompressedHead(nil, h)
	if got := DecodeCompressedHead((*[CompressedHeadBytes]byte)(b)); got != h || string(b) != "\x03\x02\x01\x09\x06\x05\x04" {
		t.Errorf("%x %+v", b, got)
	}
}
