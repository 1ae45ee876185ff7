// Shows that the engine measures what a server of known behaviour does: that
// closed loops obey Little's law, that open loops show a stall to all that were
// due in it, and that whatever ends a phase nothing measured is lost.
package load

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/bench/measure"
)

// task calls a function as its only operation.
type task func(ctx context.Context) error

func (f task) Step(ctx context.Context, r *measure.Recorder) error {
	t := r.Begin(0)
	r.End(0, t, measure.Counts{1}, f(ctx))
	return nil
}

func (f task) Close() error { return nil }

func plan(workers int, f task) *Plan {
	return &Plan{
		Name: "test", Workers: workers, Ops: []string{"OP"}, Grace: 5 * time.Second,
		New:      func(context.Context, int) (Task, error) { return f, nil },
		Classify: func(error) (measure.Class, string) { return measure.Other, "" },
	}
}

func do(t *testing.T, p *Plan) *Outcome {
	t.Helper()
	o, err := Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A hundred workers and a server that takes its time: all 100 must be seen busy.
// The server tells how long it really took, since timers of a busy machine are
// late. One that is too busy runs the last calls far past the window, so there is
// more than one try.
func TestLittle(t *testing.T) {
	var off []string
	for range 4 {
		if off = little(t); len(off) == 0 {
			return
		}
	}
	t.Error(off)
}

func little(t *testing.T) (off []string) {
	var took, calls atomic.Int64
	p := plan(100, func(context.Context) error {
		begin := time.Now()
		time.Sleep(4 * time.Millisecond)
		took.Add(int64(time.Since(begin)))
		calls.Add(1)
		return nil
	})
	p.Time, p.Warmup = 1200*time.Millisecond, 100*time.Millisecond
	o := do(t, p)
	s := o.Set.Ops()[0]
	near := func(what string, got, want float64) {
		if math.Abs(got-want)/want > 0.01 {
			off = append(off, fmt.Sprintf("%s: %v, want %v within 1 %%", what, got, want))
		}
	}
	avg := float64(took.Load()) / float64(calls.Load()) / 1e3
	near("Avg", s.Service.Avg(), avg)
	near("Little", o.Little(), 100)
	near("QPS", o.QPS(s), 100/(avg/1e6))
	return off
}

// One second of stall in every ten: here a tenth of the time for each, which keeps
// the shares.
func TestOpenLoopShowsStalls(t *testing.T) {
	const scale = 4
	begin := time.Now()
	p := plan(10, func(context.Context) error {
		const period, stall = 10 * time.Second / scale, time.Second / scale
		if at := time.Since(begin) % period; at < stall {
			time.Sleep(stall - at)
		}
		time.Sleep(100 * time.Microsecond)
		return nil
	})
	p.Rate, p.Time = 1000, 10*time.Second/scale
	o := do(t, p)
	s := o.Set.Ops()[0]
	// Ten of a few thousand calls met the stall; a tenth of those due did.
	if p99 := s.Service.Percentile(99); p99 > 50_000 {
		t.Errorf("service p99 %d us, want near the base", p99)
	}
	if p99 := s.Response.Percentile(99); p99 < 800_000/scale {
		t.Errorf("response p99 %d us, want at least %d", p99, 800_000/scale)
	}
	if o.Overloaded() {
		t.Errorf("overloaded: %v of %v", o.TotalQPS(), p.Rate)
	}
}

func TestSkipMissed(t *testing.T) {
	var once sync.Once
	p := plan(1, func(context.Context) error {
		once.Do(func() { time.Sleep(200 * time.Millisecond) })
		return nil
	})
	p.Rate, p.Time, p.SkipMissed, p.Poisson, p.Seed = 500, 400*time.Millisecond, true, true, 1
	o := do(t, p)
	if o.Skipped < 50 || o.Skipped > 150 {
		t.Errorf("%d skipped, want near 100", o.Skipped)
	}
}

func TestOverload(t *testing.T) {
	p := plan(1, func(context.Context) error { time.Sleep(5 * time.Millisecond); return nil })
	p.Rate, p.Time, p.Every, p.Grace = 1000, 500*time.Millisecond, 20*time.Millisecond, 10*time.Millisecond
	o := do(t, p)
	if !o.Overloaded() || !o.LagGrows || o.EndLag < 100*time.Millisecond {
		t.Errorf("overload not seen: %v, lag %v, grows %v", o.TotalQPS(), o.EndLag, o.LagGrows)
	}
}

func TestStepsAreCounted(t *testing.T) {
	var calls atomic.Int64
	p := plan(7, func(context.Context) error { calls.Add(1); return nil })
	p.MaxSteps = 1000
	o := do(t, p)
	if n := o.Set.Ops()[0].OK(); n != 1000 || calls.Load() != 1000 || o.Set.Top() != 1000 {
		t.Errorf("%d recorded, %d done", n, calls.Load())
	}
}

// Interrupted at any moment, a phase has what was done until then.
func TestInterrupt(t *testing.T) {
	for _, after := range []time.Duration{0, 30 * time.Millisecond, 150 * time.Millisecond} {
		var calls atomic.Int64
		p := plan(4, func(context.Context) error { time.Sleep(time.Millisecond); calls.Add(1); return nil })
		p.Time = time.Minute
		stop := make(chan struct{})
		p.Stop = stop
		time.AfterFunc(after, func() { close(stop) })
		o := do(t, p)
		// A step that begins as the window closes is done and not counted.
		if n := o.Set.Ops()[0].OK(); !o.Interrupted || n > calls.Load() || n < calls.Load()-4 {
			t.Errorf("after %v: interrupted %v, %d recorded, %d done", after, o.Interrupted, n, calls.Load())
		}
	}
}

func TestUnfinishedCallsAreLowerBounds(t *testing.T) {
	var n atomic.Int64
	p := plan(2, func(ctx context.Context) error {
		if n.Add(1) == 10 {
			<-ctx.Done()
			return ctx.Err()
		}
		time.Sleep(time.Millisecond)
		return nil
	})
	p.Time, p.Grace = 100*time.Millisecond, 50*time.Millisecond
	o := do(t, p)
	s := o.Set.Ops()[0]
	if len(o.Unfinished) != 1 || s.Service.Max() < 100*time.Millisecond || s.Failures() != 0 {
		t.Errorf("unfinished %v, max %v, failures %d", o.Unfinished, s.Service.Max(), s.Failures())
	}
}

func TestErrors(t *testing.T) {
	boom := errors.New("boom")
	var n atomic.Int64
	p := plan(2, func(context.Context) error {
		if n.Add(1)%4 == 0 {
			return boom
		}
		return nil
	})
	p.MaxSteps = 400
	o := do(t, p)
	if s := o.Set.Ops()[0]; s.OK() != 300 || s.Failures() != 100 {
		t.Error(s.OK(), s.Failures())
	}
	p.StopOnError = true
	if o := do(t, p); o.Failure == nil || o.Set.Ops()[0].OK() > 10 {
		t.Error("it did not stop at the first failure")
	}
	p.New = func(context.Context, int) (Task, error) { return nil, boom }
	if _, err := Run(t.Context(), p); !errors.Is(err, boom) {
		t.Error(err)
	}
}
