package wide

// A hint of a filter never passes over the markers of the whole family, which
// are in the column without a name, behind its newer cells.

import (
	"context"
	"testing"

	"github.com/basaltdb/basalt/internal/wide/cell"
	"github.com/basaltdb/basalt/internal/wide/filter"
)

func TestHintsSeeMarkers(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			r := newScriptRun(t, v)
			r.run("table f versions=5, g versions=5")
			ctx := context.Background()
			write := func(kind Kind, cells ...cell.Cell) {
				t.Helper()
				m := &Mutation{Kind: kind, Row: []byte("r"), Cells: cells, TimeRange: AllTime}
				if _, err := r.s.Mutate(ctx, r.region, m, nil); err != nil {
					t.Fatal(err)
				}
			}
			at := func(family, qualifier string, ts int64, typ cell.Type, size int) cell.Cell {
				return cell.Cell{Family: []byte(family), Qualifier: []byte(qualifier), Timestamp: ts, Type: typ, Value: make([]byte, size)}
			}
			for _, f := range []string{"f", "g"} {
				write(KindPut, at(f, "a", 3, cell.Put, 5000), at(f, "a", 5, cell.Put, 1), at(f, "b", 2, cell.Put, 1))
				write(KindDelete, at(f, "", 4, cell.DeleteFamily, 0))
				write(KindPut, at(f, "", 6, cell.Put, 1), at(f, "", 1, cell.Put, 1))
			}
			for _, prefix := range []string{"a", "b"} {
				f, err := filter.Decode("org.apache.hadoop.hbase.filter.ColumnPrefixFilter", append([]byte{0x0a, 1}, prefix...), filter.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				q := Query{TimeRange: AllTime, MaxVersions: 5, StoreLimit: -1, Filter: f}
				var got collector
				if _, err := r.s.Get(ctx, r.region, &Get{Row: []byte("r"), Query: q}, &got); err != nil {
					t.Fatal(err)
				}
				want := map[string]int{"a": 2, "b": 0}[prefix]
				if len(got.cells) != want {
					t.Errorf("prefix %s: %d cells, want %d", prefix, len(got.cells), want)
				}
			}
		})
	}
}
