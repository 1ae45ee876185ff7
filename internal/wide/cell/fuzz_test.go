package cell

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// What the fuzz tests want to show: bytes that are not ours give an error and
// nothing worse, and what one decoder takes for good the others do too.

func packedSeeds() [][]byte {
	r := rand.New(rand.NewPCG(3, 3))
	seeds := [][]byte{{0x10}, {0x11}, {0x10, 0x09, 1, 0, 0, 0, 0, 0, 0, 0, 1}}
	var values [][]byte
	for i := range 12 {
		o := randomOperand(r, 1+i*5, 20)
		values = append(values, o.encode())
		v, err := Merger{}.Fold(nil, values)
		if err != nil {
			panic(err)
		}
		seeds = append(seeds, values[i], v)
	}
	return seeds
}

func FuzzPacked(f *testing.F) {
	for _, s := range packedSeeds() {
		f.Add(s, []byte("q1"), int64(1002))
	}
	f.Fuzz(func(t *testing.T, value, qualifier []byte, ts int64) {
		var p Packed
		if err := p.Reset(value); err != nil {
			if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrVersion) {
				t.Fatal(err)
			}
			return
		}
		if p.Cells() > len(value) {
			t.Fatalf("%d cells in %d bytes", p.Cells(), len(value))
		}
		var it Iter
		it.Init(&p)
		var c Cell
		n := 0
		var all []Cell
		for ; it.Next(&c); n++ {
			if n > len(value) {
				t.Fatal("more cells than bytes")
			}
			if !c.Type.Valid() || it.Stub() && c.Value != nil {
				t.Fatalf("%v", &c)
			}
			all = append(all, c)
		}
		sorted := it.Err() == nil && slices.IsSortedFunc(all, func(a, b Cell) int { return Compare(&a, &b) })

		it.Init(&p)
		it.Seek(qualifier, ts, Put)
		for it.Next(&c) {
			if sorted && p.Parts() == 1 && Compare(&c, &Cell{Qualifier: qualifier, Timestamp: ts, Type: Put}) < 0 {
				// Only restarts that point elsewhere may do this.
				if p.Cells() <= restartInterval {
					t.Fatalf("%v before what was sought", &c)
				}
			}
		}
		it.Init(&p)
		for it.SeekQualifier(qualifier); it.Next(&c); it.SkipColumn() {
		}
		it.Seek(nil, ts, DeleteFamily)
		it.SeekQualifier(qualifier)
		it.Next(&c)
	})
}

func FuzzFold(f *testing.F) {
	seeds := packedSeeds()
	for i := range seeds {
		f.Add(seeds[i], seeds[(i+1)%len(seeds)], uint8(i))
	}
	f.Fuzz(func(t *testing.T, a, b []byte, n uint8) {
		values := [][]byte{a}
		for range n % 12 {
			values = append(values, b)
		}
		v, err := Merger{}.Fold([]byte("kept"), values)
		if err != nil {
			if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrVersion) {
				t.Fatal(err)
			}
			return
		}
		if !bytes.HasPrefix(v, []byte("kept")) {
			t.Fatal("dst was overwritten")
		}
		var p Packed
		if err := p.Reset(v[4:]); err != nil {
			t.Fatalf("Fold wrote what Reset refuses: %v", err)
		}
	})
}

func FuzzCellValue(f *testing.F) {
	f.Add(AppendCellValue(nil, &Cell{Value: []byte("v")}))
	f.Add(AppendCellValue(nil, &Cell{Value: []byte("v"), Seq: 300, Tags: AppendTTLTag(nil, 5)}))
	f.Add([]byte{0x13, 0xFF, 0xFF})
	f.Fuzz(func(t *testing.T, b []byte) {
		var c, d Cell
		if err := DecodeCellValue(b, &c); err != nil {
			return
		}
		if err := DecodeCellValue(AppendCellValue(nil, &c), &d); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.Value, d.Value) || !bytes.Equal(c.Tags, d.Tags) || c.Seq != d.Seq {
			t.Fatalf("%+v, then %+v", c, d)
		}
	})
}

func FuzzTags(f *testing.F) {
	f.Add(AppendTTLTag([]byte{0, 2, 1, 'x'}, 77), int64(5))
	f.Add([]byte{0, 0, 8}, int64(0))
	f.Add([]byte{0, 9, 8, 1}, int64(1))
	f.Fuzz(func(t *testing.T, tags []byte, ttl int64) {
		got := ReplaceTTL(nil, tags, ttl)
		if ttl <= 0 {
			if !bytes.Equal(got, tags) {
				t.Fatal("tags changed")
			}
			return
		}
		if ms, ok := TTL(got); !ok || ms != ttl {
			t.Fatalf("TTL %d %v, want %d", ms, ok, ttl)
		}
		if len(got) > len(tags)+11 {
			t.Fatal("tags grew")
		}
	})
}
