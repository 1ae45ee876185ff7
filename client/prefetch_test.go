package client_test

// Prefetching scanners fetch while the rows at hand are worked on, and no more
// than they may.

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/basaltdb/basalt/client"
)

// slowScan is a cluster whose scans return two rows a call, after a while.
func slowScan(t *testing.T, by time.Duration) (*fake, *scanServer) {
	f := newFake(t, 1)
	s := &scanServer{t: t, next: map[uint64]int{}, seq: map[uint64]uint64{}, before: func(int, *fakeCall) bool {
		time.Sleep(by)
		return false
	}}
	f.handle(s.handle)
	return f, s
}

func (s *scanServer) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

// TestPrefetchOverlaps: the time of fetching and that of working on rows do not
// add up.
func TestPrefetchOverlaps(t *testing.T) {
	noLeaks(t)
	const call = 10 * time.Millisecond
	run := func(mode client.ScanMode) time.Duration {
		f, _ := slowScan(t, call)
		c := open(t, f.target(), quick())
		defer c.Close()
		scan := client.NewScan().SetMode(mode).SetCaching(2)
		start, n := time.Now(), 0
		for _, err := range c.Table("t").Scan(scan).Rows(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			n++
			time.Sleep(call / 2)
		}
		if n != 20 {
			t.Errorf("mode %d: %d rows", mode, n)
		}
		return time.Since(start)
	}
	for _, mode := range []client.ScanMode{client.Prefetch, client.PrefetchCount} {
		// Half and a little, when nothing else runs; something may.
		for try := 1; ; try++ {
			sync, ahead := run(client.Sync), run(mode)
			t.Logf("mode %d: %v, sync %v", mode, ahead, sync)
			if ahead < sync*8/10 {
				break
			}
			if try == 5 {
				t.Errorf("mode %d is no faster than sync", mode)
				break
			}
		}
	}
}

// TestPrefetchGrows: a reader that waits for rows gets more at a time; one that
// does not, and a scanner in another mode, gets as many as it asked for.
func TestPrefetchGrows(t *testing.T) {
	noLeaks(t)
	for _, x := range []struct {
		mode client.ScanMode
		work time.Duration // of the reader, on a row
		grow bool
	}{{client.Prefetch, 0, true}, {client.Prefetch, 20 * time.Millisecond, false}, {client.Sync, 0, false}, {client.PrefetchCount, 0, false}} {
		f, s := slowScan(t, 2*time.Millisecond)
		var asked []uint32
		s.asked = func(n uint32) { asked = append(asked, n) }
		c := open(t, f.target(), quick())
		for _, err := range c.Table("t").Scan(client.NewScan().SetMode(x.mode).SetCaching(2)).Rows(context.Background()) {
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(x.work)
		}
		c.Close()
		s.mu.Lock()
		defer s.mu.Unlock()
		if asked[0] != 2 || x.grow != (asked[len(asked)-1] > 100) || !x.grow && asked[len(asked)-1] > 4 {
			t.Errorf("mode %d, work %v: asked for %d rows", x.mode, x.work, asked)
		}
	}
}

// TestPrefetchBounded: what nobody takes is not fetched without end, by bytes or
// by rows, and goes on when it is taken.
func TestPrefetchBounded(t *testing.T) {
	noLeaks(t)
	for name, x := range map[string]struct {
		scan *client.Scan
		most int // fetches before anything is taken
	}{
		// Twice a row's size is less than one fetch of two rows.
		"by bytes": {client.NewScan().SetMode(client.Prefetch).SetMaxResultBytes(1), 1},
		// A fetch is as many rows as caching says.
		"by rows": {client.NewScan().SetMode(client.PrefetchCount).SetCaching(2), 2},
		// Nothing runs before the first Next.
		"sync": {client.NewScan().SetMaxResultBytes(1), 1},
	} {
		f, s := slowScan(t, 0)
		c := open(t, f.target(), quick())
		scanner := c.Table("t").Scan(x.scan)
		if n := s.count(); n > 0 {
			t.Errorf("%s: %d fetches before the first Next", name, n)
		}
		for i := range 20 {
			if !scanner.Next(context.Background()) {
				t.Fatal(name, scanner.Err())
			}
			if got, want := string(scanner.Result().Row()), fmt.Sprintf("%02d", i); got != want {
				t.Fatalf("%s: %s, want %s", name, got, want)
			}
			time.Sleep(2 * time.Millisecond)
			// Of each fetch the first row makes it taken.
			if n, most := s.count(), i/2+1+x.most; n > most {
				t.Errorf("%s: %d fetches at row %d, want at most %d", name, n, i, most)
			}
		}
		if scanner.Next(context.Background()) || scanner.Err() != nil {
			t.Error(name, scanner.Err())
		}
		scanner.Close()
		c.Close()
	}
}
