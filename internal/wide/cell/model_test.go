package cell

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What these tests want to show: whatever the operands of a packed key are and
// however a store groups them, the result reads as one map from (qualifier,
// timestamp, type) to the newest cell. The model is that map.

type key struct {
	qual string
	ts   int64
	typ  Type
}

type stored struct {
	value, tags string
	seq         uint64
	stub        bool
}

type model struct {
	cells    map[key]stored
	hasCells bool
}

type operand struct {
	cells    []Cell
	stubs    []bool
	hasCells bool
}

func (o *operand) encode() []byte {
	return AppendPacked(nil, o.cells, func(i int) bool { return o.stubs[i] }, o.hasCells)
}

func (m *model) apply(o *operand) {
	if m.cells == nil {
		m.cells = map[key]stored{}
	}
	for i := range o.cells {
		c := &o.cells[i]
		s := stored{string(c.Value), string(c.Tags), c.Seq, o.stubs[i]}
		if s.stub {
			s.value = ""
		}
		m.cells[key{string(c.Qualifier), c.Timestamp, c.Type}] = s
	}
	m.hasCells = m.hasCells || o.hasCells
}

// sorted returns the model's keys in the order of Compare.
func (m *model) sorted() []key {
	keys := make([]key, 0, len(m.cells))
	for k := range m.cells {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, compareKeys)
	return keys
}

func compareKeys(a, b key) int {
	return Compare(&Cell{Qualifier: []byte(a.qual), Timestamp: a.ts, Type: a.typ},
		&Cell{Qualifier: []byte(b.qual), Timestamp: b.ts, Type: b.typ})
}

var allTypes = []Type{Put, Put, Put, Delete, DeleteFamilyVersion, DeleteColumn, DeleteFamily}

// randomOperand draws from few keys, so that operands collide.
func randomOperand(r *rand.Rand, maxCells, quals int) operand {
	seen := map[key]bool{}
	var o operand
	for range 1 + r.IntN(maxCells) {
		k := key{fmt.Sprintf("q%0*d", 1+r.IntN(3), r.IntN(quals)), 1000 + int64(r.IntN(5)), allTypes[r.IntN(len(allTypes))]}
		switch r.IntN(40) {
		case 0:
			k.qual = ""
		case 1:
			k.ts = 0
		case 2:
			k.ts = math.MaxInt64
		case 3:
			k.qual += "\x00"
		}
		if seen[k] {
			continue
		}
		seen[k] = true
		c := Cell{Qualifier: []byte(k.qual), Timestamp: k.ts, Type: k.typ}
		c.Value = bytes.Repeat([]byte{byte(r.IntN(256))}, r.IntN(4)*r.IntN(60))
		if r.IntN(6) == 0 {
			c.Tags = AppendTTLTag(nil, r.Int64N(1<<40))
		}
		if r.IntN(6) == 0 {
			c.Seq = 1 + r.Uint64N(1<<50)
		}
		o.cells = append(o.cells, c)
	}
	slices.SortFunc(o.cells, func(a, b Cell) int { return Compare(&a, &b) })
	for range o.cells {
		o.stubs = append(o.stubs, r.IntN(8) == 0)
	}
	o.hasCells = r.IntN(10) == 0
	return o
}

// regroup folds a sequence in random groups until one value is left.
func regroup(t *testing.T, r *rand.Rand, values [][]byte) []byte {
	t.Helper()
	for len(values) > 1 {
		var next [][]byte
		for len(values) > 0 {
			n := 1 + r.IntN(min(len(values), 12))
			v, err := Merger{}.Fold(nil, values[:n])
			if err != nil {
				t.Fatal(err)
			}
			next, values = append(next, v), values[n:]
		}
		values = next
	}
	return values[0]
}

func readAll(t *testing.T, it *Iter) (keys []key, cells []stored) {
	t.Helper()
	var c Cell
	for it.Next(&c) {
		keys = append(keys, key{string(c.Qualifier), c.Timestamp, c.Type})
		cells = append(cells, stored{string(c.Value), string(c.Tags), c.Seq, it.Stub()})
	}
	if err := it.Err(); err != nil {
		t.Fatal(err)
	}
	return keys, cells
}

func checkModel(t *testing.T, m *model, value []byte) *Packed {
	t.Helper()
	p := new(Packed)
	if err := p.Reset(value); err != nil {
		t.Fatal(err)
	}
	if p.HasCells() != m.hasCells {
		t.Fatalf("HasCells %v, want %v", p.HasCells(), m.hasCells)
	}
	if p.Cells() < len(m.cells) {
		t.Fatalf("Cells() = %d for %d cells", p.Cells(), len(m.cells))
	}
	var it Iter
	it.Init(p)
	keys, cells := readAll(t, &it)
	want := m.sorted()
	if !slices.Equal(keys, want) {
		t.Fatalf("cells\n%v, want\n%v", keys, want)
	}
	for i, k := range keys {
		if cells[i] != m.cells[k] {
			t.Fatalf("%v: %+v, want %+v", k, cells[i], m.cells[k])
		}
	}
	return p
}

func TestFoldAgainstModel(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		var m model
		var values [][]byte
		// Many small operands, and now and then a large one that makes a base.
		for range 1 + r.IntN(60) {
			size := 4
			if r.IntN(15) == 0 {
				size = 200
			}
			o := randomOperand(r, size, 1+r.IntN(40))
			m.apply(&o)
			values = append(values, o.encode())
		}
		whole, err := Merger{}.Fold(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		checkModel(t, &m, whole)
		value := regroup(t, r, values)
		p := checkModel(t, &m, value)
		checkSeeks(t, r, &m, p)
	}
}

// checkSeeks compares random walks: every move ends where the model says.
func checkSeeks(t *testing.T, r *rand.Rand, m *model, p *Packed) {
	t.Helper()
	want := m.sorted()
	var it Iter
	it.Init(p)
	at, last := 0, "" // next cell; qualifier returned last
	returned := false
	for range 60 {
		target := want[r.IntN(len(want))]
		switch r.IntN(6) {
		case 0:
			target.qual += "\x00"
		case 1:
			target.ts += int64(r.IntN(3)) - 1
		case 2:
			target.typ = Type(r.IntN(16))
		}
		switch op := r.IntN(4); op {
		case 0:
			it.Seek([]byte(target.qual), target.ts, target.typ)
			at, _ = slices.BinarySearchFunc(want, target, compareKeys)
			returned = false
		case 1:
			it.SeekQualifier([]byte(target.qual))
			for at < len(want) && want[at].qual < target.qual {
				at++
			}
			returned = false
		case 2:
			if !returned {
				continue
			}
			it.SkipColumn()
			for at < len(want) && want[at].qual == last {
				at++
			}
		case 3:
			var c Cell
			ok := it.Next(&c)
			if ok != (at < len(want)) {
				t.Fatalf("Next = %v at %d of %d: %v", ok, at, len(want), it.Err())
			}
			if !ok {
				it.Init(p)
				at, returned = 0, false
				continue
			}
			k := key{string(c.Qualifier), c.Timestamp, c.Type}
			if k != want[at] || it.Stub() != m.cells[k].stub || string(c.Value) != m.cells[k].value {
				t.Fatalf("%v at %d, want %v", k, at, want[at])
			}
			at, last, returned = at+1, k.qual, true
		}
	}
	if err := it.Err(); err != nil {
		t.Fatal(err)
	}
}

// A part of more than 64 KiB has the wide restart table.
func TestLargePart(t *testing.T) {
	for _, size := range []int{0, 20, 100, 1000} {
		r := rand.New(rand.NewPCG(7, uint64(size)))
		var m model
		var o operand
		for i := range 2000 {
			o.cells = append(o.cells, Cell{
				Qualifier: fmt.Appendf(nil, "q%05d", i/3*2), Timestamp: int64(5000 - i%3), Type: Put,
				Value: bytes.Repeat([]byte{'v'}, size),
			})
			o.stubs = append(o.stubs, false)
		}
		m.apply(&o)
		value := o.encode()
		for range 5 {
			p := checkModel(t, &m, value)
			for range 20 {
				checkSeeks(t, r, &m, p)
			}
			small := randomOperand(r, 3, 500)
			m.apply(&small)
			var err error
			value, err = Merger{}.Fold(nil, [][]byte{value, small.encode()})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestBuilderEqualsAppendPacked(t *testing.T) {
	var b Builder
	for seed := range uint64(100) {
		r := rand.New(rand.NewPCG(seed, 2))
		o := randomOperand(r, 100, 50)
		b.Reset()
		for i := range o.cells {
			b.Add(&o.cells[i], o.stubs[i])
		}
		if b.Count() != len(o.cells) {
			t.Fatalf("Count %d", b.Count())
		}
		prefix := []byte("kept")
		got := b.Finish(slices.Clone(prefix), o.hasCells)
		want := AppendPacked(prefix, o.cells, func(i int) bool { return o.stubs[i] }, o.hasCells)
		if !bytes.Equal(got, want) || !bytes.HasPrefix(got, prefix) {
			t.Fatalf("seed %d:\n%x\n%x", seed, got, want)
		}
		if len(got) > b.Len()+len(prefix)+8 {
			t.Fatalf("Len %d for %d bytes", b.Len(), len(got))
		}
	}
}

func TestEmptyPacked(t *testing.T) {
	for _, has := range []bool{false, true} {
		var b Builder
		v := AppendPacked(nil, nil, nil, has)
		if !bytes.Equal(v, b.Finish(nil, has)) {
			t.Fatal("Builder and AppendPacked differ")
		}
		var p Packed
		if err := p.Reset(v); err != nil || p.HasCells() != has || p.Parts() != 0 || p.Cells() != 0 || p.Bytes() != 1 {
			t.Fatalf("%x: %v", v, err)
		}
		var it Iter
		it.Init(&p)
		it.Seek([]byte("q"), 1, Put)
		it.SeekQualifier([]byte("q"))
		if it.Next(new(Cell)) || it.Err() != nil {
			t.Fatal("a cell out of nothing")
		}
	}
}

// A large base is not rewritten when small operands come in one by one.
func TestFoldLeavesBaseAlone(t *testing.T) {
	var cells []Cell
	for i := range 600 {
		cells = append(cells, Cell{Qualifier: fmt.Appendf(nil, "q%05d", i), Timestamp: 1, Type: Put, Value: make([]byte, 100)})
	}
	base := AppendPacked(nil, cells, nil, false)
	value := base
	for i := range 100 {
		op := AppendPacked(nil, []Cell{{Qualifier: fmt.Appendf(nil, "q%05d", i*7), Timestamp: 2, Type: Put, Value: []byte("x")}}, nil, false)
		var err error
		if value, err = (Merger{}).Fold(nil, [][]byte{value, op}); err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(value, base) {
			t.Fatalf("the base was rewritten by put %d", i)
		}
	}
	// But it is once that pays.
	values := [][]byte{value}
	for i := range 600 {
		values = append(values, AppendPacked(nil, []Cell{{Qualifier: fmt.Appendf(nil, "r%05d", i), Timestamp: 2, Type: Put, Value: make([]byte, 100)}}, nil, false))
	}
	value, err := Merger{}.Fold(nil, values)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.HasPrefix(value, base) {
		t.Fatal("the base was left alone under as much new data")
	}
}

// The order of prefixes is that of what they are taken from, wherever they
// differ.
func TestPrefix(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	random := func() []byte {
		b := make([]byte, r.IntN(11))
		for i := range b {
			b[i] = byte(r.IntN(3)) * 0x7F
		}
		return b
	}
	for range 20000 {
		a, b := random(), random()
		pa := prefix(a, 0, len(a))
		if inside := prefix(slices.Concat(b, a, []byte("and more")), len(b), len(b)+len(a)); inside != pa {
			t.Fatalf("prefix of %x: %x alone, %x inside", a, pa, inside)
		}
		if got, want := compareQualifiers(pa, a, prefix(b, 0, len(b)), b), bytes.Compare(a, b); got != want {
			t.Fatalf("%x and %x: %d, want %d", a, b, got, want)
		}
	}
}

// Long says how many values were folded at once, whatever they held, and not
// what became of them later.
func TestFoldMarksLongChains(t *testing.T) {
	op := AppendPacked(nil, []Cell{{Qualifier: []byte("q"), Timestamp: 1, Type: Put}}, nil, true)
	fold := func(values ...[]byte) []byte {
		t.Helper()
		v, err := Merger{}.Fold(nil, values)
		if err != nil {
			t.Fatal(err)
		}
		if !HasCells(v) {
			t.Error("HasCells was lost")
		}
		return v
	}
	if Long(op) || Long(fold(slices.Repeat([][]byte{op}, LongChain)...)) {
		t.Error("a short chain is marked Long")
	}
	long := fold(slices.Repeat([][]byte{op}, LongChain+1)...)
	if !Long(long) {
		t.Error("a long chain is not marked")
	}
	if Long(fold(long)) || Long(fold(long, op)) {
		t.Error("Long outlived the chain")
	}
	if Long(nil) || HasCells(nil) {
		t.Error("flags of nothing")
	}
}

func TestMalformed(t *testing.T) {
	good := AppendPacked(nil, []Cell{
		{Qualifier: []byte("a"), Timestamp: 5, Type: Put, Value: []byte("v")},
		{Qualifier: []byte("a"), Timestamp: 4, Type: Put, Value: []byte("w")},
	}, nil, false)
	f := func(name string, b []byte, want error) {
		t.Helper()
		var p Packed
		err := p.Reset(b)
		if err == nil {
			var it Iter
			it.Init(&p)
			for it.Next(new(Cell)) {
			}
			err = it.Err()
		} else if p.Parts() != 0 || p.HasCells() {
			t.Errorf("%s: not empty after an error", name)
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
	f("empty", nil, ErrMalformed)
	f("version 0", []byte{0}, ErrVersion)
	f("version 2", []byte{0x20}, ErrVersion)
	f("reserved flag", []byte{0x14}, ErrMalformed)
	for n := 2; n < len(good); n++ {
		f(fmt.Sprintf("cut at %d", n), good[:n], ErrMalformed)
	}
	body := func(b ...byte) []byte { return append([]byte{0x10, byte(len(b))}, b...) }
	f("no body", body(), ErrMalformed)
	f("no cells", body(0, 0, 0, 0, 0, 0, 0, 0, 1), ErrMalformed)
	f("more cells than bytes", body(2, 0, 0, 0, 0, 0, 0, 0, 1, 0), ErrMalformed)
	f("sameQual first", body(1, 0, 0, 0, 0, 0, 0, 0, 1, headSameQual|headSameTs|headStub), ErrMalformed)
	f("unknown type", body(1, 0, 0, 0, 0, 0, 0, 0, 1, 5|headSameTs|headStub, 0), ErrMalformed)
	f("long length", append([]byte{0x10}, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01), ErrMalformed)
	f("nine parts", append([]byte{0x10}, bytes.Repeat(good[1:], MaxParts+1)...), ErrMalformed)
	f("good", good, nil)
}

func TestBuilderPanicsOutOfOrder(t *testing.T) {
	f := func(a, b Cell) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%v then %v: no panic", &a, &b)
			}
		}()
		AppendPacked(nil, []Cell{a, b}, nil, false)
	}
	f(Cell{Qualifier: []byte("b"), Type: Put}, Cell{Qualifier: []byte("a"), Type: Put})
	f(Cell{Timestamp: 1, Type: Put}, Cell{Timestamp: 2, Type: Put})
	f(Cell{Timestamp: 1, Type: Put}, Cell{Timestamp: 1, Type: Delete})
	f(Cell{Timestamp: 1, Type: Put}, Cell{Timestamp: 1, Type: Put})
	f(Cell{Qualifier: []byte("a"), Type: Put}, Cell{Qualifier: []byte("b"), Type: 3})
}
