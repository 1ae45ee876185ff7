package hbase

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

// TestTableChangesUnderLoad changes the table again and again under calls of
// all kinds: none may fail but for a scanner, which the client opens again, and
// no write may be lost.
func TestTableChangesUnderLoad(t *testing.T) {
	f := newFixture(t, Limits{})
	region := f.region("t", "")
	const clients, rounds = 4, 50
	call := func(method string, param message, block []byte) error {
		return f.methods[method].Handle(context.Background(), &rpc.Call{Client: f.client, Param: param, Cells: block}, new(rpc.Reply))
	}
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range rounds {
				row := fmt.Sprintf("c%d-%02d", c, i)
				var block []byte
				multi := message{}.bytes(1, message{}.bytes(1, region).
					bytes(3, action(0, 2, blockPut(&block, row, "f", "v"))).
					bytes(3, action(1, 2, increment(row, "n", 1))).
					bytes(3, action(2, 3, getProto(row))))
				for method, param := range map[string]message{
					"Get":    message{}.bytes(1, region).bytes(2, getProto(row)),
					"Mutate": message{}.bytes(1, region).bytes(2, putProto(row, "g", "q", "v")),
					"Multi":  multi,
					"Scan":   message{}.bytes(1, region).bytes(2, message{}).num(4, 2).flag(5, true),
				} {
					err := call(method, param, block)
					if e, ok := err.(*rpc.Error); ok && method == "Scan" && e.Class == classNotServingRegion {
						continue
					}
					if err != nil {
						t.Errorf("%s: %v", method, err)
					}
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	name := catalog.ParseTableName("t")
	for i := 0; ; i++ {
		select {
		case <-done:
			for c := range clients {
				for i := range rounds {
					if row := fmt.Sprintf("c%d-%02d", c, i); len(f.row(row)) != 3 {
						t.Errorf("%s: %v", row, f.row(row))
					}
				}
			}
			if n := f.OpenScanners(); n != 0 {
				t.Errorf("%d scanners left open", n)
			}
			return
		default:
		}
		if err := f.catalog.AddFamily(name, &catalog.FamilySchema{Name: fmt.Append(nil, "h", i)}); err != nil {
			t.Fatal(err)
		}
		if err := f.catalog.DropFamily(name, fmt.Append(nil, "h", i)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestScannersConcurrently opens, reads, closes and loses scanners from many
// goroutines at once.
func TestScannersConcurrently(t *testing.T) {
	f := newFixture(t, Limits{MaxScanners: 50})
	f.fill(5, 1)
	var wg sync.WaitGroup
	open := f.open(message{}).num(4, 1)
	for c := range 4 {
		wg.Go(func() {
			for i := range 100 {
				r := new(rpc.Reply)
				if err := f.methods["Scan"].Handle(context.Background(), &rpc.Call{Client: f.client, Param: open}, r); err != nil {
					continue // too many
				}
				id := parse(t, r.Message).num(2)
				switch (c + i) % 4 {
				case 0:
					f.clock.Add(20_000)
					f.scanners.expire()
				default:
					param := f.next(id)
					if i%2 == 0 {
						param = param.flag(5, true)
					}
					_ = f.methods["Scan"].Handle(context.Background(), &rpc.Call{Client: f.client, Param: param}, new(rpc.Reply))
				}
			}
		})
	}
	wg.Wait()
	f.clock.Add(120_000)
	f.scanners.expire()
	if n := f.OpenScanners(); n != 0 {
		t.Errorf("%d scanners left", n)
	}
}
