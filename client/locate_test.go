package client_test

// The right region is found for every row, whatever the names and keys are, and
// however much regions change.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// TestLongRows: keys up to the limit, whose keys in hbase:meta would be longer
// than the limit, are found; longer ones are refused at once.
func TestLongRows(t *testing.T) {
	noLeaks(t)
	target := targetOf(t)
	c := open(t, target, client.Config{OperationTimeout: 20 * time.Second})
	name := makeTable(t, c, "k").Name()
	ctx := context.Background()
	for _, n := range []int{32766, 32767} {
		for _, first := range []string{"a", "k", "z"} {
			row := append(b(first), bytes.Repeat([]byte{0xff}, n-1)...)
			// A client with an empty cache.
			fresh := open(t, target, client.Config{OperationTimeout: 20 * time.Second})
			table := fresh.Table(name)
			if err := table.Put(ctx, client.NewPut(row).Add("f", b("q"), b("v"))); err != nil {
				t.Fatalf("%s, %d bytes: %v", first, n, err)
			}
			for _, reversed := range []bool{false, true} {
				got := table.Scan(client.NewScan().WithStartRow(row, true).SetLimit(1).SetReversed(reversed))
				if !got.Next(ctx) || !bytes.Equal(got.Result().Row(), row) {
					t.Errorf("%s, %d bytes, reversed %v: %v", first, n, reversed, got.Err())
				}
				got.Close()
			}
			if r, err := table.Get(ctx, client.NewGet(row)); err != nil || r.Empty() {
				t.Error(err)
			}
			fresh.Close()
		}
	}
	table := c.Table(name)
	for _, row := range [][]byte{make([]byte, 32768), nil} {
		start := time.Now()
		for _, err := range []error{
			table.Put(ctx, client.NewPut(row).Add("f", b("q"), b("v"))),
			table.Delete(ctx, client.NewDelete(row)),
			last(table.Increment(ctx, client.NewIncrement(row).Add("f", b("q"), 1))),
			last(table.Get(ctx, client.NewGet(row))),
			last(table.Batch(ctx, []client.Op{client.NewGet(row)})),
		} {
			if !errors.Is(err, client.ErrInvalid) {
				t.Errorf("a row of %d bytes: %v", len(row), err)
			}
		}
		if d := time.Since(start); d > 100*time.Millisecond {
			t.Errorf("it took %v", d)
		}
	}
}

func last[T any](_ T, err error) error { return err }

// TestNamesAndBorders: tables whose names begin alike, with regions that start
// at bytes that mean something in hbase:meta.
func TestNamesAndBorders(t *testing.T) {
	noLeaks(t)
	target := targetOf(t)
	c := open(t, target, client.Config{})
	admin, ctx := c.Admin(), context.Background()
	base := fmt.Sprintf("gocl_%d_t", os.Getpid())
	if err := admin.CreateNamespace(ctx, base); err != nil {
		t.Fatal(err)
	}
	borders := [][]byte{{0}, {0, 0}, []byte(","), []byte(",,"), []byte("m"), {0xff}, {0xff, 0xff}}
	names := []string{base, base + "1", base + "-1", base + ".", base + "_", base + ":" + base}
	for _, name := range names {
		d := client.TableDescriptor{Name: name, Families: []client.FamilyDescriptor{client.Family("f")}}
		if err := admin.CreateTable(ctx, d, borders...); err != nil {
			t.Fatal(err)
		}
	}
	var keys [][]byte
	for _, border := range append([][]byte{[]byte(" "), []byte("-"), []byte("zz")}, borders...) {
		keys = append(keys, border, append(slices.Clone(border), 0), append(slices.Clone(border), 0xff))
		if n := len(border) - 1; border[n] > 0 {
			before := slices.Clone(border)
			before[n]--
			keys = append(keys, before)
		}
	}
	slices.SortFunc(keys, bytes.Compare)
	keys = slices.CompactFunc(keys, bytes.Equal)
	for _, name := range names {
		for _, key := range keys {
			// Each key is looked up by itself.
			fresh := open(t, target, client.Config{})
			if err := fresh.Table(name).Put(ctx, client.NewPut(key).Add("f", nil, b(name))); err != nil {
				t.Fatalf("%s %q: %v", name, key, err)
			}
			fresh.Close()
		}
	}
	for _, name := range names {
		table := open(t, target, client.Config{}).Table(name)
		regions, err := table.Regions(ctx)
		if err != nil || len(regions) != len(borders)+1 {
			t.Fatalf("%s: %d regions, %v", name, len(regions), err)
		}
		for i, r := range regions {
			if r.Table != strings.TrimPrefix(name, "default:") || i > 0 && !bytes.Equal(r.Start, borders[i-1]) {
				t.Errorf("%s: region %d is %q", name, i, r.Name)
			}
		}
		for _, reversed := range []bool{false, true} {
			want := slices.Clone(keys)
			if reversed {
				slices.Reverse(want)
			}
			var got [][]byte
			for r, err := range open(t, target, client.Config{}).Table(name).Scan(client.NewScan().SetReversed(reversed)).Rows(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, r.Row()); string(r.Value("f", nil)) != name {
					t.Errorf("%s: row %q is of table %s", name, r.Row(), r.Value("f", nil))
				}
			}
			if !slices.EqualFunc(got, want, bytes.Equal) {
				t.Errorf("%s, reversed %v: %q, want %q", name, reversed, got, want)
			}
		}
		if err := admin.DisableTable(ctx, name); err != nil {
			t.Fatal(err)
		}
		if err := admin.DeleteTable(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := admin.DeleteNamespace(ctx, base); err != nil {
		t.Fatal(err)
	}
}

// TestManyRegionsShuffled: 256 regions are merged, split and dealt out anew, and
// servers cut off, under load. Each increment is counted once, and none is left
// when that ends.
func TestManyRegionsShuffled(t *testing.T) {
	noLeaks(t)
	var splits []string
	for i := 1; i < 256; i++ {
		splits = append(splits, fmt.Sprintf("%03d", i))
	}
	f := newFake(t, 3, splits...)
	var mu sync.Mutex
	counted := map[uint64]bool{} // by nonce
	for i, s := range f.servers {
		s.set(func(c *fakeCall) {
			has := func(region, row string) bool {
				f.mu.Lock()
				defer f.mu.Unlock()
				for _, r := range f.regions {
					if r.name() == region {
						return r.server == i && r.start <= row && (r.end == "" || row < r.end)
					}
				}
				return false
			}
			var r pb.MutateRequest
			if err := r.Decode(c.param); err != nil || c.method != "Mutate" {
				t.Errorf("%s: %v", c.method, err)
				return
			}
			if !has(string(r.Region.Value), string(r.Mutation.Row)) {
				c.fail(pb.Exception{Class: notHere})
				return
			}
			mu.Lock()
			counted[r.Mutation.Nonce] = true
			mu.Unlock()
			c.reply(pb.AppendMutateResponse(nil, &pb.Result{}, true), nil)
		})
	}
	config := quick()
	config.OperationTimeout, config.RPCTimeout = 20*time.Second, time.Second
	table := open(t, f.target(), config).Table("t")
	var stop atomic.Bool
	var acknowledged atomic.Int64
	var work sync.WaitGroup
	for i := range 16 {
		work.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(i), 2))
			for !stop.Load() {
				row := fmt.Sprintf("%03d", rnd.IntN(256))
				if _, err := table.Increment(context.Background(), client.NewIncrement(b(row)).Add("f", nil, 1)); err != nil {
					t.Error(row, err)
					return
				}
				acknowledged.Add(1)
			}
		})
	}
	regions := func(n int) (all []fakeRegion) {
		start := ""
		for i := range n {
			end := ""
			if i < n-1 {
				end = fmt.Sprintf("%03d", (i+1)*256/n)
			}
			all = append(all, fakeRegion{start, end, rand.IntN(3)})
			start = end
		}
		return all
	}
	for i := range 30 {
		n := []int{32, 256, 100, 256}[i%4]
		f.mu.Lock()
		f.regions = regions(n)
		f.mu.Unlock()
		if i%3 == 0 {
			f.servers[i/3%3].cut()
		}
		time.Sleep(30 * time.Millisecond)
	}
	stop.Store(true)
	start := time.Now()
	work.Wait()
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("requests took %v after all was quiet", d)
	}
	if n := acknowledged.Load(); n == 0 || int64(len(counted)) != n {
		t.Errorf("%d increments were acknowledged, %d carried out", n, len(counted))
	}
}

// TestLastRegionGone: the last region that is known of a server is dropped while
// the connection to it ends, again and again.
func TestLastRegionGone(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 2)
	var n atomic.Int32
	f.handle(func(c *fakeCall) {
		switch n.Add(1) % 5 {
		case 0:
			f.move(0, int(n.Load())%2)
			c.fail(pb.Exception{Class: notHere})
			c.conn.Close()
		case 1:
			c.conn.Close()
			f.move(0, int(n.Load())%2)
		default:
			c.ok()
		}
	})
	config := quick()
	config.Pause = time.Millisecond
	config.OperationTimeout = 20 * time.Second
	table := open(t, f.target(), config).Table("t")
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() {
			for k := range 50 {
				if err := table.Put(context.Background(), putRow(fmt.Sprint(i, k))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
}
