// Shows that results survive their files, that merging adds histograms and not
// percentiles, and that a comparison finds differences that are there and none
// that are not.
package result

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/bench/measure"
)

// simulated is a run of 30 seconds with noise that lasts a few of them.
func simulated(r *rand.Rand, speed float64) *Result { return simulate(r, speed, true) }

// simulate leaves out the histograms, which take most of the time, if told so.
func simulate(r *rand.Rand, speed float64, histograms bool) *Result {
	res := &Result{Schema: Schema, Workload: Workload{Kind: "ycsb run"}}
	total := measure.NewDist()
	drift := 0.0
	var n int64
	for s := range 30 {
		drift = 0.5*drift + 0.05*r.NormFloat64()
		d := measure.NewDist()
		rate := int(400 * speed * math.Exp(drift))
		if !histograms {
			n += int64(rate)
			res.Series = append(res.Series, Point{From: float64(s), To: float64(s + 1), Ops: map[string]PointOp{"READ": {OK: int64(rate)}}})
			continue
		}
		for range rate {
			d.Record(time.Duration(1e6 / speed * math.Exp(drift+0.3*r.NormFloat64())))
		}
		total.Add(d)
		n += d.Count
		hdr, err := d.Encode()
		if err != nil {
			panic(err)
		}
		res.Series = append(res.Series, Point{From: float64(s), To: float64(s + 1), Ops: map[string]PointOp{"READ": {OK: d.Count, HDR: hdr}}})
	}
	res.Phases = []*Phase{{Name: "run", Threads: 10, Seconds: 30, QPS: float64(n) / 30, Order: []string{"READ"},
		Ops: map[string]*Op{"READ": {OK: n, QPS: float64(n) / 30, Dist: DistOf(total)}}}}
	return res
}

func TestIdenticalTargetsShowNoDifference(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	f := func(pairs int, histograms bool) {
		t.Helper()
		lines, wrong := 0, 0
		for range pairs {
			all, err := Compare([]*Result{simulate(r, 1, histograms)}, []*Result{simulate(r, 1, histograms)})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range all {
				if l.Verdict != NoMeasure {
					lines++
				}
				if l.Verdict == Better || l.Verdict == Worse {
					wrong++
				}
			}
		}
		if wrong*20 > lines {
			t.Errorf("%d of %d lines of equals were told apart", wrong, lines)
		}
	}
	f(100, false)
	f(5, true)
}

func TestADifferenceIsShown(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	lines, err := Compare([]*Result{simulated(r, 1)}, []*Result{simulated(r, 1.5)})
	if err != nil {
		t.Fatal(err)
	}
	verdict := map[string]string{}
	for _, l := range lines {
		verdict[l.Tag+" "+l.Item] = l.Verdict
	}
	for _, k := range []string{"OVERALL Throughput(ops/sec)", "READ AverageLatency(us)", "READ 99thPercentileLatency(us)"} {
		if verdict[k] != Better {
			t.Errorf("%s: %q", k, verdict[k])
		}
	}
	// Three repeats of each side.
	var a, b []*Result
	for range 3 {
		a, b = append(a, simulated(r, 1.5)), append(b, simulated(r, 1))
	}
	if lines, err = Compare(a, b); err != nil || lines[0].Verdict != Worse {
		t.Error(lines[0], err)
	}
}

func TestUnfairPairsAreNamed(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	a, b := simulated(r, 1), simulated(r, 1)
	if d := Differences(a, b); len(d) != 0 {
		t.Error(d)
	}
	a.Workload.Properties = map[string]Property{"durability": {Value: "SKIP_WAL"}}
	b.Phases[0].Threads = 20
	if d := Differences(a, b); len(d) != 2 || !strings.Contains(d[0], "durability") || !strings.Contains(d[1], "threads") {
		t.Error(d)
	}
}

func TestFilesAndMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	a, b := simulated(r, 1), simulated(r, 0.1)
	var f bytes.Buffer
	if err := a.Encode(&f); err != nil {
		t.Fatal(err)
	}
	a, err := Read(&f)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Merge([]*Result{a, b})
	if err != nil {
		t.Fatal(err)
	}
	x, y, z := a.Phases[0].Ops["READ"], b.Phases[0].Ops["READ"], m.Phases[0].Ops["READ"]
	if z.OK != x.OK+y.OK || z.Count != z.OK || m.Phases[0].Threads != 20 {
		t.Errorf("%d and %d became %d", x.OK, y.OK, z.OK)
	}
	// A tenth of the operations took ten times as long: p99 is theirs, and no mean
	// of both.
	if p := z.Pct["99"]; p < 4*x.Pct["99"] || p > y.Pct["99"] {
		t.Errorf("p99 of %d and %d became %d", x.Pct["99"], y.Pct["99"], p)
	}
	if _, err := Read(strings.NewReader(`{"schema":"other/1"}`)); err == nil {
		t.Error("another schema was read")
	}
	for _, write := range []func(*Result) error{
		func(r *Result) error { return r.SummaryCSV(&f) }, func(r *Result) error { return r.SeriesCSV(&f) },
	} {
		f.Reset()
		if err := write(a); err != nil || strings.Count(f.String(), "\n") < 2 {
			t.Error(f.String(), err)
		}
	}
}

const ycsbText = `Command line: -t -db site.ycsb.BasicDB
[OVERALL], RunTime(ms), 2000
[OVERALL], Throughput(ops/sec), 500.0
[TOTAL_GCs], Count, 3
[READ], Operations, 990
[READ], AverageLatency(us), 312.5
[READ], MinLatency(us), 100
[READ], MaxLatency(us), 9000
[READ], 95thPercentileLatency(us), 700
[READ], 99.9PercentileLatency(us), 8000
[READ], Return=OK, 990
[READ], Return=NOT_FOUND, 10
[READ-FAILED], Operations, 10
`

func TestConvert(t *testing.T) {
	r, err := FromYCSB(strings.NewReader(ycsbText), "x")
	if err != nil {
		t.Fatal(err)
	}
	p, o := r.Phases[0], r.Phases[0].Ops["READ"]
	if p.Seconds != 2 || p.QPS != 500 || len(p.Ops) != 1 || o.OK != 990 || o.QPS != 495 || o.Avg != 312.5 || o.Max != 9000 ||
		o.Pct["95"] != 700 || o.Pct["99.9"] != 8000 || o.Failures() != 10 {
		t.Errorf("%+v, %+v", p, o)
	}
	lines, err := Compare([]*Result{r}, []*Result{r})
	if err != nil || lines[0].Ratio != 1 || lines[0].Verdict != Unclear {
		t.Error(lines, err)
	}
	if _, err := FromYCSB(strings.NewReader("hello\n"), ""); err == nil {
		t.Error("something else was read")
	}
}

func FuzzFromYCSB(f *testing.F) {
	f.Add(ycsbText)
	f.Fuzz(func(t *testing.T, s string) { _, _ = FromYCSB(strings.NewReader(s), "") })
}

func FuzzRead(f *testing.F) {
	f.Add(`{"schema":"basalt-bench/1","phases":[{"ops":{"A":{}}}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		if r, err := Read(strings.NewReader(s)); err == nil {
			_ = r.SummaryCSV(&bytes.Buffer{})
			_ = r.SeriesCSV(&bytes.Buffer{})
			_, _ = Compare([]*Result{r}, []*Result{r})
			_, _ = Merge([]*Result{r, r})
		}
	})
}
