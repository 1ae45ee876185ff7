// Shows options and reports; the statements are shown against a real server by
// test/bench-tool.
package sysbench

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/store/mysqldb"
)

func options() Options {
	return Options{Tables: 3, TableSize: 6000, RangeSize: 100, RangeSelects: true, RandType: "uniform", IgnoreErrors: "1213,1020,1205"}
}

func TestNew(t *testing.T) {
	if _, err := New("oltp_raed_write", options(), mysqldb.Address{}); err == nil || !strings.Contains(err.Error(), "oltp_read_write") {
		t.Error(err)
	}
	bad := options()
	bad.IgnoreErrors = "deadlock"
	if _, err := New("oltp_insert", bad, mysqldb.Address{}); err == nil {
		t.Error("a bad list of errors was taken")
	}
	o := options()
	o.RangeSelects, o.SkipTrx = false, true
	x, err := New("oltp_read_only", o, mysqldb.Address{})
	if err != nil || x.mix != (mix{points: 10}) {
		t.Error(x, err)
	}
}

// Parts cover every id of every table once.
func TestParts(t *testing.T) {
	x, err := New("oltp_common", options(), mysqldb.Address{})
	if err != nil {
		t.Fatal(err)
	}
	p := newParts(x)
	seen := map[[2]int64]bool{}
	for {
		table, from, to, ok := p.take()
		if !ok {
			break
		}
		for id := from; id < to; id++ {
			if k := [2]int64{int64(table), id}; seen[k] || id < 1 || id > 6000 {
				t.Fatalf("id %d of table %d", id, table)
			} else {
				seen[k] = true
			}
		}
	}
	if len(seen) != 18_000 {
		t.Errorf("%d rows", len(seen))
	}
}

type event struct{}

func (event) Step(_ context.Context, r *measure.Recorder) error {
	r.End(opEvent, r.Begin(opEvent), measure.Counts{14, 4, 2}, nil)
	return nil
}

func (event) Close() error { return nil }

func TestReport(t *testing.T) {
	o, err := load.Run(t.Context(), &load.Plan{Name: "x", Workers: 2, Ops: opNames, CountNames: countNames, MaxSteps: 100,
		New: func(context.Context, int) (load.Task, error) { return event{}, nil }})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	Report(&b, o, []float64{95, 99})
	text := b.String()
	at := 0
	for _, want := range []string{"SQL statistics:", "read:                            1400", "write:                           400", "other:                           200",
		"total:                           2000", "transactions:", "queries:", "ignored errors:", "reconnects:", "Throughput:", "Latency (ms):", "95th percentile:", "Threads fairness:", "50.0000/"} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("no %q after %q in\n%s", want, text[:at], text)
		}
		at += i
	}
}
