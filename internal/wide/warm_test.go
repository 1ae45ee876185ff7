package wide

// More scanners than iterators are kept, read in turns with pauses, forward and
// in reverse: each sees every row once, whatever became of its iterator.

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestWarmIterators(t *testing.T) {
	const rows, scanners = 60, warmCount + 8
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			r := newScriptRun(t, v)
			r.run("table f")
			ctx := context.Background()
			for i := range rows {
				x := parseColumn("f:a")
				x.Value = []byte{byte(i)}
				m := &Mutation{Kind: KindPut, Row: fmt.Appendf(nil, "%03d", i)}
				m.Cells = append(m.Cells, x)
				if _, err := r.s.Mutate(ctx, r.region, m, nil); err != nil {
					t.Fatal(err)
				}
			}
			type reading struct {
				sc   *Scanner
				got  []byte
				done bool
			}
			var all []*reading
			for i := range scanners {
				sc, err := r.s.OpenScanner(r.region, &Scan{
					Query:    Query{TimeRange: AllTime, MaxVersions: 1, StoreLimit: -1},
					Reversed: i%2 == 1, IncludeStart: true,
				})
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, &reading{sc: sc})
			}
			closed := all[3] // in the middle
			for round := 0; slices.ContainsFunc(all, func(x *reading) bool { return !x.done }); round++ {
				for i, x := range all {
					if x.done {
						continue
					}
					var out collector
					p, err := x.sc.Next(ctx, &Limits{Results: 1 + (i+round)%7}, &out)
					if err != nil {
						t.Fatal(err)
					}
					for _, c := range out.cells {
						x.got = append(x.got, c.Value...)
					}
					if x.done = p.Done; x == closed && round == 2 {
						x.done = true
						x.sc.Close()
					}
				}
				if round%5 == 4 {
					time.Sleep(warmFor * 5 / 4)
				}
			}
			for i, x := range all {
				x.sc.Close()
				if i%2 == 1 {
					slices.Reverse(x.got)
				}
				if x == closed {
					continue
				}
				if len(x.got) != rows {
					t.Fatalf("scanner %d: %d rows", i, len(x.got))
				}
				for n, b := range x.got {
					if int(b) != n {
						t.Fatalf("scanner %d: row %d is %d", i, n, b)
					}
				}
			}
			r.s.warm.mu.Lock()
			defer r.s.warm.mu.Unlock()
			for i, k := range r.s.warm.kept {
				if k.owner != nil {
					t.Errorf("iterator %d is kept after its scanner was closed", i)
				}
			}
		})
	}
}
