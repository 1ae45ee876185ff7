package cell

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// benchRow is a packed row of n cells with values of size bytes, and its
// qualifiers.
func benchRow(n, size int) (value []byte, quals [][]byte) {
	var cells []Cell
	for i := range n {
		q := fmt.Appendf(nil, "field%03d", i)
		quals = append(quals, q)
		cells = append(cells, Cell{Qualifier: q, Timestamp: 1700000000000, Type: Put, Value: make([]byte, size)})
	}
	return AppendPacked(nil, cells, nil, false), quals
}

// benchOperands are n operands of one cell each.
func benchOperands(n, size int) [][]byte {
	r := rand.New(rand.NewPCG(1, 1))
	values := make([][]byte, n)
	for i := range values {
		values[i] = AppendPacked(nil, []Cell{{Qualifier: fmt.Appendf(nil, "field%03d", r.IntN(100)),
			Timestamp: 1700000001000 + int64(i), Type: Put, Value: make([]byte, size)}}, nil, false)
	}
	return values
}

func fold(b *testing.B, values ...[]byte) []byte {
	v, err := Merger{}.Fold(nil, values)
	if err != nil {
		b.Fatal(err)
	}
	return v
}

func BenchmarkGetColumn(b *testing.B) {
	f := func(name string, value []byte, quals [][]byte) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var p Packed
			var it Iter
			var c Cell
			i := 0
			for b.Loop() {
				if err := p.Reset(value); err != nil {
					b.Fatal(err)
				}
				it.Init(&p)
				it.SeekQualifier(quals[i*37%len(quals)])
				if !it.Next(&c) {
					b.Fatal("no cell")
				}
				i++
			}
		})
	}
	v, q := benchRow(1, 1000)
	f("1of1x1000B", v, q)
	v, q = benchRow(10, 100)
	f("1of10x100B", v, q)
	v, q = benchRow(100, 20)
	f("1of100x20B", v, q)
	ops := benchOperands(7, 20)
	f("1of100x20B/2parts", fold(b, v, ops[0]), q)
	f("1of100x20B/8parts", fold(b, append([][]byte{v}, ops...)...), q)
	v, q = benchRow(1000, 20)
	f("1of1000x20B", v, q)
}

func BenchmarkGet20Columns(b *testing.B) {
	v, q := benchRow(100, 20)
	b.ReportAllocs()
	var p Packed
	var it Iter
	var c Cell
	for b.Loop() {
		if err := p.Reset(v); err != nil {
			b.Fatal(err)
		}
		it.Init(&p)
		for i := 0; i < 100; i += 5 {
			it.SeekQualifier(q[i])
			if !it.Next(&c) {
				b.Fatal("no cell")
			}
		}
	}
}

func BenchmarkIterate(b *testing.B) {
	f := func(name string, value []byte, cells int) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var p Packed
			var it Iter
			var c Cell
			for b.Loop() {
				if err := p.Reset(value); err != nil {
					b.Fatal(err)
				}
				it.Init(&p)
				n := 0
				for it.Next(&c) {
					n++
				}
				if n != cells {
					b.Fatal(n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(cells), "ns/cell")
		})
	}
	v, _ := benchRow(1, 1000)
	f("1x1000B", v, 1)
	v, _ = benchRow(10, 100)
	f("10x100B", v, 10)
	v, _ = benchRow(100, 20)
	f("100x20B", v, 100)
	ops := benchOperands(7, 20)
	cells := func(v []byte) int {
		var p Packed
		var it Iter
		n := 0
		if err := p.Reset(v); err != nil {
			b.Fatal(err)
		}
		for it.Init(&p); it.Next(new(Cell)); n++ {
		}
		return n
	}
	two, eight := fold(b, v, ops[0]), fold(b, append([][]byte{v}, ops...)...)
	f("100x20B/2parts", two, cells(two))
	f("100x20B/8parts", eight, cells(eight))
}

func BenchmarkAppendPacked(b *testing.B) {
	f := func(n, size int) {
		b.Run(fmt.Sprintf("%dx%dB", n, size), func(b *testing.B) {
			b.ReportAllocs()
			var cells []Cell
			for i := range n {
				cells = append(cells, Cell{Qualifier: fmt.Appendf(nil, "field%03d", i), Timestamp: 1700000000000, Type: Put, Value: make([]byte, size)})
			}
			var buf []byte
			for b.Loop() {
				buf = AppendPacked(buf[:0], cells, nil, false)
			}
			b.ReportMetric(float64(len(buf)), "bytes")
		})
	}
	f(1, 1000)
	f(10, 100)
	f(100, 20)
}

func BenchmarkFold(b *testing.B) {
	f := func(name string, values [][]byte) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			var err error
			for b.Loop() {
				if buf, err = (Merger{}).Fold(buf[:0], values); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(len(buf)), "bytes")
		})
	}
	base, _ := benchRow(100, 20)
	for _, n := range []int{1, 4, 8, 16, 64, 1024, 8192} {
		f(fmt.Sprintf("base+%d", n), append([][]byte{base}, benchOperands(n, 20)...))
	}
	f("8ops", benchOperands(8, 20))
	f("9ops", benchOperands(9, 20))
	large, _ := benchRow(600, 100)
	f("60KiB+16", append([][]byte{large}, benchOperands(16, 100)...))
}
