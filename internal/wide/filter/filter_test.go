package filter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// decode makes a filter of an expression (see pack).
func decode(t testing.TB, expr string) Filter {
	t.Helper()
	tree, err := pack(expr)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Decode(classPrefix+tree.class, tree.bytes, Limits{})
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return f
}

func comparatorOf(t testing.TB, expr string) Comparator {
	t.Helper()
	tree, err := pack(expr)
	if err != nil {
		t.Fatal(err)
	}
	k, err := DecodeComparator(classPrefix+tree.class, tree.bytes, Limits{})
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return k
}

func TestComparatorValue(t *testing.T) {
	f := func(expr, want string) {
		t.Helper()
		tree, err := pack(expr)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ComparatorValue(classPrefix+tree.class, tree.bytes)
		if err != nil || string(got) != want {
			t.Errorf("%s: %q, %v; want %q", expr, got, err, want)
		}
		if (got == nil) != (tree.class == "NullComparator") {
			t.Errorf("%s: nil is for NullComparator only", expr)
		}
	}
	f(`bin("x")`, "x")
	f(`bin("")`, "")
	f(`binprefix("x")`, "x")
	f(`component("x", 3)`, "x")
	f(`long(1)`, "\x00\x00\x00\x00\x00\x00\x00\x01")
	f(`decimal("1.5")`, "\x00\x00\x00\x01\x0f")
	f(`bit("and", "x")`, "x")
	f(`null()`, "")
	f(`substring("AbC")`, "abc")
	f(`substring("")`, "")
	f(`regex("a+")`, "a+")

	for _, name := range []string{"x.MyComparator", classPrefix + "PrefixFilter", ""} {
		var unknown *UnknownError
		if _, err := ComparatorValue(name, nil); !errors.As(err, &unknown) || unknown.Class != name {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := DecodeComparator(name, nil, Limits{}); !errors.As(err, &unknown) || unknown.Class != name {
			t.Errorf("%s: %v", name, err)
		}
	}
	var damaged *MalformedError
	if _, err := ComparatorValue(classPrefix+"BinaryComparator", []byte{0x0a}); !errors.As(err, &damaged) {
		t.Error(err)
	}
	if _, err := ComparatorValue(classPrefix+"SubstringComparator", nil); !errors.As(err, &damaged) {
		t.Error(err)
	}
}

// TestDecodeKeepsNothing: the caller may reuse what it decoded from.
func TestDecodeKeepsNothing(t *testing.T) {
	tree, err := pack(`all(prefix("ab"), one(qualifier("=", bin("q")), ranges("[a,b]")))`)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Decode(classPrefix+tree.class, tree.bytes, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	clear(tree.bytes)
	c := cell.Cell{Row: []byte("abc"), Family: []byte("f"), Qualifier: []byte("q"), Type: cell.Put}
	if f.FilterRowKey(&c) || f.FilterCell(&c) != Include {
		t.Error("the filter changed with the bytes")
	}
}

func TestLimits(t *testing.T) {
	nested := func(n int) packed {
		p := packed{"FirstKeyOnlyFilter", nil}
		for range n - 1 {
			p = packed{"SkipFilter", pb{}.raw(1, p.message())}
		}
		return p
	}
	list := packed{"FilterList", pb{}.num(1, 1)}
	for range 10 {
		list.bytes = pb(list.bytes).raw(2, packed{"FirstKeyOnlyFilter", nil}.message())
	}
	ranges := packed{"MultiRowRangeFilter", bytes.Repeat([]byte{0x0a, 0}, 20)}
	pattern := packed{"ValueFilter", pb{}.raw(1, pb{}.num(1, 2).raw(2, packed{"RegexStringComparator",
		pb{}.str(1, strings.Repeat("a", 100)).num(2, 0).str(3, "UTF-8")}.message()))}
	f := func(p packed, limits Limits, want bool) {
		t.Helper()
		_, err := Decode(classPrefix+p.class, p.bytes, limits)
		var refused *MalformedError
		if want != (err == nil) || err != nil && !errors.As(err, &refused) {
			t.Errorf("%s %+v: %v", p.class, limits, err)
		}
	}
	f(nested(128), Limits{}, true)
	f(nested(129), Limits{}, false)
	f(nested(2000), Limits{}, false)
	f(nested(3), Limits{MaxDepth: 3}, true)
	f(nested(3), Limits{MaxDepth: 2}, false)
	f(list, Limits{MaxFilters: 11}, true)
	f(list, Limits{MaxFilters: 10}, false)
	f(ranges, Limits{MaxItems: 20}, true)
	f(ranges, Limits{MaxItems: 19}, false)
	f(pattern, Limits{MaxPatternBytes: 100}, true)
	f(pattern, Limits{MaxPatternBytes: 99}, false)
}

// TestMasks: the forms in which clients send the mask of a fuzzy key.
func TestMasks(t *testing.T) {
	f := func(mask string, v2 bool, want string) {
		t.Helper()
		got := ""
		for _, fixed := range fixedPositions([]byte(mask), v2) {
			if fixed {
				got += "x"
			} else {
				got += "?"
			}
		}
		if got != want {
			t.Errorf("%x %v: %s, want %s", mask, v2, got, want)
		}
	}
	f("\x00\x01", true, "x?")
	f("\x00\x01", false, "x?")
	f("\xff\x02", true, "x?")
	f("\xff\x02", false, "x?")
	f("\xff\x00", false, "x?")
	f("\xff\xff", false, "xx")
	f("\x02\x02", true, "??")
	f("\x01\x01", false, "??")
	f("\x00\x00", true, "xx")
	f("\x00\x00", false, "??")
}

// TestFuzzyRows compares with the obvious: the rows that match, in both
// directions, whatever their lengths and bytes.
func TestFuzzyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	alphabet := "\x00\x01\xfe\xffab"
	word := func(low, high int) []byte {
		b := make([]byte, low+rng.IntN(high-low+1))
		for i := range b {
			b[i] = alphabet[rng.IntN(len(alphabet))]
		}
		return b
	}
	for range 2000 {
		f := &fuzzyRowFilter{base: base{&env{}}}
		for range 1 + rng.IntN(3) {
			k := fuzzyKey{key: word(1, 4)}
			for range k.key {
				k.fixed = append(k.fixed, rng.IntN(2) == 0)
			}
			f.keys = append(f.keys, k)
		}
		var cells []cell.Cell
		for range 1 + rng.IntN(40) {
			cells = append(cells, cell.Cell{Row: word(1, 5), Family: []byte("f"), Qualifier: []byte("q"), Type: cell.Put})
		}
		sortCells(cells)
		cells = slices.CompactFunc(cells, func(a, b cell.Cell) bool { return bytes.Equal(a.Row, b.Row) })
		var want [][]cell.Cell
		for i := range cells {
			for j := range f.keys {
				if f.keys[j].mismatch(cells[i].Row) < 0 {
					want = append(want, cells[i:i+1])
					break
				}
			}
		}
		reversed := rng.IntN(2) == 0
		if reversed {
			slices.Reverse(want)
		}
		r := newReader(cells, f, reversed)
		if got := show(r.scan()); got != show(want) || r.trace != nil {
			t.Fatalf("keys %+v reversed=%v over\n%s\ngot\n%s\nwant\n%s%s", f.keys, reversed, show(rowsOf(cells)), got, show(want), r.trace)
		}
	}
}

// TestRangeUnions compares with the obvious: the rows in any of the ranges.
func TestRangeUnions(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	cells := world(rng, 30)
	for range 500 {
		var ranges []rowRange
		for range 1 + rng.IntN(4) {
			r := rowRange{start: []byte(letters(rng, 0, 3)), stop: []byte(letters(rng, 0, 3)),
				startInclusive: rng.IntN(2) == 0, stopInclusive: rng.IntN(2) == 0}
			if r.valid() {
				ranges = append(ranges, r)
			}
		}
		if ranges == nil {
			continue
		}
		var want [][]cell.Cell
		for _, row := range rowsOf(cells) {
			if slices.ContainsFunc(ranges, func(r rowRange) bool { return r.contains(row[0].Row) }) {
				want = append(want, row)
			}
		}
		reversed := rng.IntN(2) == 0
		if reversed {
			slices.Reverse(want)
		}
		text := fmt.Sprintf("%+v", ranges)
		f := &multiRowRangeFilter{base: base{&env{}}, ranges: mergeRanges(ranges)}
		r := newReader(cells, f, reversed)
		if got := show(r.scan()); got != show(want) || r.trace != nil {
			t.Fatalf("%s reversed=%v\ngot\n%s\nwant\n%s%s", text, reversed, got, show(want), r.trace)
		}
	}
}

// TestEvalErrors: what a comparator cannot judge fails the call, and the first
// failure stays.
func TestEvalErrors(t *testing.T) {
	f := func(expr, value, want string) {
		t.Helper()
		tree, err := pack(`one(skip(value("=", ` + expr + `)), keyonly())`)
		if err != nil {
			t.Fatal(err)
		}
		filter, err := Decode(classPrefix+tree.class, tree.bytes, Limits{RegexTimeout: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		c := cell.Cell{Row: []byte("r"), Family: []byte("f"), Value: []byte(value), Type: cell.Put}
		filter.FilterCell(&c)
		err = Err(filter)
		var eval *EvalError
		if want == "" && err != nil || want != "" && (!errors.As(err, &eval) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s on %q: %v", expr, value, err)
		}
	}
	f(`long(1)`, "12345678", "")
	f(`long(1)`, "1234567", "LongComparator")
	f(`long(1)`, "", "LongComparator")
	f(`decimal("1")`, "\x00\x00\x00\x00\x01", "")
	f(`decimal("1")`, "\x00\x00\x00\x00", "BigDecimalComparator")
	f(`decimal("1")`, strings.Repeat("x", maxDecimalBytes+1), "BigDecimalComparator")
	f(`regex("(a*)*\\1b")`, strings.Repeat("a", 40), "RegexStringComparator")

	k := comparatorOf(t, "long(1)")
	if k.Compare(nil); k.Err() == nil {
		t.Error("no error")
	}
	if decode(t, "first()"); Err(decode(t, "first()")) != nil {
		t.Error("an error of nothing")
	}
}

func TestDecimals(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	decimalOf := func(s string) *decimal {
		d := &decimal{}
		if !d.set(decimalBytes(s)) {
			t.Fatalf("no decimal: %s", s)
		}
		return d
	}
	for range 5000 {
		one := func() string { return fmt.Sprintf("%de%d", rng.IntN(2001)-1000, rng.IntN(9)-4) }
		a, b := one(), one()
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		if got := decimalOf(a).compare(decimalOf(b)); got != x.Cmp(y) {
			t.Fatalf("%s and %s: %d, want %d", a, b, got, x.Cmp(y))
		}
	}
	start := time.Now()
	huge := "1" + strings.Repeat("0", 100000)
	f := func(a, b string, want int) {
		t.Helper()
		if got := decimalOf(a).compare(decimalOf(b)); got != want {
			t.Errorf("%.20s and %.20s: %d, want %d", a, b, got, want)
		}
	}
	f("1e2147483647", "1e-2147483647", 1)
	f("-1e2147483647", "1", -1)
	f("-1e2147483647", "-1", -1)
	f("0e2147483647", "0e-2147483647", 0)
	f(huge, "1e100000", 0)
	f(huge+"1", "1e100001", 1)
	if d := time.Since(start); d > time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestJavaUTF8(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		if got := appendJavaUTF8(nil, []byte(in)); string(got) != want {
			t.Errorf("%x: %q, want %q", in, got, want)
		}
	}
	f("aä日😀", "aä日😀")
	f("\xff", "\ufffd")
	f("\xc3", "\ufffd")
	f("\xe2\x82", "\ufffd")
	f("\xe2\x82a", "\ufffda")
	f("\xf0\x9f\x98", "\ufffd")
	f("\xf0\x9fab", "\ufffdab")
	f("\xc0\x80", "\ufffd\ufffd")
	f("\xed\xa0\x80", "\ufffd")
	f("\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd")
	f("\xe0\x80\x80", "\ufffd\ufffd\ufffd")
}

// TestEssentialFamily: which families a row can be judged without.
func TestEssentialFamily(t *testing.T) {
	f := func(expr string, wantF, wantG bool) {
		t.Helper()
		filter := decode(t, expr)
		if got := EssentialFamily(filter, []byte("f")); got != wantF {
			t.Errorf("%s: f is essential: %v", expr, got)
		}
		if got := EssentialFamily(filter, []byte("g")); got != wantG {
			t.Errorf("%s: g is essential: %v", expr, got)
		}
	}
	f(`first()`, true, true)
	f(`single("f:q", "=", bin("1"))`, true, true)
	f(`single("f:q", "=", bin("1"), ifmissing)`, true, false)
	f(`exclude("g:q", "=", bin("1"), ifmissing)`, false, true)
	f(`column("f:q", "=", bin("1"))`, true, false)
	f(`all()`, true, true)
	f(`all(column("f:q", "=", bin("1")), column("f:r", "=", bin("1")))`, true, false)
	f(`one(column("f:q", "=", bin("1")), column("g:r", "=", bin("1")))`, true, true)
	f(`skip(while(wrap(column("f:q", "=", bin("1")))))`, true, false)
}

func TestRandomRows(t *testing.T) {
	draws := []float32{0.1, 0.6, 0.5, 0.49}
	tree, err := pack("random(50)")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Decode(classPrefix+tree.class, tree.bytes, Limits{Random: func() float32 {
		d := draws[0]
		draws = draws[1:]
		return d
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []bool
	for range 4 {
		dropped := f.FilterRowKey(&cell.Cell{})
		if dropped != f.FilterRow() || dropped != (f.FilterCell(&cell.Cell{}) == NextRow) {
			t.Error("the steps disagree")
		}
		got = append(got, dropped)
		f.Reset()
	}
	if want := []bool{false, true, true, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for expr, want := range map[string]bool{"random(101)": false, "random(-1)": true} {
		if decode(t, expr).FilterRowKey(&cell.Cell{}) != want {
			t.Error(expr)
		}
	}
}

// TestKeyOnlyLengths: a transformed value stays what it was.
func TestKeyOnlyLengths(t *testing.T) {
	f := decode(t, "keyonly(length)")
	var values [][]byte
	for n := range 1000 {
		c := cell.Cell{Value: make([]byte, n), Tags: []byte("tag")}
		f.Transform(&c)
		if c.Tags != nil {
			t.Fatal("the tags are still there")
		}
		values = append(values, c.Value)
	}
	for n, v := range values {
		if len(v) != 4 || int(binary.BigEndian.Uint32(v)) != n {
			t.Fatalf("%d became %x", n, v)
		}
	}
}
