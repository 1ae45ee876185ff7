package cell

import (
	"bytes"
	"errors"
	"math"
	"testing"
)

func TestCellValue(t *testing.T) {
	f := func(c Cell) {
		t.Helper()
		b := AppendCellValue([]byte("kept"), &c)
		d := Cell{Row: []byte("row"), Seq: 99, Tags: []byte("old")}
		if err := DecodeCellValue(b[4:], &d); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.Value, d.Value) || !bytes.Equal(c.Tags, d.Tags) || c.Seq != d.Seq || string(d.Row) != "row" {
			t.Errorf("%+v, want %+v", d, c)
		}
	}
	f(Cell{})
	f(Cell{Value: []byte("v")})
	f(Cell{Value: []byte("v"), Seq: math.MaxUint64})
	f(Cell{Value: []byte("v"), Tags: AppendTTLTag(nil, 1), Seq: 1})
	f(Cell{Tags: make([]byte, 1000)})

	bad := func(b []byte, want error) {
		t.Helper()
		if err := DecodeCellValue(b, new(Cell)); !errors.Is(err, want) {
			t.Errorf("%x: %v, want %v", b, err, want)
		}
	}
	bad(nil, ErrMalformed)
	bad([]byte{0x00}, ErrVersion)
	bad([]byte{0x20}, ErrVersion)
	bad([]byte{0x14}, ErrMalformed)
	bad([]byte{0x11}, ErrMalformed)
	bad([]byte{0x11, 2, 0}, ErrMalformed)
	bad([]byte{0x12}, ErrMalformed)
	bad([]byte{0x12, 0x80}, ErrMalformed)
}

func TestTags(t *testing.T) {
	other := []byte{0, 3, 1, 'a', 'b'}
	join := func(parts ...[]byte) []byte { return bytes.Join(parts, nil) }
	ttl := func(ms int64) []byte { return AppendTTLTag(nil, ms) }

	f := func(tags []byte, ms int64, ok bool) {
		t.Helper()
		if got, gotOK := TTL(tags); got != ms || gotOK != ok {
			t.Errorf("TTL(%x) = %d, %v, want %d, %v", tags, got, gotOK, ms, ok)
		}
	}
	f(nil, 0, false)
	f(other, 0, false)
	f(ttl(5), 5, true)
	f(join(other, ttl(5), ttl(6)), 5, true)
	f([]byte{0, 2, 8, 1}, 0, false)                  // a TTL of one byte is none
	f(join([]byte{0, 2, 8, 1}, ttl(5)), 5, true)     // and does not hide one
	f(join([]byte{0, 0, 1}, ttl(5)), 0, false)       // length 0: malformed from here on
	f(join([]byte{0xFF, 0, 1}, ttl(5)), 0, false)    // longer than the block
	f(ttl(5)[:10], 0, false)                         // cut short
	f(join(ttl(math.MaxInt64)), math.MaxInt64, true) // the largest

	r := func(tags []byte, ms int64, want []byte) {
		t.Helper()
		if got := ReplaceTTL([]byte("kept"), tags, ms); !bytes.Equal(got, join([]byte("kept"), want)) {
			t.Errorf("ReplaceTTL(%x, %d) = %x, want %x", tags, ms, got[4:], want)
		}
	}
	r(nil, 0, nil)
	r(nil, 7, ttl(7))
	r(join(other, ttl(5)), 0, join(other, ttl(5)))
	r(join(ttl(5), other, ttl(6)), 7, join(other, ttl(7)))
	r(join(other, []byte{0, 9, 1}), 7, join(other, ttl(7)))
}

func TestTypes(t *testing.T) {
	for i := range 256 {
		typ := Type(i)
		panicked := func() (p bool) {
			defer func() { p = recover() != nil }()
			if codeTypes[typeCode(typ)] != typ {
				t.Errorf("%v changes on its way", typ)
			}
			return
		}()
		if panicked == typ.Valid() {
			t.Errorf("%v: panicked %v", typ, panicked)
		}
	}
}
