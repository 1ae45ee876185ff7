// Shows that percentiles lie on the published grids, that failures stay apart, and
// that nothing recorded is lost or counted twice.
package measure

import (
	"errors"
	"math"
	"sync"
	"testing"
	"time"
)

func TestPercentileIsTheBucketsHighest(t *testing.T) {
	d := NewDist()
	for i := 1; i <= 10_000; i++ {
		d.Record(time.Duration(i) * time.Microsecond)
	}
	f := func(p float64, want int64) {
		t.Helper()
		if got := d.Percentile(p); got != want {
			t.Errorf("p%v: %d, want %d", p, got, want)
		}
	}
	f(0, 1)
	f(10, 1000)
	f(50, 5003)   // buckets of 4 from 4096 on
	f(99, 9903)   // and of 8 from 8192 on
	f(100, 10007) // the maximum's bucket
	if d.Avg() != 5000.5 || d.Max() != 10*time.Millisecond || d.Min() != time.Microsecond {
		t.Error(d.Avg(), d.Max(), d.Min())
	}
}

func TestGridPercentile(t *testing.T) {
	// Points of sysbench's grid, of published reports.
	for _, want := range []float64{1.10, 3.68, 11.04, 26.68, 68.05, 110.66} {
		d := NewDist()
		for range 100 {
			d.Record(time.Duration(want * 1e6))
		}
		d.Record(time.Second) // so that the maximum does not bound it
		if got := math.Round(d.GridPercentile(95)*100) / 100; got != want {
			t.Errorf("%v became %v", want, got)
		}
	}
	d := NewDist()
	d.Record(1005 * time.Microsecond)
	if got := d.GridPercentile(95); got > 1.005 {
		t.Errorf("a percentile of %v above the maximum", got)
	}
}

func TestEncodeDecode(t *testing.T) {
	d := NewDist()
	for i := range 1000 {
		d.Record(time.Duration(i*i) * time.Microsecond)
	}
	s, err := d.Encode()
	if err != nil {
		t.Fatal(err)
	}
	o, err := DecodeDist(s, d.Sum, d.Min(), d.Max())
	if err != nil {
		t.Fatal(err)
	}
	if o.Count != d.Count || o.Percentile(99) != d.Percentile(99) || o.Avg() != d.Avg() {
		t.Errorf("%+v became %+v", d, o)
	}
}

func FuzzDecodeDist(f *testing.F) {
	d := NewDist()
	d.Record(time.Millisecond)
	s, err := d.Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(s)
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, s string) { _, _ = DecodeDist(s, 0, 0, 0) })
}

func TestNothingIsLost(t *testing.T) {
	boom := errors.New("boom")
	s := NewSet([]string{"A", "B"}, false, func(error) (Class, string) { return Conflict, "1213" })
	s.Open(s.Now())
	const workers, each = 8, 1000
	var wg sync.WaitGroup
	for range workers {
		r := s.Recorder()
		wg.Go(func() {
			for i := range each {
				t := r.Begin(0)
				var err error
				if i%10 == 0 {
					err = boom
				}
				r.EndInner(1, t, Counts{1, 2, 3}, nil)
				r.End(0, t, Counts{}, err)
			}
		})
	}
	var ok int64
	for range 5 {
		for _, o := range s.Interval().Ops {
			ok += o.Service.Count
		}
	}
	wg.Wait()
	for _, o := range s.Interval().Ops {
		ok += o.Service.Count
	}
	ops := s.Ops()
	a, b := ops[0], ops[1]
	if a.OK() != workers*each*9/10 || a.Failures() != workers*each/10 || b.OK() != workers*each || ok != a.OK()+b.OK() {
		t.Error(a.OK(), a.Failures(), b.OK(), ok)
	}
	if e := a.Errors["conflict 1213"]; e == nil || e.Sample != "boom" || a.Failed.Count != e.Count {
		t.Error(a.Errors)
	}
	if s.Top() != a.OK() || b.Counts != (Counts{workers * each, 2 * workers * each, 3 * workers * each}) {
		t.Error(s.Top(), b.Counts)
	}
}

func TestWindow(t *testing.T) {
	s := NewSet([]string{"A"}, false, nil)
	r := s.Recorder()
	before := r.Begin(0)
	r.End(0, before, Counts{}, nil)
	straddle := r.Begin(0)
	s.Open(s.Now())
	r.End(0, straddle, Counts{}, nil)
	in := r.Begin(0)
	s.Close(s.Now() + time.Hour)
	r.End(0, in, Counts{}, nil)
	hangs := r.Begin(0)
	_ = hangs
	time.Sleep(5 * time.Millisecond)
	s.Interval()
	if got := s.Ops()[0].OK(); got != 1 {
		t.Errorf("%d in the window, want 1", got)
	}
	u := s.Unfinished()
	if o := s.Ops()[0]; len(u) != 1 || u[0].Elapsed < 5*time.Millisecond || o.OK() != 1 || o.Service.Max() < 5*time.Millisecond {
		t.Errorf("%+v", u)
	}
}
