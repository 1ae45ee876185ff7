package keys

import (
	"bytes"
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What these tests want to show: the byte order of keys is the order of what
// they are made of, prefixes and bounds hold exactly the keys they should, and
// every key can be taken apart again.

// hardBytes are those that escaping and bounds could get wrong.
var hardBytes = []byte{0x00, 0x01, 0x02, 0x10, 'a', 0xF7, 0xF8, 0xFE, 0xFF}

func randomBytes(r *rand.Rand, maxLen int) []byte {
	b := make([]byte, r.IntN(maxLen+1))
	for i := range b {
		b[i] = hardBytes[r.IntN(len(hardBytes))]
	}
	return b
}

func randomUint(r *rand.Rand) uint64 {
	return r.Uint64() >> r.UintN(64)
}

type wideKey struct {
	dataID uint64
	row    []byte
	family uint32
	form   byte
	qual   []byte
	ts     int64
	typ    byte
}

func (k *wideKey) encode() []byte {
	p := AppendRow(nil, k.dataID, k.row)
	if k.form == FormPacked {
		return AppendPacked(p, k.family)
	}
	return AppendCell(p, k.family, k.qual, k.ts, k.typ)
}

// compare is the order that readers rely on.
func (k *wideKey) compare(o *wideKey) int {
	c := cmp.Or(cmp.Compare(k.dataID, o.dataID), bytes.Compare(k.row, o.row),
		cmp.Compare(k.family, o.family), cmp.Compare(k.form, o.form))
	if c != 0 || k.form == FormPacked {
		return c
	}
	return cmp.Or(bytes.Compare(k.qual, o.qual), cmp.Compare(o.ts, k.ts), cmp.Compare(o.typ, k.typ))
}

func randomWideKey(r *rand.Rand) wideKey {
	k := wideKey{dataID: uint64(r.IntN(3)) + 246, row: randomBytes(r, 3), family: uint32(r.IntN(3)) + 1,
		form: byte(r.IntN(2))}
	if r.IntN(20) == 0 {
		k.dataID, k.family = randomUint(r), uint32(randomUint(r))
	}
	if k.form == FormCell {
		k.qual, k.ts, k.typ = randomBytes(r, 3), int64(r.IntN(3)), byte(4+r.IntN(11))
		if r.IntN(10) == 0 {
			k.ts = int64(randomUint(r) >> 1)
		}
	}
	return k
}

func TestWideKeyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	ks := make([]wideKey, 3000)
	for i := range ks {
		ks[i] = randomWideKey(r)
	}
	slices.SortFunc(ks, func(a, b wideKey) int { return a.compare(&b) })
	for i := range ks[1:] {
		a, b := &ks[i], &ks[i+1]
		if got, want := bytes.Compare(a.encode(), b.encode()), a.compare(b); got != want {
			t.Fatalf("%+v against %+v: bytes say %d, want %d", a, b, got, want)
		}
	}
}

func TestWideKeyRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 5000 {
		k := randomWideKey(r)
		b := k.encode()
		kept := []byte("kept")
		dataID, row, n, err := DecodeRow(kept, b)
		if err != nil {
			t.Fatalf("%+v: %v", k, err)
		}
		if dataID != k.dataID || !bytes.Equal(row, append([]byte("kept"), k.row...)) {
			t.Fatalf("%+v: row %d %q", k, dataID, row)
		}
		if n != Split(b) || !bytes.Equal(b[:n], AppendRow(nil, k.dataID, k.row)) {
			t.Fatalf("%+v: row prefix of %d bytes, Split %d", k, n, Split(b))
		}
		w, err := DecodeSuffix(nil, b[n:])
		if err != nil {
			t.Fatalf("%+v: %v", k, err)
		}
		if w.FamilyID != k.family || w.Form != k.form || !bytes.Equal(w.Qualifier, k.qual) || w.Timestamp != k.ts || w.Type != k.typ {
			t.Fatalf("%+v: decoded %+v", k, w)
		}
		// A key cut short is no key, and splits nowhere but at its end.
		for i := range b {
			if _, _, _, err := DecodeRow(nil, b[:i]); err == nil && i < n {
				t.Fatalf("%x decodes as a row", b[:i])
			}
			if got := Split(b[:i]); got != min(i, n) {
				t.Fatalf("Split(%x) = %d, want %d", b[:i], got, min(i, n))
			}
			if i >= n {
				if _, err := DecodeSuffix(nil, b[n:i]); err == nil && i < len(b) {
					t.Fatalf("%x decodes as a suffix", b[n:i])
				}
			}
		}
	}
}

// Every key of a row, and no other, lies between the row's prefix and its end;
// the same for a data id and for the cells of a family.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	in := func(k, start, end []byte) bool { return bytes.Compare(start, k) <= 0 && bytes.Compare(k, end) < 0 }
	for range 20000 {
		a, b := randomWideKey(r), randomWideKey(r)
		k := b.encode()
		start, end := AppendRow(nil, a.dataID, a.row), AppendRowEnd(nil, a.dataID, a.row)
		same := a.dataID == b.dataID && bytes.Equal(a.row, b.row)
		if in(k, start, end) != same || bytes.HasPrefix(k, start) != same {
			t.Fatalf("row of %+v, key %+v", a, b)
		}
		if a.dataID != math.MaxUint64 {
			start, end = AppendData(nil, a.dataID), AppendDataEnd(nil, a.dataID)
			if in(k, start, end) != (a.dataID == b.dataID) {
				t.Fatalf("data of %+v, key %+v", a, b)
			}
		}
		cells := AppendCells(AppendRow(nil, a.dataID, a.row), a.family)
		if bytes.HasPrefix(k, cells) != (same && a.family == b.family && b.form == FormCell) {
			t.Fatalf("cells of %+v, key %+v", a, b)
		}
		// The end of a row is not a row's prefix: nothing can lie at it.
		if Split(AppendRowEnd(nil, a.dataID, a.row)) != len(AppendRowEnd(nil, a.dataID, a.row)) {
			t.Fatalf("row end of %+v splits", a)
		}
	}
}

func TestSplitOtherSpaces(t *testing.T) {
	for _, k := range [][]byte{nil, {}, {SpaceSystem}, append([]byte{SpaceCatalog}, "a\x00\x01b"...), {SpaceNonce, 1, 2}, {SpaceWide},
		{SpaceWide, 0xFF, 1}, append([]byte{SpaceWide, 5}, "no end"...), append([]byte{SpaceWide, 5}, 'a', 0, 2, 'b')} {
		if Split(k) != len(k) {
			t.Errorf("Split(%x) = %d", k, Split(k))
		}
	}
}

func TestUvarint(t *testing.T) {
	vs := []uint64{0, 1, 0xF6, 0xF7, 0xF8, 0xFF, 0x100, 0xFFFF, 0x10000, 1<<24 - 1, 1 << 24, 1 << 32, 1 << 40, 1 << 48, 1 << 56, math.MaxUint64}
	r := rand.New(rand.NewPCG(4, 4))
	for range 2000 {
		vs = append(vs, randomUint(r))
	}
	slices.Sort(vs)
	var last []byte
	for i, v := range vs {
		b := AppendUvarint(nil, v)
		got, n := Uvarint(append(b, 0xAA))
		if got != v || n != len(b) {
			t.Fatalf("%d: decoded %d of %d bytes", v, got, n)
		}
		for j := range b {
			if _, n := Uvarint(b[:j]); n != 0 {
				t.Fatalf("%d: %x decodes", v, b[:j])
			}
		}
		if i > 0 && bytes.Compare(last, b) != cmp.Compare(vs[i-1], v) {
			t.Fatalf("%d and %d: %x and %x", vs[i-1], v, last, b)
		}
		last = b
	}
}

func TestEscaped(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 20000 {
		a, b := randomBytes(r, 5), randomBytes(r, 5)
		ea, eb := AppendEscaped(nil, a), AppendEscaped(nil, b)
		if bytes.Compare(ea, eb) != bytes.Compare(a, b) {
			t.Fatalf("%x and %x: %x and %x", a, b, ea, eb)
		}
		if !bytes.Equal(a, b) && bytes.HasPrefix(eb, ea) {
			t.Fatalf("%x is a prefix of %x", ea, eb)
		}
		got, n := Unescape(nil, append(ea, eb...))
		if n != len(ea) || !bytes.Equal(got, a) || escapedLen(ea) != n {
			t.Fatalf("%x: %x of %d bytes", a, got, n)
		}
	}
}
