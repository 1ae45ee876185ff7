package client_test

// Connections are cut in every state of a call, servers are killed, regions are
// split, moved and taken off: nothing hangs, nothing leaks, and what the client
// said holds.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basaltdb/basalt/client"
)

// cutter makes connections that break, each after a random number of bytes, at
// one end or the other.
type cutter struct {
	on  atomic.Bool
	cut atomic.Int32
	// most is how many bytes a connection lives at most.
	most int
}

func (c *cutter) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	var d net.Dialer
	nc, err := d.DialContext(ctx, network, addr)
	if err != nil || !c.on.Load() {
		return nc, err
	}
	b := &brittle{Conn: nc, c: c}
	b.in.Store(int64(rand.IntN(c.most)))
	b.out.Store(int64(rand.IntN(c.most)))
	return b, nil
}

// brittle hides the methods by which the client would write around it.
type brittle struct {
	net.Conn
	c       *cutter
	in, out atomic.Int64 // bytes left
}

func (b *brittle) Read(p []byte) (int, error) {
	if left := b.in.Load(); int64(len(p)) > left+1 {
		p = p[:left+1]
	}
	n, err := b.Conn.Read(p)
	if b.in.Add(-int64(n)) < 0 {
		b.c.cut.Add(1)
		b.Close()
		return max(n-1, 0), net.ErrClosed
	}
	return n, err
}

func (b *brittle) Write(p []byte) (int, error) {
	if left := b.out.Load(); int64(len(p)) > left {
		n, _ := b.Conn.Write(p[:left])
		b.c.cut.Add(1)
		b.Close()
		return n, net.ErrClosed
	}
	n, err := b.Conn.Write(p)
	b.out.Add(-int64(n))
	return n, err
}

// load is what goes on while things break: increments, puts, batches, scans of
// rows that do not change. It keeps what it was told.
type load struct {
	t    *testing.T
	c    *client.Client
	name string   // of its rows
	all  []string // what scans must read

	stop       atomic.Bool
	work       sync.WaitGroup
	increments atomic.Int64
	scans      atomic.Int64
	writes     atomic.Int64
	slowest    atomic.Int64 // of all operations, ns
	mu         sync.Mutex
	last       map[string]string // acknowledged values
}

// counters are the rows that are incremented, one in each region.
var counters = []string{"counter0", "counter1", "counter2"}

var loads atomic.Int32

// startLoad fills a table and starts the load on it.
func startLoad(t *testing.T, c *client.Client, table *client.Table) *load {
	l := &load{t: t, c: c, name: fmt.Sprint(loads.Add(1)), last: map[string]string{}}
	l.all = fill(t, table, 300)
	table = c.Table(table.Name())
	for i := range 2 {
		l.work.Go(func() { l.repeat(func(ctx context.Context, n int) error { return l.increment(ctx, table, i+n) }) })
		l.work.Go(func() {
			l.repeat(func(ctx context.Context, n int) error {
				return l.put(ctx, table, fmt.Sprintf("put%s-%d-%d", l.name, i, n%20), n)
			})
		})
		l.work.Go(func() {
			l.repeat(func(ctx context.Context, n int) error { return l.batch(ctx, table, i, n) })
		})
	}
	for mode := range client.PrefetchCount + 1 {
		for _, reversed := range []bool{false, true} {
			l.work.Go(func() {
				l.repeat(func(ctx context.Context, n int) error { return l.scan(ctx, table, mode, reversed, n) })
			})
		}
	}
	l.work.Go(func() { l.repeat(func(ctx context.Context, n int) error { return l.buffered(ctx, table, n) }) })
	return l
}

func (l *load) repeat(f func(ctx context.Context, n int) error) {
	for n := 0; !l.stop.Load() && !l.t.Failed(); n++ {
		start := time.Now()
		if err := f(context.Background(), n); err != nil {
			l.t.Error(err)
		}
		if d := int64(time.Since(start)); d > l.slowest.Load() {
			l.slowest.Store(d)
		}
	}
}

func (l *load) increment(ctx context.Context, table *client.Table, n int) error {
	_, err := table.Increment(ctx, client.NewIncrement(b(counters[n%3])).Add("g", b("n"), 1))
	if err == nil {
		l.increments.Add(1)
	}
	return err
}

func (l *load) put(ctx context.Context, table *client.Table, row string, n int) error {
	value := fmt.Sprint(n)
	// A timestamp of its own, since one that is sent twice gets two of the
	// server's, and a later put could come between.
	err := table.Put(ctx, client.NewPut(b(row)).AddAt("g", b("v"), int64(n+1), b(value)))
	if err != nil {
		return err
	}
	l.writes.Add(1)
	l.mu.Lock()
	l.last[row] = value
	l.mu.Unlock()
	r, err := table.Get(ctx, client.NewGet(b(row)).AddFamily("g"))
	if err == nil && string(r.Value("g", b("v"))) != value {
		l.t.Errorf("%s is %q after %s was put", row, r.Value("g", b("v")), value)
	}
	return err
}

func (l *load) batch(ctx context.Context, table *client.Table, i, n int) error {
	var ops []client.Op
	for k := range 30 {
		row := fmt.Sprintf("%03dbatch%d", k*10, i)
		ops = append(ops, client.NewPut(b(row)).AddAt("g", b("b"), int64(n+1), b(fmt.Sprint(n))))
		if k%3 == 0 {
			ops = append(ops, client.NewGet(b(fmt.Sprintf("%03d", k*10))))
			ops = append(ops, client.NewIncrement(b(counters[k/3%3])).Add("g", b("n"), 1))
		}
	}
	results, err := table.Batch(ctx, ops)
	for k, r := range results {
		switch o := ops[k].(type) {
		case *client.Get:
			if r.Err == nil && text(r.Result) != l.all[k/5*30] {
				l.t.Errorf("get %s in a batch: %s", o.Row(), text(r.Result))
			}
		case *client.Increment:
			if r.Err == nil {
				l.increments.Add(1)
			}
		}
	}
	return err
}

// scan reads the rows that do not change, whatever else is written.
func (l *load) scan(ctx context.Context, table *client.Table, mode client.ScanMode, reversed bool, n int) error {
	s := client.NewScan().AddFamily("f").AddColumn("g", b("c")).SetCaching(1 + n%40).SetMode(mode).SetReversed(reversed)
	if reversed {
		s.WithStartRow(b("299"), true)
	} else {
		s.WithStopRow(b("299"), true)
	}
	var got []string
	for r, err := range table.Scan(s).Rows(ctx) {
		if err != nil {
			return err
		}
		got = append(got, text(r))
	}
	want := l.all
	if reversed {
		want = slices.Clone(want)
		slices.Reverse(want)
	}
	l.scans.Add(1)
	if !slices.Equal(got, want) {
		l.t.Errorf("mode %d, reversed %v: %d rows of %d; %s", mode, reversed, len(got), len(want), firstDifference(got, want))
	}
	return nil
}

func firstDifference(got, want []string) string {
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("row %d is %q, want %q", i, got[i], want[i])
		}
	}
	return ""
}

func (l *load) buffered(ctx context.Context, table *client.Table, n int) error {
	m := table.Mutator(client.MutatorConfig{BufferBytes: 3000})
	for i := range 100 {
		row := fmt.Sprintf("%03dbuffered%s", i*3, l.name)
		if err := m.Add(ctx, client.NewPut(b(row)).AddAt("g", b("v"), int64(n+1), b(fmt.Sprint(n)))); err != nil {
			return err
		}
	}
	if err := m.Close(ctx); err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range 100 {
		l.last[fmt.Sprintf("%03dbuffered%s", i*3, l.name)] = fmt.Sprint(n)
	}
	return nil
}

// end stops the load and checks what it left.
func (l *load) end(table *client.Table) {
	l.stop.Store(true)
	ended := make(chan struct{})
	go func() {
		l.work.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(60 * time.Second):
		l.t.Fatal("an operation hangs")
	}
	ctx := context.Background()
	sum := int64(0)
	for _, row := range counters {
		r, err := table.Get(ctx, client.NewGet(b(row)))
		if err != nil {
			l.t.Fatal(err)
		}
		n, _ := r.Int64("g", b("n"))
		sum += n
	}
	if sum != l.increments.Load() {
		l.t.Errorf("%d increments were acknowledged, %d are there", l.increments.Load(), sum)
	}
	for row, value := range l.last {
		r, err := table.Get(ctx, client.NewGet(b(row)).AddColumn("g", b("v")))
		if err != nil {
			l.t.Fatal(err)
		}
		if got := string(r.Value("g", b("v"))); got != value {
			l.t.Errorf("%s is %q, last acknowledged was %q", row, got, value)
		}
	}
	s := l.c.Stats()
	l.t.Logf("%d increments, %d puts, %d scans, slowest operation %v, %d retries, %d moves, %d lookups, %d dials",
		l.increments.Load(), l.writes.Load(), l.scans.Load(), time.Duration(l.slowest.Load()).Round(time.Millisecond),
		s.Retries, s.Moves, s.MetaLookups, s.Dials)
	if l.scans.Load() == 0 || l.increments.Load() == 0 || l.writes.Load() == 0 {
		l.t.Error("nothing was done meanwhile")
	}
}

// chaosTime is how long things break; BASALT_TEST_CHAOS=5m asks for more.
func chaosTime() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("BASALT_TEST_CHAOS")); err == nil {
		return d
	}
	if testing.Short() {
		return time.Second
	}
	return 3 * time.Second
}

func TestConnectionsCut(t *testing.T) {
	noLeaks(t)
	target := targetOf(t)
	table := makeTable(t, open(t, target, client.Config{}), "100", "200", "c", "counter1", "counter2")
	for _, most := range []int{2_000, 100_000} {
		cut := &cutter{most: most}
		config := quick()
		config.OperationTimeout, config.Dial = time.Minute, cut.dial
		c := open(t, target, config)
		l := startLoad(t, c, table)
		cut.on.Store(true)
		// What is open already lives until now and then.
		time.Sleep(chaosTime())
		cut.on.Store(false)
		l.end(table)
		if n := cut.cut.Load(); n == 0 {
			t.Error("no connection was cut")
		}
		c.Close()
		deleteCounters(t, table)
	}
}

func deleteCounters(t *testing.T, table *client.Table) {
	for _, row := range counters {
		if err := table.Delete(context.Background(), client.NewDelete(b(row))); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(2 * time.Millisecond) // the markers' millisecond
}

// TestRegionsChange: regions are split, moved, taken off and put back under
// everything that runs.
func TestRegionsChange(t *testing.T) {
	noLeaks(t)
	target := targetOf(t)
	c := open(t, target, client.Config{Pause: 20 * time.Millisecond})
	table := makeTable(t, c, "100", "200", "c", "counter1", "counter2")
	l := startLoad(t, c, table)
	ctx, admin := context.Background(), open(t, target, client.Config{}).Admin()
	changes := map[string]int{}
	splits := []string{"050", "150", "250", "025", "125", "225", "075", "175", "275"}
	for i, start := 0, time.Now(); time.Since(start) < chaosTime() || i < 6; i++ {
		regions, err := table.Regions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		r := regions[rand.IntN(len(regions))]
		var what string
		switch {
		case i%3 == 0 && len(splits) > 0:
			what, err = "split", admin.Split(ctx, table.Name(), b(splits[0]))
			splits = splits[1:]
		case i%3 == 1:
			what, err = "move", admin.Move(ctx, r, "")
		default:
			what = "unassign and assign"
			if err = admin.Unassign(ctx, r); err == nil {
				time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
				err = admin.Assign(ctx, r)
			}
		}
		var remote *client.RemoteError
		switch {
		case err == nil:
			changes[what]++
		case errors.As(err, &remote):
			// A region that is just being split is left alone, and Basalt has
			// but one server to move regions to.
			changes[what+" refused: "+remote.SimpleClass()]++
		default:
			t.Error(what, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Log(changes)
	if !strings.Contains(fmt.Sprint(changes), "split:") {
		t.Error("no region was split")
	}
	l.end(table)
}
