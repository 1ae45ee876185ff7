package row

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
)

// What these tests want to show: rows read back as they were written, also by a
// later version of their table, and the byte order of keys is the order of
// values.

var kinds = []catalog.SQLColumn{
	{Name: "i8", Kind: catalog.SQLInt, Width: 1}, {Name: "i32", Kind: catalog.SQLInt, Width: 4},
	{Name: "i64", Kind: catalog.SQLInt, Width: 8}, {Name: "u24", Kind: catalog.SQLUint, Width: 3},
	{Name: "u64", Kind: catalog.SQLUint, Width: 8}, {Name: "f", Kind: catalog.SQLFloat},
	{Name: "d", Kind: catalog.SQLDouble}, {Name: "dec", Kind: catalog.SQLDecimal, Precision: 7, Scale: 2},
	{Name: "t", Kind: catalog.SQLText}, {Name: "b", Kind: catalog.SQLBinary},
	{Name: "dt", Kind: catalog.SQLDateTime}, {Name: "tm", Kind: catalog.SQLTime},
}

func random(r *rand.Rand, c *catalog.SQLColumn) Value {
	if !c.NotNull && r.IntN(8) == 0 {
		return Value{}
	}
	n := r.Uint64() >> r.UintN(64)
	if r.IntN(2) == 0 {
		n = -n
	}
	bits := 64 - 8*c.Width
	switch c.Kind {
	case catalog.SQLInt:
		return IntValue(int64(n<<bits) >> bits)
	case catalog.SQLUint:
		return UintValue(n << bits >> bits)
	case catalog.SQLFloat:
		return FloatValue(float32(int64(n)) / 3)
	case catalog.SQLDouble:
		return DoubleValue(float64(int64(n)) / 3)
	case catalog.SQLDecimal:
		v := int64(n) % 10000000
		s := strconv.FormatInt(v/100, 10) + "." + strconv.FormatInt(100+max(v, -v)%100, 10)[1:]
		if v < 0 && v > -100 {
			s = "-" + s
		}
		return BytesValue([]byte(s))
	case catalog.SQLDateTime:
		return DateTimeValue(Civil{Year: uint16(r.IntN(10000)), Month: uint8(r.IntN(13)), Day: uint8(r.IntN(32)),
			Hour: uint8(r.IntN(24)), Micro: uint32(r.IntN(2)) * uint32(r.IntN(1e6))})
	case catalog.SQLTime:
		return Value{Kind: Time, Num: uint64(int64(n) % (839 * 3600e6))}
	}
	b := make([]byte, r.IntN(4))
	for i := range b {
		b[i] = []byte{0, 1, 'a', 0xFF}[r.IntN(4)]
	}
	return BytesValue(b)
}

// order is what compares values, apart from the encodings.
func order(c *catalog.SQLColumn, a, b Value) int {
	if a.Kind == Null || b.Kind == Null {
		return cmp.Compare(min(a.Kind, 1), min(b.Kind, 1))
	}
	switch c.Kind {
	case catalog.SQLInt, catalog.SQLTime:
		return cmp.Compare(a.Int(), b.Int())
	case catalog.SQLUint, catalog.SQLDateTime:
		return cmp.Compare(a.Num, b.Num)
	case catalog.SQLFloat, catalog.SQLDouble:
		return cmp.Compare(a.Float64(), b.Float64())
	case catalog.SQLDecimal:
		x, _ := strconv.ParseFloat(string(a.Bytes), 64)
		y, _ := strconv.ParseFloat(string(b.Bytes), 64)
		return cmp.Compare(x, y)
	}
	return bytes.Compare(a.Bytes, b.Bytes)
}

func TestKeyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, c := range kinds {
		for _, desc := range []bool{false, true} {
			for _, c.NotNull = range []bool{false, true} {
				k := &KeyColumn{Column: &c, Desc: desc, Collation: Binary}
				for range 3000 {
					a, b := random(r, &c), random(r, &c)
					ka, kb := AppendKey(nil, k, a), AppendKey(nil, k, b)
					want := order(&c, a, b)
					if desc {
						want = -want
					}
					if got := bytes.Compare(ka, kb); got != want {
						t.Fatalf("%s desc %v: %+v and %+v: %x, %x: %d, want %d", c.Name, desc, a, b, ka, kb, got, want)
					}
					if want != 0 && (bytes.HasPrefix(ka, kb) || bytes.HasPrefix(kb, ka)) {
						t.Fatalf("%s: %x, %x: one is a prefix of the other", c.Name, ka, kb)
					}
				}
			}
		}
	}
}

func table(columns ...catalog.SQLColumn) *catalog.SQLTable {
	t := &catalog.SQLTable{Columns: slices.Clone(columns), NextColumnID: len(columns)}
	for i := range t.Columns {
		t.Columns[i].ID = i
	}
	return t
}

func equal(a, b Value) bool {
	return a.Kind == b.Kind && a.Num == b.Num && bytes.Equal(a.Bytes, b.Bytes)
}

func TestRowRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	def := table(kinds...)
	l, err := NewLayout(def)
	if err != nil {
		t.Fatal(err)
	}
	// A later version: one column dropped, one added, another order.
	later := table(kinds...)
	later.Columns = append(later.Columns[1:], catalog.SQLColumn{ID: len(kinds), Name: "new", Kind: catalog.SQLInt, Added: []byte{5}})
	slices.Reverse(later.Columns)
	later.NextColumnID++
	l2, err := NewLayout(later)
	if err != nil {
		t.Fatal(err)
	}
	for range 2000 {
		in := make([]Value, len(kinds))
		for i := range in {
			in[i] = random(r, &def.Columns[i])
		}
		if r.IntN(50) == 0 {
			in[8] = BytesValue(bytes.Repeat([]byte("x"), 70000))
		}
		b := l.Append([]byte{}, in)
		out := make([]Value, len(in))
		if err := l.Decode(out, b, nil); err != nil {
			t.Fatal(err)
		}
		for i := range in {
			if !equal(in[i], out[i]) {
				t.Fatalf("%s: %+v became %+v", def.Columns[i].Name, in[i], out[i])
			}
		}
		out = make([]Value, len(later.Columns))
		if err := l2.Decode(out, b, nil); err != nil {
			t.Fatal(err)
		}
		if out[0].Int() != 5 {
			t.Fatalf("the added column is %+v", out[0])
		}
		for i := 1; i < len(out); i++ {
			if !equal(in[later.Columns[i].ID], out[i]) {
				t.Fatalf("%s is %+v in the later version", later.Columns[i].Name, out[i])
			}
		}
	}
}

func TestPackDateTime(t *testing.T) {
	c := Civil{9999, 12, 31, 23, 59, 59, 999999}
	if got := UnpackDateTime(PackDateTime(c)); got != c {
		t.Fatal(got)
	}
	if PackDateTime(Civil{}) != 0 || PackDateTime(c) > math.MaxInt64 {
		t.Fatal("packed dates are not positive")
	}
}

func FuzzDecode(f *testing.F) {
	def := table(kinds...)
	l, err := NewLayout(def)
	if err != nil {
		f.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for range 5 {
		in := make([]Value, len(kinds))
		for i := range in {
			in[i] = random(r, &def.Columns[i])
		}
		f.Add(l.Append(nil, in))
	}
	f.Add([]byte{2, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		out := make([]Value, len(kinds))
		if l.Decode(out, b, nil) != nil {
			return
		}
		// What decodes, encodes to something that decodes to the same.
		again := make([]Value, len(kinds))
		if err := l.Decode(again, l.Append(nil, out), nil); err != nil {
			t.Fatal(err)
		}
		for i := range out {
			if !equal(out[i], again[i]) && out[i].Kind != Float {
				t.Fatalf("%s: %+v, then %+v", kinds[i].Name, out[i], again[i])
			}
		}
	})
}
