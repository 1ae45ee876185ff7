package client_test

// What users of other HBase clients have reported, as tests of this one. Each
// name says what must not happen.

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

const (
	hbase   = "org.apache.hadoop.hbase."
	notHere = hbase + "NotServingRegionException"
)

func putRow(row string) *client.Put { return client.NewPut(b(row)).Add("f", b("q"), b("v")) }

// TestServerDies: calls in flight on a connection that is cut, and later ones,
// find the region where it went.
func TestServerDies(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 2, "m")
	c := open(t, f.target(), quick())
	table := c.Table("t")
	f.servers[0].set(func(c *fakeCall) { c.ok() })
	var hung sync.WaitGroup
	f.servers[1].set(func(c *fakeCall) { hung.Done() }) // no answer
	hung.Add(8)
	var calls sync.WaitGroup
	for i := range 8 {
		calls.Go(func() {
			if err := table.Put(context.Background(), putRow(fmt.Sprint("z", i))); err != nil {
				t.Error(err)
			}
		})
	}
	hung.Wait()
	f.move(1, 0)
	f.servers[1].l.Close()
	f.servers[1].cut()
	calls.Wait()
	start := time.Now()
	if err := table.Put(context.Background(), putRow("z")); err != nil || time.Since(start) > time.Second {
		t.Error(err, time.Since(start))
	}
}

// TestServerNotRunningYet: a server that answers that it is not ready is not
// hammered, and is left when the region has moved.
func TestServerNotRunningYet(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 2)
	f.move(0, 1)
	f.servers[0].set(func(c *fakeCall) { c.ok() })
	f.servers[1].set(func(c *fakeCall) {
		c.fail(pb.Exception{Class: hbase + "ipc.ServerNotRunningYetException"})
	})
	time.AfterFunc(500*time.Millisecond, func() { f.move(0, 0) })
	config := quick()
	config.Pause = 100 * time.Millisecond
	table := open(t, f.target(), config).Table("t")
	start := time.Now()
	if err := table.Put(context.Background(), putRow("a")); err != nil {
		t.Fatal(err)
	}
	if d := time.Since(start); d > 1500*time.Millisecond {
		t.Errorf("it took %v", d)
	}
	if n := f.servers[1].count(); n == 0 || n >= 10 {
		t.Errorf("%d calls to the server that is not ready", n)
	}
	f.servers[1].mu.Lock()
	defer f.servers[1].mu.Unlock()
	if n := len(f.servers[1].conns); n > 0 {
		t.Errorf("%d connections to it are open", n)
	}
}

// TestExceptions: what each class makes the client do.
func TestExceptions(t *testing.T) {
	noLeaks(t)
	type expect struct {
		e       pb.Exception
		retried bool
		lookups uint64 // more questions to hbase:meta
		pause   time.Duration
	}
	f := newFake(t, 2)
	c := open(t, f.target(), quick())
	table := c.Table("t")
	var fail atomic.Pointer[pb.Exception]
	f.handle(func(c *fakeCall) {
		if e := fail.Swap(nil); e != nil {
			c.fail(*e)
			return
		}
		c.ok()
	})
	if err := table.Put(context.Background(), putRow("a")); err != nil {
		t.Fatal(err)
	}
	short, long := 10*time.Millisecond, 30*time.Millisecond
	for _, x := range []expect{
		{pb.Exception{Class: notHere}, true, 1, short},
		{pb.Exception{Class: hbase + "exceptions.RegionMovedException", Hostname: "127.0.0.1"}, true, 0, short},
		{pb.Exception{Class: hbase + "regionserver.RegionServerStoppedException"}, true, 1, short},
		{pb.Exception{Class: hbase + "RegionTooBusyException"}, true, 0, short},
		{pb.Exception{Class: hbase + "exceptions.RegionOpeningException"}, true, 0, short},
		{pb.Exception{Class: hbase + "CallQueueTooBigException"}, true, 0, long},
		{pb.Exception{Class: hbase + "RegionTooBusyException", ServerOverloaded: true}, true, 0, long},
		{pb.Exception{Class: "com.example.Odd"}, true, 0, short},
		{pb.Exception{Class: "com.example.Odd", DoNotRetry: true}, false, 0, 0},
		{pb.Exception{Class: hbase + "DoNotRetryIOException"}, false, 0, 0},
	} {
		for _, batch := range []bool{false, true} {
			e := x.e
			if e.Hostname != "" {
				to := f.servers[1]
				if batch {
					to = f.servers[0]
				}
				e.Port = int32(to.l.Addr().(*net.TCPAddr).Port)
			}
			fail.Store(&e)
			before, calls, start := c.Stats(), f.servers[0].count()+f.servers[1].count(), time.Now()
			var err error
			if batch {
				_, err = table.Batch(context.Background(), []client.Op{putRow("a")})
			} else {
				err = table.Put(context.Background(), putRow("a"))
			}
			d, after := time.Since(start), c.Stats()
			var remote *client.RemoteError
			if x.retried != (err == nil) || !x.retried && (!errors.As(err, &remote) || remote.Class != e.Class || remote.Message != "no") {
				t.Errorf("%+v: %v", e, err)
			}
			if n := after.MetaLookups - before.MetaLookups; n != x.lookups {
				t.Errorf("%+v: %d lookups", e, n)
			}
			if d < x.pause || d > x.pause+200*time.Millisecond {
				t.Errorf("%+v: %v", e, d)
			}
			want := 1
			if x.retried {
				want = 2
			}
			if n := f.servers[0].count() + f.servers[1].count() - calls; n != want {
				t.Errorf("%+v: %d calls", e, n)
			}
		}
	}
}

// TestMutatorErrors: a flush tells exactly the rows that failed, and they are
// not sent again.
func TestMutatorErrors(t *testing.T) {
	noLeaks(t)
	c := open(t, targetOf(t), client.Config{})
	table := makeTable(t, c, "030", "060")
	ctx := context.Background()
	m := table.Mutator(client.MutatorConfig{})
	bad := map[string]bool{"007": true, "042": true, "099": true}
	for i := range 100 {
		row := fmt.Sprintf("%03d", i)
		p := putRow(row)
		if bad[row] {
			p = client.NewPut(b(row)).Add("nope", b("q"), b("v"))
		}
		if err := m.Add(ctx, p); err != nil {
			t.Fatal(err)
		}
	}
	if m.Pending() == 0 {
		t.Error("nothing is pending")
	}
	var failed *client.MutatorError
	if err := m.Flush(ctx); !errors.As(err, &failed) || len(failed.Failed) != 3 || !errors.Is(err, client.ErrNoSuchFamily) {
		t.Fatal(err)
	}
	for _, x := range failed.Failed {
		if !bad[string(x.Mutation.Row())] || !errors.Is(x.Err, client.ErrNoSuchFamily) {
			t.Error(string(x.Mutation.Row()), x.Err)
		}
	}
	if n := len(rows(t, table, client.NewScan())); n != 97 || m.Pending() != 0 {
		t.Error(n, m.Pending())
	}
	calls := c.Stats().Calls
	if err := m.Flush(ctx); err != nil {
		t.Error(err)
	}
	if err := m.Close(ctx); err != nil {
		t.Error(err)
	}
	if n := c.Stats().Calls - calls; n != 0 {
		t.Errorf("%d calls for nothing", n)
	}
	if err := m.Add(ctx, putRow("a")); !errors.Is(err, client.ErrClosed) {
		t.Error(err)
	}
}

// TestClosedSockets: whenever a server closes a connection, calls end and later
// ones connect again.
func TestClosedSockets(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 1)
	f.handle(func(c *fakeCall) { c.ok() })
	c := open(t, f.target(), quick())
	table := c.Table("t")
	put := func() error { return table.Put(context.Background(), putRow("a")) }
	if err := put(); err != nil {
		t.Fatal(err)
	}
	read := func(n int) func(net.Conn) bool {
		return func(nc net.Conn) bool {
			_, _ = io.ReadFull(nc, make([]byte, n))
			nc.Close()
			return false
		}
	}
	for name, hello := range map[string]func(net.Conn) bool{
		"at once": read(0), "after the preamble": read(6), "in the header": read(20),
		"with half a response": func(nc net.Conn) bool {
			_, _ = nc.Write([]byte("\x00\x00\x00\x20\x02\x08"))
			nc.Close()
			return false
		},
		"with nonsense": func(nc net.Conn) bool {
			_, _ = nc.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			nc.Close()
			return false
		},
	} {
		var n atomic.Int32
		f.servers[0].mu.Lock()
		f.servers[0].hello = func(nc net.Conn) bool { return n.Add(1) > 2 || hello(nc) }
		f.servers[0].mu.Unlock()
		f.servers[0].cut()
		err := put()
		if name == "with nonsense" && err != nil {
			// Such a server is not asked twice.
			err = put()
			if err != nil {
				err = put()
			}
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n.Load() < 3 {
			t.Errorf("%s: %d connections", name, n.Load())
		}
	}
	f.servers[0].mu.Lock()
	f.servers[0].hello = nil
	f.servers[0].mu.Unlock()
	// In a frame, and between frames, with calls in flight all the time.
	var stop atomic.Bool
	var calls sync.WaitGroup
	for range 8 {
		calls.Go(func() {
			for !stop.Load() {
				if err := put(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 20 {
		if i%2 == 0 {
			f.handle(func(c *fakeCall) {
				_, _ = c.conn.Write([]byte("\x00\x00\x01\x00\x02"))
				c.conn.Close()
			})
			time.Sleep(2 * time.Millisecond)
			f.handle(func(c *fakeCall) { c.ok() })
		}
		f.servers[0].cut()
		time.Sleep(5 * time.Millisecond)
	}
	stop.Store(true)
	calls.Wait()
	if err := put(); err != nil {
		t.Error(err)
	}
}

// blackHole is an address that takes connections and never says a word.
func blackHole(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l.Addr().String()
}

// TestCloseWhileLookingUp: neither Close nor a context waits for a cluster that
// does not answer.
func TestCloseWhileLookingUp(t *testing.T) {
	noLeaks(t)
	never := func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	for name, config := range map[string]client.Config{"silent": {}, "unreachable": {Dial: never}} {
		for _, scheme := range []string{"zk://", "rpc://"} {
			at := scheme + blackHole(t)
			c := open(t, at, config)
			ended := make(chan error, 3)
			go func() {
				_, err := c.Table("t").Get(context.Background(), client.NewGet(b("a")))
				ended <- err
			}()
			go func() {
				_, err := c.Table("t").Batch(context.Background(), []client.Op{client.NewGet(b("a"))})
				ended <- err
			}()
			go func() {
				_, err := c.Admin().ListTables(context.Background())
				ended <- err
			}()
			time.Sleep(100 * time.Millisecond)
			start := time.Now()
			c.Close()
			for range 3 {
				if err := <-ended; !errors.Is(err, client.ErrClosed) {
					t.Errorf("%s %s: %v", name, scheme, err)
				}
			}
			if d := time.Since(start); d > time.Second {
				t.Errorf("%s %s: Close took %v", name, scheme, d)
			}

			c = open(t, at, config)
			ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
			start = time.Now()
			_, err := c.Table("t").Get(ctx, client.NewGet(b("a")))
			if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, client.ErrTimeout) || time.Since(start) > time.Second {
				t.Errorf("%s %s: %v after %v", name, scheme, err, time.Since(start))
			}
			cancel()
			c.Close()
		}
	}
}

// TestBatchPartlyUnreachable: results are in order, and each says what became of
// its operation.
func TestBatchPartlyUnreachable(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 3, "1", "2", "3", "4")
	f.servers[0].set(func(c *fakeCall) { c.ok() })
	f.servers[1].set(func(c *fakeCall) { c.ok() })
	f.servers[2].set(func(c *fakeCall) {}) // region 2: no answer
	f.move(4, -1)                          // on no server
	var ops []client.Op
	for i := range 50 {
		row := fmt.Sprintf("%d%02d", i%5, i)
		if i%2 == 0 {
			ops = append(ops, client.NewGet(b(row)))
		} else {
			ops = append(ops, putRow(row))
		}
	}
	c := open(t, f.target(), quick())
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	start := time.Now()
	results, err := c.Table("t").Batch(ctx, ops)
	if d := time.Since(start); d > time.Second {
		t.Errorf("it took %v", d)
	}
	var failed *client.BatchError
	if !errors.As(err, &failed) || failed.Failed != 20 || failed.Total != 50 {
		t.Fatal(err)
	}
	for i, r := range results {
		if bad := i%5 == 2 || i%5 == 4; bad != (r.Err != nil) {
			t.Errorf("%d: %v", i, r.Err)
		} else if bad && !errors.Is(r.Err, context.Canceled) {
			t.Errorf("%d: %v", i, r.Err)
		} else if !bad && (r.Result != nil) != (i%2 == 0) {
			t.Errorf("%d: result %v", i, r.Result)
		}
	}
}

// TestBatchAnswersFewer: servers may leave out actions that were done and have
// nothing to say.
func TestBatchAnswersFewer(t *testing.T) {
	f := newFake(t, 1)
	f.handle(func(c *fakeCall) {
		out, m := pb.BeginRegionActionResult(nil)
		out = pb.AppendActionException(out, 2, hbase+"DoNotRetryIOException", "no")
		out = pb.AppendActionException(out, 3, hbase+"DoNotRetryIOException", "no")
		c.reply(pb.End(out, m), nil)
	})
	c := open(t, f.target(), quick())
	var ops []client.Op
	for i := range 4 {
		ops = append(ops, client.NewAppend(b(fmt.Sprint(i))).Add("f", b("q"), b("v")).SetReturnResults(false))
	}
	results, err := c.Table("t").Batch(context.Background(), ops)
	if err == nil {
		t.Error("no error")
	}
	for i, r := range results {
		if (r.Err == nil) != (i < 2) || r.Processed != (i < 2) {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

// TestSlowMeta: an operation's time bounds looking up regions too.
func TestSlowMeta(t *testing.T) {
	noLeaks(t)
	var splits []string
	var ops []client.Op
	for i := range 99 {
		splits = append(splits, fmt.Sprintf("%02d", i+1))
	}
	f := newFake(t, 1, splits...)
	f.handle(func(c *fakeCall) { c.ok() })
	f.metaDelay, f.metaRows = 200*time.Millisecond, 1
	for i := range 100 {
		ops = append(ops, putRow(fmt.Sprintf("%02d", i)))
	}
	config := quick()
	config.OperationTimeout = time.Second
	c := open(t, f.target(), config)
	start := time.Now()
	results, err := c.Table("t").Batch(context.Background(), ops)
	if d := time.Since(start); d < 900*time.Millisecond || d > 1300*time.Millisecond {
		t.Errorf("it took %v", d)
	}
	if !errors.Is(err, client.ErrTimeout) {
		t.Error(err)
	}
	for i, r := range results {
		if r.Err == nil && !r.Processed || r.Err != nil && !errors.Is(r.Err, client.ErrTimeout) {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

// scanServer is a region server that scans rows 00 to 19, two at a time.
type scanServer struct {
	t     *testing.T
	mu    sync.Mutex
	next  map[uint64]int // of each scanner, the row to go on with
	seq   map[uint64]uint64
	calls int
	// before is asked before each call is answered; it may answer by itself.
	before func(n int, c *fakeCall) bool
	// asked is told the number of rows that each call asks for.
	asked func(n uint32)
}

func (s *scanServer) handle(c *fakeCall) {
	var r pb.ScanRequest
	if err := r.Decode(c.param); err != nil {
		s.t.Error(err)
		return
	}
	s.mu.Lock()
	if r.CloseScanner {
		delete(s.next, r.ScannerID)
		s.mu.Unlock()
		c.reply(nil, nil)
		return
	}
	s.calls++
	n := s.calls
	if s.asked != nil {
		s.asked(r.NumberOfRows)
	}
	s.mu.Unlock()
	if s.before != nil && s.before(n, c) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id := r.ScannerID
	if !r.HasScannerID {
		id = uint64(100 + n)
		var start int
		fmt.Sscan(string(r.Scan.StartRow), &start)
		if len(r.Scan.StartRow) > 0 && !r.Scan.IncludeStart {
			start++
		}
		s.next[id], s.seq[id] = start, 0
	} else {
		if _, ok := s.next[id]; !ok {
			c.fail(pb.Exception{Class: hbase + "UnknownScannerException", DoNotRetry: true})
			return
		}
		if r.NextCallSeq != s.seq[id] {
			c.fail(pb.Exception{Class: hbase + "exceptions.OutOfOrderScannerNextException", DoNotRetry: true})
			return
		}
		s.seq[id]++
	}
	resp := pb.ScanResponse{ScannerID: id, HasScannerID: true, MoreResults: true, HasMoreResults: true}
	var cells []byte
	for range 2 {
		if s.next[id] < 20 {
			cells = wire.AppendKeyValue(cells, &cell.Cell{
				Row: b(fmt.Sprintf("%02d", s.next[id])), Family: b("f"), Value: b("v"), Timestamp: 1, Type: cell.Put,
			}, false)
			resp.CellsPerResult, resp.PartialPerResult = append(resp.CellsPerResult, 1), append(resp.PartialPerResult, false)
			s.next[id]++
		}
	}
	resp.MoreInRegion = s.next[id] < 20
	c.reply(pb.AppendScanResponse(nil, &resp), cells)
}

// TestLostScanner: whatever happens to a call of a scan, no row is left out and
// none comes twice.
func TestLostScanner(t *testing.T) {
	noLeaks(t)
	for name, before := range map[string]func(n int, c *fakeCall) bool{
		"nothing": nil,
		"a late answer": func(n int, c *fakeCall) bool {
			if n == 4 {
				time.Sleep(300 * time.Millisecond)
			}
			return false
		},
		"no answer":        func(n int, c *fakeCall) bool { return n == 3 || n == 5 },
		"connection cut":   func(n int, c *fakeCall) bool { n %= 4; c.cutIf(n == 0); return n == 0 },
		"lease ended":      failAt(3, pb.Exception{Class: hbase + "regionserver.LeaseException", DoNotRetry: true}),
		"reset":            failAt(2, pb.Exception{Class: hbase + "exceptions.ScannerResetException", DoNotRetry: true}),
		"out of order":     failAt(4, pb.Exception{Class: hbase + "exceptions.OutOfOrderScannerNextException", DoNotRetry: true}),
		"region not here":  failAt(3, pb.Exception{Class: notHere}),
		"at the first":     failAt(1, pb.Exception{Class: notHere}),
		"scanner unknown":  failAt(7, pb.Exception{Class: hbase + "UnknownScannerException", DoNotRetry: true}),
		"server too busy":  failAt(5, pb.Exception{Class: hbase + "CallQueueTooBigException"}),
		"with a bad frame": func(n int, c *fakeCall) bool { c.cutIf(n == 5); return n == 5 },
	} {
		for _, mode := range []client.ScanMode{client.Sync, client.Prefetch, client.PrefetchCount} {
			f := newFake(t, 1)
			s := &scanServer{t: t, next: map[uint64]int{}, seq: map[uint64]uint64{}, before: before}
			f.handle(s.handle)
			config := quick()
			config.RPCTimeout = 150 * time.Millisecond
			c := open(t, f.target(), config)
			var got []string
			for r, err := range c.Table("t").Scan(client.NewScan().SetMode(mode).SetCaching(2)).Rows(context.Background()) {
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got = append(got, string(r.Row()))
			}
			var want []string
			for i := range 20 {
				want = append(want, fmt.Sprintf("%02d", i))
			}
			same(t, name, got, want)
			c.Close()
		}
	}
}

func failAt(at int, e pb.Exception) func(int, *fakeCall) bool {
	return func(n int, c *fakeCall) bool {
		if n == at {
			c.fail(e)
		}
		return n == at
	}
}

func (c *fakeCall) cutIf(cut bool) {
	if cut {
		c.conn.Close()
	}
}

// TestLostInRow: a scanner that is lost in the middle of a row gives every cell
// of it once.
func TestLostInRow(t *testing.T) {
	for _, whole := range []bool{true, false} {
		f := newFake(t, 1)
		var opened atomic.Int32
		var readPoint atomic.Uint64
		f.handle(func(c *fakeCall) {
			var r pb.ScanRequest
			if err := r.Decode(c.param); err != nil {
				t.Error(err)
			}
			resp := pb.ScanResponse{ScannerID: 7, HasScannerID: true, MoreResults: true, HasMoreResults: true, MoreInRegion: true, ReadPoint: 55, HasReadPoint: true}
			var cells []byte
			add := func(row string, partial bool, from, to int) {
				for i := from; i < to; i++ {
					cells = wire.AppendKeyValue(cells, &cell.Cell{Row: b(row), Family: b("f"), Qualifier: b(fmt.Sprint(i)), Timestamp: 1, Type: cell.Put}, false)
				}
				resp.CellsPerResult, resp.PartialPerResult = append(resp.CellsPerResult, uint32(to-from)), append(resp.PartialPerResult, partial)
			}
			switch {
			case r.CloseScanner:
				c.reply(nil, nil)
				return
			case r.HasScannerID:
				c.fail(pb.Exception{Class: hbase + "UnknownScannerException", DoNotRetry: true})
				return
			case opened.Add(1) == 1:
				add("a", false, 0, 2)
				add("b", true, 0, 4)
			default:
				readPoint.Store(r.Scan.ReadPoint)
				if whole && (string(r.Scan.StartRow) != "a" || r.Scan.IncludeStart) || !whole && (string(r.Scan.StartRow) != "b" || !r.Scan.IncludeStart) {
					t.Errorf("opened at %q, inclusive %v", r.Scan.StartRow, r.Scan.IncludeStart)
				}
				add("b", false, 0, 6)
				add("c", false, 0, 1)
				resp.MoreInRegion = false
			}
			c.reply(pb.AppendScanResponse(nil, &resp), cells)
		})
		c := open(t, f.target(), quick())
		got := rows(t, c.Table("t"), client.NewScan().SetAllowPartialResults(!whole))
		want := []string{"a f:0= f:1=", "b f:0= f:1= f:2= f:3= f:4= f:5=", "c f:0="}
		if !whole {
			want = []string{"a f:0= f:1=", "b f:0= f:1= f:2= f:3=", "b f:4= f:5=", "c f:0="}
		}
		same(t, fmt.Sprint("whole ", whole), got, want)
		if p := readPoint.Load(); (p == 55) == whole {
			t.Errorf("whole %v: read point %d", whole, p)
		}
	}
}

// TestUndetermined: what must not be done twice is not sent twice, unless the
// server can tell.
func TestUndetermined(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 1)
	var n atomic.Int32
	var nonces sync.Map
	f.handle(func(c *fakeCall) {
		var r pb.MutateRequest
		if c.method == "Mutate" && r.Decode(c.param) == nil && r.Mutation.HasNonce {
			nonces.Store(r.Mutation.Nonce, r.NonceGroup)
		}
		if n.Add(1) == 1 {
			c.conn.Close()
			return
		}
		c.ok()
	})
	table := open(t, f.target(), quick()).Table("t")
	ctx := context.Background()
	check := client.NewCheckAndMutate(b("a")).IfNotExists("f", nil).Then(putRow("a"))
	if _, err := table.CheckAndMutate(ctx, check); !errors.Is(err, client.ErrUndetermined) {
		t.Error(err)
	}
	n.Store(0)
	if results, err := table.Batch(ctx, []client.Op{check, putRow("b")}); !errors.Is(results[0].Err, client.ErrUndetermined) || results[1].Err != nil || err == nil {
		t.Error(results, err)
	}
	n.Store(0)
	if _, err := table.Increment(ctx, client.NewIncrement(b("a")).Add("f", nil, 1)); err != nil || n.Load() != 2 {
		t.Error(err, n.Load())
	}
	count := 0
	nonces.Range(func(nonce, group any) bool {
		count++
		return nonce.(uint64) != 0 && group.(uint64) != 0
	})
	if count != 1 {
		t.Errorf("%d nonces for one increment", count)
	}
}

// TestDeadlines: contexts and time limits end calls that have no answer.
func TestDeadlines(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 1)
	f.handle(func(c *fakeCall) {})
	config := quick()
	config.RPCTimeout, config.OperationTimeout = 100*time.Millisecond, 350*time.Millisecond
	table := open(t, f.target(), config).Table("t")
	start := time.Now()
	err := table.Put(context.Background(), putRow("a"))
	if d := time.Since(start); !errors.Is(err, client.ErrTimeout) || d < 300*time.Millisecond || d > 700*time.Millisecond {
		t.Error(err, d)
	}
	if n := f.servers[0].count(); n < 2 || n > 4 {
		t.Errorf("%d attempts", n)
	}
	for want, end := range map[error]func() (context.Context, context.CancelFunc){
		context.DeadlineExceeded: func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), 50*time.Millisecond)
		},
		context.Canceled: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(50*time.Millisecond, cancel)
			return ctx, cancel
		},
	} {
		for _, do := range []func(context.Context) error{
			func(ctx context.Context) error { return table.Put(ctx, putRow("a")) },
			func(ctx context.Context) error {
				_, err := table.Batch(ctx, []client.Op{putRow("a"), putRow("b")})
				return err
			},
			func(ctx context.Context) error {
				s := table.Scan(client.NewScan())
				defer s.Close()
				s.Next(ctx)
				return s.Err()
			},
			func(ctx context.Context) error {
				m := table.Mutator(client.MutatorConfig{})
				_ = m.Add(ctx, putRow("a"))
				return m.Close(ctx)
			},
		} {
			ctx, cancel := end()
			start := time.Now()
			err := do(ctx)
			if d := time.Since(start); d > 300*time.Millisecond || !errors.Is(err, want) {
				t.Errorf("%v after %v", err, d)
			}
			cancel()
		}
	}
}

// TestGarbage: responses of random bytes end calls, not the program.
func TestGarbage(t *testing.T) {
	noLeaks(t)
	f := newFake(t, 1)
	var n atomic.Uint64
	f.handle(func(c *fakeCall) {
		k := n.Add(1)
		garbage := make([]byte, k%40)
		for i := range garbage {
			garbage[i] = byte(k * uint64(i+7) >> 3)
		}
		switch k % 3 {
		case 0:
			c.reply(garbage, garbage)
		case 1:
			_, _ = c.conn.Write(binary.BigEndian.AppendUint32(nil, uint32(len(garbage))))
			_, _ = c.conn.Write(garbage)
		case 2:
			c.reply(pb.AppendGetResponse(nil, &pb.Result{CellCount: int32(k << 20), HasCellCount: true}), garbage)
		}
	})
	config := quick()
	config.OperationTimeout, config.RPCTimeout = 30*time.Millisecond, 20*time.Millisecond
	table := open(t, f.target(), config).Table("t")
	for range 150 {
		_, _ = table.Get(context.Background(), client.NewGet(b("a")))
	}
	f.handle(func(c *fakeCall) { c.ok() })
	if _, err := table.Get(context.Background(), client.NewGet(b("a"))); err != nil {
		t.Error(err)
	}
}
