package wide

// Writers, readers, rewrites and major compactions of the same rows at once: no
// increment is lost, no reader sees half of a row's mutation, and what a counter
// shows never falls.

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

func TestConcurrent(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			r := newScriptRun(t, v)
			r.run("table f, g")
			concurrent(t, r)
		})
	}
}

func concurrent(t *testing.T, r *scriptRun) {
	const writers, rounds = 4, 150
	ctx := context.Background()
	var stop atomic.Bool
	var readers, others sync.WaitGroup
	fail := func(f string, a ...any) {
		t.Errorf(f, a...)
		stop.Store(true)
	}
	for range writers {
		others.Add(1)
		go func() {
			defer others.Done()
			for i := range rounds {
				m := &Mutation{Kind: KindIncrement, Row: []byte("n"), TimeRange: AllTime, Cells: []cell.Cell{
					{Family: []byte("f"), Qualifier: []byte("n"), Timestamp: cell.Latest, Type: cell.Put, Value: []byte{0, 0, 0, 0, 0, 0, 0, 1}}}}
				if _, err := r.s.Mutate(ctx, r.region, m, nil); err != nil {
					fail("increment: %v", err)
				}
				same := []byte(fmt.Sprint(i))
				p := &Mutation{Kind: KindPut, Row: []byte("same")}
				for _, c := range []string{"f:a", "f:b", "g:c"} {
					x := parseColumn(c)
					x.Value = same
					p.Cells = append(p.Cells, x)
				}
				if _, err := r.s.Mutate(ctx, r.region, p, nil); err != nil {
					fail("put: %v", err)
				}
			}
		}()
	}
	for range 2 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			last := uint64(0)
			for !stop.Load() {
				var n collector
				g := &Get{Row: []byte("n"), Query: Query{TimeRange: AllTime, MaxVersions: 1, StoreLimit: -1}}
				if _, err := r.s.Get(ctx, r.region, g, &n); err != nil {
					fail("get: %v", err)
				}
				if len(n.cells) == 1 {
					now := binary.BigEndian.Uint64(n.cells[0].Value)
					if now < last {
						fail("the counter fell from %d to %d", last, now)
					}
					last = now
				}
				var same collector
				sc, err := r.s.OpenScanner(r.region, &Scan{Query: Query{TimeRange: AllTime, MaxVersions: 1, StoreLimit: -1},
					Start: []byte("same"), IncludeStart: true})
				if err != nil {
					fail("scan: %v", err)
					return
				}
				if _, err := sc.Next(ctx, &Limits{}, &same); err != nil {
					fail("scan: %v", err)
				}
				sc.Close()
				for i := range same.cells {
					if string(same.cells[i].Value) != string(same.cells[0].Value) || len(same.cells) != 3 {
						fail("half a mutation: %v", same.cells)
					}
				}
			}
		}()
	}
	others.Add(1)
	go func() {
		defer others.Done()
		for i := range 30 {
			r.rewriteRow([]byte("n"))
			r.rewriteRow([]byte("same"))
			if i%10 == 5 {
				if err := r.s.MajorCompact(ctx, r.region, nil); err != nil {
					fail("major compaction: %v", err)
				}
			}
			time.Sleep(time.Millisecond)
		}
	}()
	others.Wait()
	stop.Store(true)
	readers.Wait()
	if got := r.get("n", []string{"f:n"}); got[len(got)-len("#600\n"):] != fmt.Sprintf("#%d\n", writers*rounds) {
		t.Errorf("%d increments: %s", writers*rounds, got)
	}
}
