package hbase

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// scanAnswer is a ScanResponse with its cells.
type scanAnswer struct {
	fields
	results []scanResult
}

type scanResult struct {
	cells   []cell.Cell
	partial bool
}

func (a scanAnswer) id() uint64         { return a.num(2) }
func (a scanAnswer) moreResults() bool  { return a.flag(3) }
func (a scanAnswer) moreInRegion() bool { return a.flag(8) }
func (a scanAnswer) heartbeat() bool    { return a.flag(9) }

func (a scanAnswer) rows() (rows []string) {
	for _, r := range a.results {
		rows = append(rows, string(r.cells[0].Row))
	}
	return rows
}

func (f *fixture) scanAnswer(m fields, block []byte) scanAnswer {
	f.t.Helper()
	a := scanAnswer{fields: m}
	if len(m[1]) != len(m[7]) {
		f.t.Fatalf("%d counts of cells, %d partial flags", len(m[1]), len(m[7]))
	}
	for i := range m[1] {
		var r scanResult
		r.cells, block = takeKVs(f.t, block, int(m[1][i].num))
		r.partial = m[7][i].num != 0
		a.results = append(a.results, r)
	}
	for _, x := range m[5] {
		p := parse(f.t, x.bytes)
		a.results = append(a.results, scanResult{inlineCells(f.t, p), p.flag(5)})
	}
	if len(block) > 0 {
		f.t.Fatalf("%d bytes left in the cell block of a scan", len(block))
	}
	return a
}

func (f *fixture) doScan(param message) scanAnswer {
	f.t.Helper()
	m, block := f.ok("Scan", param, nil)
	return f.scanAnswer(m, block)
}

// open is a ScanRequest that opens a scanner on table t.
func (f *fixture) open(scan message) message {
	return message{}.bytes(1, f.region("t", "")).bytes(2, scan)
}

func (f *fixture) next(id uint64) message { return message{}.num(3, id) }

// fill writes rows r00, r01, ... with one cell of the size.
func (f *fixture) fill(n, size int) {
	for i := range n {
		f.put(fmt.Sprintf("r%02d", i), "q", strings.Repeat("v", size))
	}
}

// Case B09: rows per call, a cut by size, and a limit on rows.
func TestScanLimits(t *testing.T) {
	f := newFixture(t, Limits{})
	f.fill(100, 10<<10)
	modern := message{}.flag(7, true).flag(8, true)

	a := f.doScan(append(f.open(message{}).num(4, 5), modern...))
	if len(a.results) != 5 || !a.moreInRegion() || !a.moreResults() || a.heartbeat() {
		t.Errorf("number_of_rows 5: %d rows, more in region %v, more %v, heartbeat %v", len(a.results), a.moreInRegion(), a.moreResults(), a.heartbeat())
	}
	a = f.doScan(append(f.next(a.id()).num(4, 7), modern...))
	if got := a.rows(); len(got) != 7 || got[0] != "r05" {
		t.Errorf("the next 7: %v", got)
	}

	a = f.doScan(append(f.open(message{}.num(10, 25<<10)).num(4, 100), modern...))
	if n := len(a.results); n == 0 || n > 3 || !a.moreInRegion() || !a.moreResults() || a.heartbeat() {
		t.Errorf("max_result_size 25 KiB: %d rows, more in region %v, heartbeat %v", n, a.moreInRegion(), a.heartbeat())
	}
	n := len(a.results)
	for a.moreInRegion() {
		a = f.doScan(append(f.next(a.id()).num(4, 100), modern...))
		n += len(a.results)
	}
	if n != 100 {
		t.Errorf("%d rows in all, want 100", n)
	}

	a = f.doScan(append(f.open(message{}).num(4, 100).num(11, 7), modern...))
	if len(a.results) != 7 || a.moreResults() {
		t.Errorf("limit_of_rows 7: %d rows, more results %v", len(a.results), a.moreResults())
	}
	if f.OpenScanners() != 1 {
		t.Errorf("%d scanners open, want the first alone", f.OpenScanners())
	}
}

func TestScanOpenAnswer(t *testing.T) {
	f := newFixture(t, Limits{})
	a := f.doScan(f.open(message{}).num(4, 10))
	if !a.has(2) || a.id() == 0 || a.num(4) != 60_000 || !a.has(11) || !a.has(8) || a.moreInRegion() || !a.moreResults() {
		t.Errorf("open on an empty region: %v", a.fields)
	}
	a = f.doScan(f.open(message{}).num(4, 0))
	if !a.has(2) || !a.moreInRegion() || !a.moreResults() || f.OpenScanners() != 1 {
		t.Errorf("open without rows: %v, %d open", a.fields, f.OpenScanners())
	}
	// A stated number of rows is missing with close_scanner: none are wanted.
	a = f.doScan(f.next(a.id()).flag(5, true))
	if len(a.results) != 0 || !a.moreInRegion() || f.OpenScanners() != 0 {
		t.Errorf("close: %v, %d open", a.fields, f.OpenScanners())
	}
	f.fails("DoNotRetryIOException", "Scan", message{}, nil)
	f.fails("NotServingRegionException", "Scan", message{}.bytes(1, specifier([]byte("x"))).bytes(2, message{}), nil)
	f.fails("NoSuchColumnFamilyException", "Scan", f.open(message{}.bytes(1, message{}.str(1, "no"))), nil)
}

// Case B11: answers carry the scanner's id, and closing a scanner that ended by
// itself is no error, nor is one more call.
func TestScanClosed(t *testing.T) {
	f := newFixture(t, Limits{})
	f.fill(3, 1)
	a := f.doScan(f.open(message{}).num(4, 2))
	id := a.id()
	a = f.doScan(f.next(id).num(4, 2).num(6, 0))
	if a.id() != id || a.moreInRegion() || len(a.results) != 1 {
		t.Errorf("last rows: id %d (want %d), more in region %v, %d rows", a.id(), id, a.moreInRegion(), len(a.results))
	}
	for _, param := range []message{
		f.next(id).flag(5, true).num(4, 0),
		f.next(id).flag(5, true),
		f.next(id).num(4, 2),
		f.next(id).num(4, 2).num(6, 1),
		f.open(message{}).num(3, id).num(4, 2),
	} {
		a := f.doScan(param)
		if a.id() != id || len(a.results) != 0 || a.has(8) || a.has(3) {
			t.Errorf("call of the closed scanner: %v", a.fields)
		}
	}
	// The last call again: its answer may have been lost, and with it rows.
	f.fails("OutOfOrderScannerNextException", "Scan", f.next(id).num(4, 2).num(6, 0), nil)
	f.clock.Add(61_000)
	f.fill(1, 1)
	f.doScan(f.open(message{}).num(4, 100))
	f.clock.Add(61_000)
	f.doScan(f.open(message{}).num(4, 100))
	f.fails("UnknownScannerException", "Scan", f.next(id).num(4, 2), nil)
}

// Case B22: a repeated or jumped number is out of order; the scanner stays.
func TestScanSequence(t *testing.T) {
	f := newFixture(t, Limits{})
	f.fill(10, 1)
	id := f.doScan(f.open(message{}).num(4, 1)).id()
	if got := f.doScan(f.next(id).num(4, 1).num(6, 0)).rows(); !reflect.DeepEqual(got, []string{"r01"}) {
		t.Fatalf("call 0: %v", got)
	}
	e := f.fails("OutOfOrderScannerNextException", "Scan", f.next(id).num(4, 1).num(6, 0), nil)
	if !e.DoNotRetry {
		t.Error("out of order may be retried")
	}
	f.fails("OutOfOrderScannerNextException", "Scan", f.next(id).num(4, 1).num(6, 2), nil)
	if got := f.doScan(f.next(id).num(4, 1).num(6, 1)).rows(); !reflect.DeepEqual(got, []string{"r02"}) {
		t.Errorf("call 1: %v", got)
	}
	// A renewal takes a number too; a client may also send none.
	f.doScan(f.next(id).flag(10, true).num(6, 2))
	if got := f.doScan(f.next(id).num(4, 1).num(6, 3)).rows(); !reflect.DeepEqual(got, []string{"r03"}) {
		t.Errorf("after a renewal: %v", got)
	}
	if got := f.doScan(f.next(id).num(4, 1)).rows(); !reflect.DeepEqual(got, []string{"r04"}) {
		t.Errorf("without a number: %v", got)
	}
}

// Case B04: a slow reader loses its scanner unless it renews the lease.
func TestScannerLease(t *testing.T) {
	f := newFixture(t, Limits{ScannerLease: time.Second})
	f.fill(10, 1)
	id := f.doScan(f.open(message{}).num(4, 1)).id()
	f.clock.Add(1500)
	f.scanners.expire()
	if e := f.fails("UnknownScannerException", "Scan", f.next(id).num(4, 1), nil); !e.DoNotRetry {
		t.Error("an unknown scanner may be retried")
	}
	id = f.doScan(f.open(message{}).num(4, 1)).id()
	for range 8 {
		f.clock.Add(400)
		f.scanners.expire()
		a := f.doScan(f.next(id).flag(10, true))
		if len(a.results) != 0 || a.has(8) || a.has(3) {
			t.Fatalf("renewal: %v", a.fields)
		}
	}
	f.scanners.expire()
	if got := f.doScan(f.next(id).num(4, 1)).rows(); !reflect.DeepEqual(got, []string{"r01"}) {
		t.Errorf("after 3 s of renewals: %v", got)
	}
	if n := f.OpenScanners(); n != 1 {
		t.Errorf("%d scanners open, want 1", n)
	}
}

// The sweeper does by itself what the test above does by hand.
func TestLeasesExpireInTime(t *testing.T) {
	f := newFixture(t, Limits{ScannerLease: 20 * time.Millisecond})
	f.fill(3, 1)
	f.doScan(f.open(message{}).num(4, 1))
	f.clock.Add(25)
	for deadline := time.Now().Add(5 * time.Second); f.OpenScanners() > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the lease never ran out")
		}
	}
}

// A scanner serves one call at a time, and its lease does not run meanwhile.
func TestScannerBusy(t *testing.T) {
	f := newFixture(t, Limits{ScannerLease: time.Second})
	f.fill(3, 1)
	id := f.doScan(f.open(message{}).num(4, 1)).id()
	sc, err := f.scanners.acquire(id, 0, false)
	if err != nil {
		t.Fatal(err)
	}
	f.fails("LeaseException", "Scan", f.next(id).num(4, 1), nil)
	f.clock.Add(10_000)
	if n := f.scanners.expire(); n != 0 {
		t.Errorf("%d leases ran out during a call", n)
	}
	f.scanners.release(sc)
	if got := f.doScan(f.next(id).num(4, 1)).rows(); !reflect.DeepEqual(got, []string{"r01"}) {
		t.Errorf("after the long call: %v", got)
	}
}

func TestMaxScanners(t *testing.T) {
	f := newFixture(t, Limits{MaxScanners: 2})
	f.fill(3, 1)
	for range 2 {
		f.doScan(f.open(message{}).num(4, 1))
	}
	if e := f.fails("CallQueueTooBigException", "Scan", f.open(message{}).num(4, 1), nil); e.DoNotRetry || !e.Overloaded {
		t.Errorf("the third scanner: %+v, want a retry with a longer pause", e)
	}
}

func TestScannerIDsGrow(t *testing.T) {
	f := newFixture(t, Limits{})
	first := f.doScan(f.open(message{})).id()
	second := f.doScan(f.open(message{})).id()
	later := newScannerTable(time.Minute, 1, func() time.Time { return time.UnixMilli(f.clock.Load() + 1) })
	if first == 0 || second <= first || later.nextID <= second {
		t.Errorf("ids %d, %d and, of the next process, %d: want them to grow", first, second, later.nextID)
	}
}

// The node client sends the scan again with the scanner's id, no flags, and
// has no codec.
func TestScanPlainClient(t *testing.T) {
	f := newFixture(t, Limits{})
	f.fill(5, 1)
	f.client = plainClient()
	a := f.doScan(f.open(message{}).num(4, 3))
	if got := a.rows(); !reflect.DeepEqual(got, []string{"r00", "r01", "r02"}) || a.has(1) || a.has(7) {
		t.Errorf("first call: %v, counts there: %v", got, a.has(1))
	}
	a = f.doScan(f.open(message{}).num(3, a.id()).num(4, 3))
	if got := a.rows(); !reflect.DeepEqual(got, []string{"r03", "r04"}) || !a.has(2) {
		t.Errorf("second call: %v", got)
	}
	if a = f.doScan(f.open(message{}).num(3, a.id()).num(4, 3)); len(a.results) != 0 {
		t.Errorf("third call: %v", a.rows())
	}
}

// Start and stop that are equal mean one row, if the client does not know
// include_stop_row.
func TestScanBounds(t *testing.T) {
	f := newFixture(t, Limits{})
	f.fill(5, 1)
	for _, tc := range []struct {
		name string
		scan message
		want []string
	}{
		{"from", message{}.str(3, "r03"), []string{"r03", "r04"}},
		{"after", message{}.str(3, "r03").flag(21, false), []string{"r04"}},
		{"to", message{}.str(4, "r01"), []string{"r00"}},
		{"to and with", message{}.str(4, "r01").flag(22, true), []string{"r00", "r01"}},
		{"equal", message{}.str(3, "r02").str(4, "r02"), []string{"r02"}},
		{"equal, said", message{}.str(3, "r02").str(4, "r02").flag(22, false), nil},
		{"reversed", message{}.str(3, "r02").flag(15, true), []string{"r02", "r01", "r00"}},
		{"reversed to", message{}.str(3, "r02").str(4, "r00").flag(15, true), []string{"r02", "r01"}},
		{"reversed from the end", message{}.str(4, "r02").flag(15, true), []string{"r04", "r03"}},
	} {
		if got := f.doScan(f.open(tc.scan).num(4, 100)).rows(); !reflect.DeepEqual(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// A scan that finds nothing for long says so, and where it is, to clients that
// know heartbeats; others wait.
func TestHeartbeats(t *testing.T) {
	f := newFixture(t, Limits{MinTimeSlice: 1, DefaultTimeout: 2})
	f.fill(60, 1)
	f.put("r99", "last", "v")
	filter := message{}.str(1, "org.apache.hadoop.hbase.filter.QualifierFilter").bytes(2, message{}.bytes(1, message{}.
		num(1, 2).bytes(2, message{}.str(1, "org.apache.hadoop.hbase.filter.BinaryComparator").bytes(2, message{}.bytes(1, message{}.str(1, "last"))))))
	scan := message{}.bytes(5, filter).flag(24, true)
	modern := message{}.flag(7, true).flag(8, true).flag(9, true)

	a := f.doScan(append(f.open(scan).num(4, 10), modern...))
	if len(a.results) != 0 || !a.heartbeat() || !a.moreInRegion() || !a.moreResults() {
		t.Fatalf("first call: %d results, heartbeat %v, more in region %v", len(a.results), a.heartbeat(), a.moreInRegion())
	}
	if cursor := string(a.msg(t, 12).bytes(1)); cursor < "r00" || cursor > "r59" {
		t.Errorf("cursor %q", cursor)
	}
	metrics := map[string]uint64{}
	for _, m := range a.msg(t, 10)[1] {
		p := parse(t, m.bytes)
		metrics[string(p.bytes(1))] = p.num(2)
	}
	if metrics["ROWS_SCANNED"] == 0 || metrics["ROWS_FILTERED"] != metrics["ROWS_SCANNED"] || metrics["BLOCK_BYTES_SCANNED"] == 0 {
		t.Errorf("metrics: %v", metrics)
	}
	beats := 0
	for a.moreInRegion() && len(a.results) == 0 {
		a = f.doScan(append(f.next(a.id()).num(4, 10), modern...))
		beats++
	}
	if got := a.rows(); !reflect.DeepEqual(got, []string{"r99"}) || beats < 2 {
		t.Errorf("after %d heartbeats: %v", beats, got)
	}

	if got := f.doScan(f.open(scan).num(4, 10)).rows(); !reflect.DeepEqual(got, []string{"r99"}) {
		t.Errorf("a client without heartbeats: %v", got)
	}
}

// When the filter ends the scan, the client is told not to ask other regions,
// but only in an answer without rows, which old clients drop.
func TestFilterEndsScan(t *testing.T) {
	f := newFixture(t, Limits{})
	f.fill(5, 1)
	page := message{}.bytes(5, message{}.str(1, "org.apache.hadoop.hbase.filter.PrefixFilter").bytes(2, message{}.str(1, "r00")))
	a := f.doScan(f.open(page).num(4, 10))
	if len(a.results) != 1 || a.moreInRegion() || !a.moreResults() {
		t.Errorf("with a row: %d rows, more in region %v, more %v", len(a.results), a.moreInRegion(), a.moreResults())
	}
	past := message{}.str(3, "r02").bytes(5, message{}.str(1, "org.apache.hadoop.hbase.filter.PrefixFilter").bytes(2, message{}.str(1, "r00")))
	a = f.doScan(f.open(past).num(4, 10))
	if len(a.results) != 0 || a.moreResults() {
		t.Errorf("without a row: %d rows, more %v", len(a.results), a.moreResults())
	}
}

// A change of the table ends its scanners: the client opens a new one behind
// the last row it has.
func TestScanAcrossTableChange(t *testing.T) {
	f := newFixture(t, Limits{})
	f.fill(5, 1)
	id := f.doScan(f.open(message{}).num(4, 1)).id()
	if err := f.catalog.AddFamily(catalog.ParseTableName("t"), &catalog.FamilySchema{Name: []byte("h")}); err != nil {
		t.Fatal(err)
	}
	f.fails("NotServingRegionException", "Scan", f.next(id).num(4, 1).num(6, 0), nil)
	f.fails("UnknownScannerException", "Scan", f.next(id).num(4, 1), nil)
	if f.OpenScanners() != 0 {
		t.Error("the scanner is still open")
	}
	if got := f.doScan(f.open(message{}).num(4, 1)).rows(); len(got) != 1 {
		t.Errorf("a new scanner: %v", got)
	}
}

// An error in the middle of a scan closes the scanner; what the client is told
// depends on its age.
func TestScanReset(t *testing.T) {
	for class, client := range map[string]*rpc.Client{"ScannerResetException": java(), "UnknownScannerException": goClient()} {
		f := newFixture(t, Limits{})
		f.fill(5, 1)
		f.client = client
		ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
		defer cancel()
		f.fill(40, 1)
		r := new(rpc.Reply)
		err := f.methods["Scan"].Handle(ctx, &rpc.Call{Client: client, Param: f.open(message{}).num(4, 100)}, r)
		if e, ok := err.(*rpc.Error); !ok || simple(e.Class) != class || !e.DoNotRetry {
			t.Errorf("%v, want a %s", err, class)
		}
	}
}

func TestLongScan(t *testing.T) {
	f := newFixture(t, Limits{})
	filter := message{}.bytes(5, message{}.str(1, "x"))
	for _, tc := range []struct {
		param message
		want  bool
	}{
		{f.open(message{}).num(4, 100), false},
		{f.open(message{}).num(4, 1<<31-1), true},
		{f.open(message{}).num(4, 1<<31-1).num(11, 10), false},
		{f.open(filter).num(4, 1), true},
		{f.next(1).flag(5, true), false},
		{message{0x80}, false},
	} {
		if got := f.longScan(&rpc.Call{Param: tc.param}); got != tc.want {
			t.Errorf("%x is long: %v, want %v", []byte(tc.param), got, tc.want)
		}
	}
}
