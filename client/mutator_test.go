package client_test

// A buffered mutator's buffer is bounded, empties itself in the background, and
// keeps the order of each row's mutations.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// TestMutatorBackPressure: while a server takes nothing, what is pending does
// not grow beyond its bound; Add waits, and goes on when the server does.
func TestMutatorBackPressure(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 1)
	var stuck atomic.Bool
	release := make(chan struct{})
	f.handle(func(c *fakeCall) {
		if stuck.Load() {
			<-release
		}
		c.ok()
	})
	config := quick()
	config.RPCTimeout = 4 * time.Second
	m := open(t, f.target(), config).Table("t").Mutator(client.MutatorConfig{BufferBytes: 10_000, MaxPendingBytes: 30_000})
	stuck.Store(true)
	var added, most atomic.Int64
	ended := make(chan error, 1)
	go func() {
		for i := range 2000 {
			p := client.NewPut(b(fmt.Sprint("row", i))).Add("f", b("q"), make([]byte, 100))
			if err := m.Add(context.Background(), p); err != nil {
				ended <- err
				return
			}
			added.Add(1)
			most.Store(max(most.Load(), int64(m.Pending())))
		}
		ended <- nil
	}()
	time.Sleep(150 * time.Millisecond)
	before := added.Load()
	if before == 0 || before > 300 {
		t.Errorf("%d of 2000 were added while nothing went out", before)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := m.Add(ctx, client.NewPut(b("late")).Add("f", b("q"), make([]byte, 1000))); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with no room and little time: %v", err)
	}
	stuck.Store(false)
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := most.Load(); n > 30_000 {
		t.Errorf("%d bytes were pending", n)
	}
	if err := m.Close(context.Background()); err != nil || m.Pending() != 0 {
		t.Error(err, m.Pending())
	}
	// One that is larger than the bound goes alone.
	m = open(t, f.target(), quick()).Table("t").Mutator(client.MutatorConfig{BufferBytes: 1000, MaxPendingBytes: 1000})
	for range 3 {
		if err := m.Add(context.Background(), client.NewPut(b("r")).Add("f", b("q"), make([]byte, 5000))); err != nil {
			t.Error(err)
		}
	}
	if err := m.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestMutatorInBackground: a full buffer goes out by itself, and one that is not
// full after its interval.
func TestMutatorInBackground(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 1)
	f.handle(func(c *fakeCall) { c.ok() })
	table := open(t, f.target(), quick()).Table("t")
	for name, config := range map[string]client.MutatorConfig{
		"by size": {BufferBytes: 1}, "by time": {FlushInterval: 20 * time.Millisecond},
	} {
		calls := f.servers[0].count()
		m := table.Mutator(config)
		if err := m.Add(context.Background(), putRow("a"), putRow("b")); err != nil {
			t.Fatal(err)
		}
		for start := time.Now(); m.Pending() > 0 && time.Since(start) < 2*time.Second; time.Sleep(time.Millisecond) {
		}
		if m.Pending() > 0 || f.servers[0].count() == calls {
			t.Errorf("%s: %d bytes stay", name, m.Pending())
		}
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}
	calls := f.servers[0].count()
	m := table.Mutator(client.MutatorConfig{})
	_ = m.Add(context.Background(), putRow("a"))
	time.Sleep(30 * time.Millisecond)
	if n := f.servers[0].count() - calls; n > 0 {
		t.Errorf("%d calls before the buffer was full", n)
	}
	if err := m.Close(context.Background()); err != nil || f.servers[0].count() != calls+1 {
		t.Error("Close does not flush", err)
	}
}

// TestMutatorOrder: the last mutation of a row that was added is the one that
// stays, through many adders, small buffers and regions.
func TestMutatorOrder(t *testing.T) {
	noLeaks(t)
	c := open(t, targetOf(t), client.Config{})
	table := makeTable(t, c, "3", "6")
	ctx := context.Background()
	m := table.Mutator(client.MutatorConfig{BufferBytes: 600, FlushInterval: 5 * time.Millisecond})
	var adders sync.WaitGroup
	for a := range 10 {
		adders.Go(func() {
			for i := range 200 {
				row := b(fmt.Sprintf("%d%d", a, i%3))
				// At one timestamp the later of two equal cells stays.
				if err := m.Add(ctx, client.NewPut(row).AddAt("f", b("q"), 1, b(fmt.Sprint(i)))); err != nil {
					t.Error(err)
					return
				}
				if i%50 == 49 {
					if err := m.Flush(ctx); err != nil {
						t.Error(err)
					}
					if r, err := table.Get(ctx, client.NewGet(row)); err != nil || string(r.Value("f", b("q"))) != fmt.Sprint(i) {
						t.Errorf("%s after a flush of %d: %v, %v", row, i, r, err)
					}
				}
			}
		})
	}
	adders.Wait()
	if err := m.Close(ctx); err != nil {
		t.Fatal(err)
	}
	got := rows(t, table, client.NewScan())
	if len(got) != 30 {
		t.Fatal(got)
	}
	for i, row := range got {
		// 199 = 3*66+1: the last of the rows are 198, 199 and 197.
		if want := fmt.Sprintf("%d%d f:q=%d", i/3, i%3, []int{198, 199, 197}[i%3]); row != want {
			t.Errorf("%s, want %s", row, want)
		}
	}
}

// TestMutatorGivesUp: Close with a context that ends tells what was not done, and
// OnError is told instead where there is one.
func TestMutatorGivesUp(t *testing.T) {
	noLeaks(t)
	for _, callback := range []bool{false, true} {
		f := newFake(t, 1)
		f.handle(func(c *fakeCall) {}) // no answer
		c := open(t, f.target(), quick())
		var told []client.FailedMutation
		config := client.MutatorConfig{BufferBytes: 50, MaxPendingBytes: 1000}
		if callback {
			config.OnError = func(f client.FailedMutation) { told = append(told, f) }
		}
		m := c.Table("t").Mutator(config)
		for i := range 3 {
			if err := m.Add(context.Background(), putRow(fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
			time.Sleep(20 * time.Millisecond) // each of them gets its batch
		}
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		start := time.Now()
		err := m.Close(ctx)
		cancel()
		if d := time.Since(start); d > time.Second {
			t.Errorf("Close took %v", d)
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		if !callback {
			var failed *client.MutatorError
			if !errors.As(err, &failed) {
				t.Fatal(err)
			}
			told = failed.Failed
		}
		if len(told) != 3 {
			t.Fatalf("callback %v: told of %d of 3", callback, len(told))
		}
		for _, x := range told {
			if !errors.Is(x.Err, context.DeadlineExceeded) {
				t.Errorf("%s: %v", x.Mutation.Row(), x.Err)
			}
		}
	}
}

// TestMutatorRetries: a region that moves and a busy server cost time, not rows.
func TestMutatorRetries(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 2, "5")
	var n atomic.Int32
	var mu sync.Mutex
	done := map[string]int{}
	f.handle(func(c *fakeCall) {
		if c.method != "Multi" {
			c.ok()
			return
		}
		switch n.Add(1) {
		case 2:
			f.move(0, 1)
			c.conn.Close()
			return
		case 4:
			c.reply(c.multi(func(string, *pb.Action) error { return errors.New(hbase + "RegionTooBusyException") }), nil)
			return
		}
		cells := c.rows()
		mu.Lock()
		for _, row := range cells {
			done[row]++
		}
		mu.Unlock()
		c.ok()
	})
	m := open(t, f.target(), quick()).Table("t").Mutator(client.MutatorConfig{BufferBytes: 2000})
	for i := range 500 {
		if err := m.Add(context.Background(), putRow(fmt.Sprintf("%03d", i*2))); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if len(done) != 500 {
		t.Errorf("%d rows arrived", len(done))
	}
}
