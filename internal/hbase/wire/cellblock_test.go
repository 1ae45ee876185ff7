package wire

// Cells survive encoding and decoding; damaged blocks give errors, never panics,
// and never cells that reach outside the block.

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

var codecs = []Codec{KeyValueCodec, KeyValueCodecWithTags, CellCodec}

func TestKeyValueVector(t *testing.T) {
	c := cell.Cell{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("q"), Value: []byte("v"), Timestamp: 1, Type: cell.Put}
	f := func(codec Codec, want string) {
		t.Helper()
		got := AppendCell([]byte("x"), codec, &c)
		if h := hex.EncodeToString(got[1:]); h != strings.ReplaceAll(want, " ", "") {
			t.Errorf("codec %d: %s", codec, h)
		}
	}
	f(KeyValueCodec, "00000018 0000000f 00000001 0001 72 01 66 71 0000000000000001 04 76")
	f(CellCodec, "00000001 72 00000001 66 00000001 71 0000000000000001 04 00000001 76 0000000000000000")
	c.Tags = []byte("\x00\x02\x08t")
	f(KeyValueCodec, "00000018 0000000f 00000001 0001 72 01 66 71 0000000000000001 04 76")
	f(KeyValueCodecWithTags, "0000001e 0000000f 00000001 0001 72 01 66 71 0000000000000001 04 76 0004 00020874")
}

func randomCell(r *rand.Rand) cell.Cell {
	b := func(n int) []byte {
		b := make([]byte, r.IntN(n+1))
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	types := []cell.Type{cell.Put, cell.Delete, cell.DeleteFamilyVersion, cell.DeleteColumn, cell.DeleteFamily}
	c := cell.Cell{Row: b(20), Family: b(5), Qualifier: b(20), Value: b(50), Timestamp: r.Int64(), Type: types[r.IntN(5)]}
	if r.IntN(3) == 0 {
		c.Tags = append(binary.BigEndian.AppendUint16(nil, 3), 8, 1, 2)
	}
	return c
}

// same compares cells; an empty slice and none are the same.
func same(a, b cell.Cell) bool {
	for _, p := range []*[]byte{&a.Row, &a.Family, &a.Qualifier, &a.Value, &a.Tags, &b.Row, &b.Family, &b.Qualifier, &b.Value, &b.Tags} {
		if len(*p) == 0 {
			*p = nil
		}
	}
	return reflect.DeepEqual(a, b)
}

func TestCellBlockRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 300 {
		for _, codec := range codecs {
			var block []byte
			var in []cell.Cell
			for range r.IntN(10) {
				c := randomCell(r)
				before := len(block)
				block = AppendCell(block, codec, &c)
				if size := KeyValueSize(&c, codec == KeyValueCodecWithTags); codec != CellCodec && len(block)-before != size {
					t.Fatalf("%d bytes, KeyValueSize says %d", len(block)-before, size)
				}
				if codec != KeyValueCodecWithTags {
					c.Tags = nil
				}
				in = append(in, c)
			}
			cells := NewCells(codec, block)
			var c cell.Cell
			for i := range in {
				if !cells.Next(&c) || !same(c, in[i]) {
					t.Fatalf("codec %d, cell %d: got %v, want %v; %v", codec, i, c, in[i], cells.Err())
				}
			}
			if cells.Next(&c) || cells.Err() != nil || cells.Rest() != 0 {
				t.Fatalf("no clean end: %v", cells.Err())
			}
			skip := NewCells(codec, block)
			n := 0
			if len(in) > 0 {
				n = r.IntN(len(in))
			}
			if err := skip.Skip(n); err != nil {
				t.Fatal(err)
			}
			if n < len(in) && (!skip.Next(&c) || !same(c, in[n])) {
				t.Fatalf("after skipping %d: %v", n, c)
			}
			if err := skip.Skip(len(in) + 1); !errors.Is(err, ErrMalformed) {
				t.Fatalf("skipping past the end: %v", err)
			}
		}
	}
}

// TestSkipPassesMalformedCell: the cells of a failed action are stepped over
// even when one of them is what made it fail.
func TestSkipPassesMalformedCell(t *testing.T) {
	a := cell.Cell{Row: []byte("a"), Family: []byte("f"), Timestamp: 1, Type: cell.Put}
	b := cell.Cell{Row: []byte("b"), Family: []byte("f"), Timestamp: 1, Type: cell.Put}
	block := AppendKeyValue(nil, &a, false)
	block[15] = 200 // the family's length
	cells := NewCells(KeyValueCodec, AppendKeyValue(block, &b, false))
	start := cells
	var c cell.Cell
	if cells.Next(&c) || !errors.Is(cells.Err(), ErrMalformed) {
		t.Fatalf("a family longer than its key decodes: %v", cells.Err())
	}
	cells = start
	if err := cells.Skip(1); err != nil {
		t.Fatal(err)
	}
	if !cells.Next(&c) || string(c.Row) != "b" {
		t.Fatalf("%v, %v", c, cells.Err())
	}
}

// TestMutatedCellBlocks is case B06: a block cut at every byte, and with every
// position taken for a length and set to values that lie.
func TestMutatedCellBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	tried := 0
	for tried < 10000 {
		for _, codec := range codecs {
			var block []byte
			for range 1 + r.IntN(3) {
				c := randomCell(r)
				block = AppendCell(block, codec, &c)
			}
			for i := range block {
				walk(t, codec, block[:i])
				tried++
				if i+4 > len(block) {
					continue
				}
				for _, v := range []uint32{0, 1, 1<<31 - 1, 1<<32 - 1, uint32(len(block))} {
					m := append([]byte(nil), block...)
					binary.BigEndian.PutUint32(m[i:], v)
					walk(t, codec, m)
					tried++
				}
			}
		}
	}
}

// walk decodes a block to its end or first error. The cells may not be larger
// than the block, all together.
func walk(t *testing.T, codec Codec, block []byte) {
	t.Helper()
	cells, total := NewCells(codec, block), 0
	var c cell.Cell
	for cells.Next(&c) {
		total += len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value) + len(c.Tags) + 20
	}
	if total > len(block) {
		t.Fatalf("codec %d: %d bytes of cells out of %d of %x", codec, total, len(block), block)
	}
	if err := cells.Err(); err == nil && cells.Rest() != 0 || err != nil && !errors.Is(err, ErrMalformed) {
		t.Fatalf("codec %d: %d left, %v", codec, cells.Rest(), err)
	}
	skip := NewCells(codec, block)
	_ = skip.Skip(1 << 20)
}

func FuzzCells(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, codec := range codecs {
		c := randomCell(r)
		f.Add(uint8(codec), AppendCell(nil, codec, &c))
	}
	f.Fuzz(func(t *testing.T, codec uint8, block []byte) {
		walk(t, Codec(codec%4), block)
		if codec%4 != uint8(KeyValueCodecWithTags) {
			return
		}
		// A KeyValue that decodes is encoded in one way only.
		cells := NewCells(KeyValueCodecWithTags, block)
		var c cell.Cell
		at := 0
		for cells.Next(&c) {
			b := AppendKeyValue(nil, &c, true)
			end := len(block) - cells.Rest()
			if got := block[at:end]; string(got) != string(b) && len(c.Tags) > 0 {
				t.Errorf("%x decodes and encodes as %x", got, b)
			}
			at = end
		}
	})
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	c := cell.Cell{Row: []byte("row"), Family: []byte("f"), Qualifier: []byte("q"), Value: make([]byte, 100), Timestamp: 1, Type: cell.Put}
	block := AppendKeyValue(AppendKeyValue(nil, &c, false), &c, false)
	out := make([]byte, 0, 1000)
	if n := testing.AllocsPerRun(100, func() {
		cells := NewCells(KeyValueCodec, block)
		var c cell.Cell
		for out = out[:0]; cells.Next(&c); {
			out = AppendKeyValue(out, &c, false)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if string(out) != string(block) {
		t.Error("the block changed on its way")
	}
}

func BenchmarkKeyValue(b *testing.B) {
	c := cell.Cell{Row: []byte("user6284781860667377211"), Family: []byte("f"), Qualifier: []byte("field0"), Value: make([]byte, 100), Timestamp: 1, Type: cell.Put}
	var out []byte
	for b.Loop() {
		out = AppendKeyValue(out[:0], &c, false)
		cells := NewCells(KeyValueCodec, out)
		if !cells.Next(&c) {
			b.Fatal(cells.Err())
		}
	}
}
