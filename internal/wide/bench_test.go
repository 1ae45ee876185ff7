package wide

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/pebblekv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// Benchmarks over Pebble on a real file system, 1,000-byte values as
// PerformanceEvaluation writes them.

const benchRows = 50_000

type benchTable struct {
	s      *Store
	region *catalog.Region
	value  []byte
}

func newBenchTable(b *testing.B, fill bool) *benchTable {
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	e, err := pebblekv.Open(pebblekv.Options{Dir: b.TempDir(), Merger: cell.Merger{}, Sync: kv.SyncOS, Logger: quiet})
	if err != nil {
		b.Fatal(err)
	}
	s, err := New(e, Options{Logger: quiet})
	if err != nil {
		b.Fatal(err)
	}
	t := &catalog.Table{Name: catalog.ParseTableName("t"), DataIDs: []uint64{7}, NextFamilyID: 1,
		Families: []*catalog.Family{{Name: []byte("f"), MaxVersions: 1, TTLSeconds: catalog.Forever}}}
	bt := &benchTable{s: s, region: &catalog.Region{Table: t, Name: []byte("t,,1")}, value: make([]byte, 1000)}
	for i := range bt.value {
		bt.value[i] = byte(' ' + rand.IntN(90))
	}
	b.Cleanup(func() {
		s.Close()
		e.Close()
	})
	if fill {
		for i := 0; i < benchRows; i += 500 {
			var ms []*Mutation
			for j := i; j < i+500; j++ {
				ms = append(ms, bt.put(j))
			}
			bt.s.MutateBatch(context.Background(), bt.region, ms, make([]error, len(ms)))
		}
		if err := e.Flush(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	return bt
}

func benchRow(i int) []byte { return fmt.Appendf(nil, "%026d", i) }

func (t *benchTable) put(i int) *Mutation {
	return &Mutation{Kind: KindPut, Row: benchRow(i), Cells: []cell.Cell{
		{Family: []byte("f"), Qualifier: []byte("0"), Timestamp: cell.Latest, Type: cell.Put, Value: t.value}}}
}

type discard struct{ n int }

func (d *discard) Cell(c *cell.Cell) { d.n += len(c.Value) }
func (d *discard) EndResult(bool)    {}

func BenchmarkGet(b *testing.B) {
	t := newBenchTable(b, true)
	q := Query{TimeRange: AllTime, MaxVersions: 1, StoreLimit: -1, Columns: []Column{{Family: []byte("f")}}}
	var d discard
	b.ReportAllocs()
	for b.Loop() {
		g := Get{Row: benchRow(rand.IntN(benchRows)), Query: q}
		if _, err := t.s.Get(context.Background(), t.region, &g, &d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPut(b *testing.B) {
	t := newBenchTable(b, false)
	b.ReportAllocs()
	for b.Loop() {
		m := t.put(rand.IntN(1e9))
		if _, err := t.s.Mutate(context.Background(), t.region, m, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPutBatch500(b *testing.B) {
	t := newBenchTable(b, false)
	b.ReportAllocs()
	for b.Loop() {
		var ms []*Mutation
		for range 500 {
			ms = append(ms, t.put(rand.IntN(1e9)))
		}
		t.s.MutateBatch(context.Background(), t.region, ms, make([]error, len(ms)))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/500, "ns/row")
}

func BenchmarkIncrement(b *testing.B) {
	t := newBenchTable(b, false)
	b.ReportAllocs()
	for b.Loop() {
		m := &Mutation{Kind: KindIncrement, Row: benchRow(rand.IntN(benchRows)), TimeRange: AllTime, Nonce: rand.Uint64() | 1,
			Cells: []cell.Cell{{Family: []byte("f"), Qualifier: []byte("n"), Timestamp: cell.Latest, Type: cell.Put, Value: []byte{0, 0, 0, 0, 0, 0, 0, 1}}}}
		if _, err := t.s.Mutate(context.Background(), t.region, m, nil); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	t := newBenchTable(b, true)
	q := Query{TimeRange: AllTime, MaxVersions: 1, StoreLimit: -1}
	var d discard
	b.ReportAllocs()
	rows := 0
	for b.Loop() {
		sc, err := t.s.OpenScanner(t.region, &Scan{Query: q, IncludeStart: true})
		if err != nil {
			b.Fatal(err)
		}
		for {
			p, err := sc.Next(context.Background(), &Limits{Results: 100}, &d)
			if err != nil {
				b.Fatal(err)
			}
			rows += p.Rows
			if p.Done {
				break
			}
		}
		sc.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
}
