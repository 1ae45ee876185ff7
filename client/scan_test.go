package client_test

// Scans agree with a plain model, whatever their bounds, direction, sizes and
// mode; and go on where they were when regions split, move, or leases end.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/basaltdb/basalt/basalttest"
	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/client/filter"
)

// fill writes rows 000 to n-1 with three columns each, and returns how each row
// reads.
func fill(t testing.TB, table *client.Table, n int) []string {
	t.Helper()
	m := table.Mutator(client.MutatorConfig{BufferBytes: 64 << 10})
	var want []string
	for i := range n {
		row := b(fmt.Sprintf("%03d", i))
		p := client.NewPut(row).Add("f", b("a"), row).Add("f", b("b"), b(strings.Repeat("x", i%50))).Add("g", b("c"), row)
		if err := m.Add(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		want = append(want, fmt.Sprintf("%s f:a=%s f:b=%s g:c=%s", row, row, strings.Repeat("x", i%50), row))
	}
	if err := m.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return want
}

func same(t testing.TB, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("%s: row %d of %d: %q, want %q", what, i, len(got), got[i], want[i])
		}
	}
	t.Fatalf("%s: %d rows, want %d", what, len(got), len(want))
}

func TestScan(t *testing.T) {
	noLeaks(t)
	c := open(t, targetOf(t), client.Config{})
	table := makeTable(t, c, "100", "200", "2005", "450")
	all := fill(t, table, 500)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	key := func() string {
		switch r.IntN(5) {
		case 0:
			return ""
		case 1:
			return []string{"100", "200", "2005", "450"}[r.IntN(4)]
		}
		return fmt.Sprintf("%03d", r.IntN(520))
	}
	for range 150 {
		start, stop := key(), key()
		includeStart, includeStop, reversed := r.IntN(2) == 0, r.IntN(2) == 0, r.IntN(2) == 0
		limit, caching, size, mode := r.IntN(60), r.IntN(70), 1+r.IntN(10000), client.ScanMode(r.IntN(3))
		if r.IntN(2) == 0 {
			limit = 0
		}
		if r.IntN(2) == 0 {
			caching = 0
		}
		what := fmt.Sprintf("start %q %v stop %q %v reversed %v limit %d caching %d size %d mode %d",
			start, includeStart, stop, includeStop, reversed, limit, caching, size, mode)
		if start == stop && start != "" && includeStart != includeStop {
			// Whether that is one row or none is not the client's to say.
			continue
		}
		var want []string
		for _, row := range all {
			k, lo, hi, inLo, inHi := row[:3], start, stop, includeStart, includeStop
			if reversed {
				lo, hi, inLo, inHi = stop, start, includeStop, includeStart
			}
			if lo != "" && (k < lo || k == lo && !inLo) || hi != "" && (k > hi || k == hi && !inHi) {
				continue
			}
			want = append(want, row)
		}
		if reversed {
			slices.Reverse(want)
		}
		if limit > 0 && len(want) > limit {
			want = want[:limit]
		}
		s := client.NewScan().WithStartRow(b(start), includeStart).WithStopRow(b(stop), includeStop).SetReversed(reversed).
			SetLimit(limit).SetCaching(caching).SetMaxResultBytes(size).SetMode(mode)
		same(t, what, rows(t, table, s), want)
	}
	same(t, "prefix", rows(t, table, client.NewScan().Prefix(b("19"))), all[190:200])
	same(t, "filter", rows(t, table, client.NewScan().SetFilter(filter.Row(filter.GreaterOrEqual, filter.Binary(b("495"))))), all[495:])
	same(t, "column", rows(t, table, client.NewScan().Prefix(b("007")).AddColumn("g", b("c"))), []string{"007 g:c=007"})

	scanner := table.Scan(client.NewScan().SetMetrics(true))
	for range scanner.Rows(context.Background()) {
	}
	if n := scanner.Metrics()["ROWS_SCANNED"]; n < 500 {
		t.Errorf("%d rows scanned: %v", n, scanner.Metrics())
	}
}

// TestScanParts: parts of rows, by batches and as they come, make up the rows.
func TestScanParts(t *testing.T) {
	c := open(t, targetOf(t), client.Config{})
	table := makeTable(t, c, "m")
	ctx := context.Background()
	for _, row := range []string{"a", "b", "z"} {
		p := client.NewPut(b(row))
		for i := range 10 {
			p.Add("f", b(fmt.Sprint(i)), b(strings.Repeat("v", 300)))
		}
		if err := table.Put(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	for _, reversed := range []bool{false, true} {
		var sizes []string
		for r, err := range table.Scan(client.NewScan().SetBatch(4).SetReversed(reversed)).Rows(ctx) {
			if err != nil {
				t.Fatal(err)
			}
			sizes = append(sizes, fmt.Sprint(len(r.Cells)))
		}
		if got := strings.Join(sizes, " "); got != "4 4 2 4 4 2 4 4 2" {
			t.Error(got)
		}
		for _, size := range []int{1, 700, 1000, 3000, 5000, 100000} {
			whole := rows(t, table, client.NewScan().SetMaxResultBytes(size).SetReversed(reversed))
			if len(whole) != 3 || strings.Count(whole[0], "f:") != 10 {
				t.Errorf("size %d: %d rows", size, len(whole))
			}
			cells, lasts := 0, 0
			for r, err := range table.Scan(client.NewScan().SetMaxResultBytes(size).SetReversed(reversed).SetAllowPartialResults(true)).Rows(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				if cells += len(r.Cells); !r.Partial {
					lasts++
				}
			}
			if cells != 30 || lasts > 3 {
				t.Errorf("size %d: %d cells, %d results are the last of their row", size, cells, lasts)
			}
			limited := 0
			for r, err := range table.Scan(client.NewScan().SetMaxResultBytes(size).SetBatch(3).SetLimit(2).SetReversed(reversed)).Rows(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				limited += len(r.Cells)
			}
			if limited != 20 {
				t.Errorf("size %d: %d cells of 2 rows", size, limited)
			}
		}
	}
}

// TestScanWhileRegionsChange: regions are split, merged and moved under scans.
func TestScanWhileRegionsChange(t *testing.T) {
	noLeaks(t)
	c := open(t, targetOf(t), client.Config{})
	// A real HBase splits no region that was split a moment ago.
	table := makeTable(t, c, "100", "200", "300")
	all := fill(t, table, 400)
	ctx := context.Background()
	splits := []string{"050", "350", "150", "250"}
	for _, mode := range []client.ScanMode{client.Sync, client.Prefetch} {
		for _, reversed := range []bool{false, true} {
			want := slices.Clone(all)
			if reversed {
				slices.Reverse(want)
			}
			var got []string
			split := splits[0]
			splits = splits[1:]
			for r, err := range table.Scan(client.NewScan().SetCaching(7).SetReversed(reversed).SetMode(mode)).Rows(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, text(r)); len(got) == 30 {
					if err := c.Admin().Split(ctx, table.Name(), b(split)); err != nil {
						t.Fatal(err)
					}
				}
			}
			same(t, fmt.Sprintf("mode %d, reversed %v, split at %s", mode, reversed, split), got, want)
		}
	}
	regions, err := table.Regions(ctx)
	if err != nil || len(regions) != 8 {
		t.Fatal(len(regions), err)
	}
}

// TestScannerLease: a scanner whose lease ended goes on; one that is renewed
// keeps its lease.
func TestScannerLease(t *testing.T) {
	s := basalttest.Start(t, basalttest.ScannerLease(200*time.Millisecond))
	c := open(t, "zk://"+s.ZooKeeper, client.Config{})
	table := makeTable(t, c, "050")
	all := fill(t, table, 100)
	ctx := context.Background()
	for _, renew := range []bool{false, true} {
		scanner := table.Scan(client.NewScan().SetCaching(10))
		var got []string
		for scanner.Next(ctx) {
			if got = append(got, text(scanner.Result())); len(got) == 20 || len(got) == 60 {
				for range 8 {
					time.Sleep(50 * time.Millisecond)
					if renew {
						if err := scanner.Renew(ctx); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
		if scanner.Err() != nil {
			t.Fatal(scanner.Err())
		}
		scanner.Close()
		same(t, fmt.Sprint("renew ", renew), got, all)
	}
	if n := c.Stats().Retries; n != 2 {
		t.Errorf("%d retries, want 2 of the scanner that was not renewed", n)
	}
}

func TestScannerEnds(t *testing.T) {
	noLeaks(t)
	c := open(t, targetOf(t), client.Config{})
	table := makeTable(t, c)
	fill(t, table, 100)
	for _, mode := range []client.ScanMode{client.Sync, client.Prefetch, client.PrefetchCount} {
		scanner := table.Scan(client.NewScan().SetCaching(5).SetMode(mode))
		for range 7 {
			if !scanner.Next(context.Background()) {
				t.Fatal(scanner.Err())
			}
		}
		scanner.Close()
		if scanner.Next(context.Background()) || !errors.Is(scanner.Err(), client.ErrClosed) || scanner.Result() != nil {
			t.Errorf("mode %d: a closed scanner goes on: %v", mode, scanner.Err())
		}
		scanner.Close()

		scanner = table.Scan(client.NewScan().SetCaching(5).SetMode(mode))
		ended, cancel := context.WithCancel(context.Background())
		cancel()
		if scanner.Next(ended) && mode == client.Sync {
			t.Error("a row with a context that ended")
		}
		if mode == client.Sync {
			n := 0
			for scanner.Next(context.Background()) {
				n++
			}
			if n != 100 || scanner.Err() != nil {
				t.Error(n, scanner.Err())
			}
		}
		scanner.Close()
		scanner = c.Table("gocl_nothing").Scan(client.NewScan().SetMode(mode))
		if scanner.Next(context.Background()) || !errors.Is(scanner.Err(), client.ErrTableNotFound) {
			t.Error(scanner.Err())
		}
		scanner.Close()
	}
	for range table.Scan(client.NewScan().SetMode(client.Prefetch)).Rows(context.Background()) {
		break
	}
}
