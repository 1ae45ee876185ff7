package filter

import (
	"fmt"
	"testing"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// hot are filters that scans of ordinary programs run for every cell.
var hot = []string{
	`page(10)`, `first()`, `keyonly()`, `keyonly(length)`, `prefix("row")`, `stop("row9")`,
	`single("f:q3", "=", bin("value"), ifmissing)`, `value("=", bin("value"))`, `value("!=", long(7))`,
	`qualifier("=", bin("q3"))`, `qualifier("=", substring("Q3"))`, `row(">", binprefix("ro"))`,
	`columnprefix("q3")`, `columnprefixes("q1", "q3")`, `columnrange("[q2", "q4)")`, `pagination(2, 1)`,
	`timestamps(1, 2, hint)`, `fuzzy("row?00")`, `ranges("[a,b)", "[row,rox)")`, `value("=", regex("^val.*e$"))`,
	`all(prefix("row"), single("f:q3", "=", bin("value")), page(10))`,
	`one(columnprefix("q1"), columnprefix("q3"))`, `one(first(), qualifier("=", bin("q3")))`,
	`while(value("!=", bin("value")))`, `value("=", regex("^v(?=al)"))`,
}

// wideRow is one row of ten columns with 8-byte values.
func wideRow() []cell.Cell {
	var cells []cell.Cell
	for i := range 10 {
		cells = append(cells, cell.Cell{Row: []byte("row1002"), Family: []byte("f"),
			Qualifier: fmt.Appendf(nil, "q%d", i), Timestamp: 3, Type: cell.Put, Value: []byte("value...")})
	}
	return cells
}

// runRow shows every cell of a row to f, hints or not.
func runRow(f Filter, cells []cell.Cell) {
	f.FilterAllRemaining()
	f.FilterRowKey(&cells[0])
	for i := range cells {
		f.FilterAllRemaining()
		switch code := f.FilterCell(&cells[i]); {
		case code.includes():
			f.Transform(&cells[i])
		case code == SeekHint:
			f.NextHint(&cells[i])
		}
	}
	f.FilterRow()
	f.Reset()
}

// TestAllocations: what runs for every cell allocates nothing, once its buffers
// have grown.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		return // the detector drops pooled objects at random
	}
	for _, expr := range hot {
		f := decode(t, expr)
		cells := wideRow()
		allowed := 0.0
		switch expr {
		case `keyonly(length)`:
			allowed = 0.1 // a block for 256 lengths
		case `value("=", regex("^v(?=al)"))`:
			continue // regexp2 allocates a match
		}
		if n := testing.AllocsPerRun(200, func() { runRow(f, cells) }); n > allowed {
			t.Errorf("%s: %v allocations a row", expr, n)
		}
	}
}

func BenchmarkRow(b *testing.B) {
	for _, expr := range hot {
		b.Run(expr, func(b *testing.B) {
			f := decode(b, expr)
			cells := wideRow()
			b.ReportAllocs()
			for b.Loop() {
				runRow(f, cells)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, expr := range hot {
		tree, err := pack(expr)
		if err != nil {
			b.Fatal(err)
		}
		name := classPrefix + tree.class
		b.Run(expr, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(name, tree.bytes, Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
