package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/sample"
)

// connecting is how many workers connect at a time: servers have a backlog.
const connecting = 64

// run is a phase under way.
type run struct {
	plan  *Plan
	set   *measure.Set
	sched *schedule

	steps    atomic.Int64 // begun after the warm-up
	stopped  chan struct{}
	stopOnce sync.Once
	failure  error // written before stopped is closed
	lateness []*measure.Dist
	out      *Outcome
}

// Run carries out a plan. The error is set when nothing was measured; a phase that
// ended early tells so in its Outcome. When ctx ends, operations in flight are
// given up at once.
func Run(ctx context.Context, p *Plan) (*Outcome, error) {
	if p.Workers < 1 {
		return nil, fmt.Errorf("%s: %d workers, need at least 1", p.Name, p.Workers)
	}
	set := measure.NewSet(p.Ops, p.Rate > 0, p.Classify)
	if p.CountNames[0] != "" {
		set.CountNames = p.CountNames
	}
	r := &run{plan: p, set: set, stopped: make(chan struct{}), out: &Outcome{Plan: p, Set: set, Cores: sample.Cores()}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	connectBegan := time.Now()
	tasks, err := r.connect(ctx)
	defer func() {
		for _, t := range tasks {
			if t != nil {
				_ = t.Close() // all it did was answered or counted as failed
			}
		}
	}()
	if err != nil {
		return nil, err
	}
	r.out.Connect = time.Since(connectBegan)

	stall, before := sample.StartStall(), sample.Process()
	begin := set.Now()
	start := begin + p.Warmup
	if p.Rate > 0 {
		r.sched = newSchedule(p, begin)
	}
	set.Open(start)
	if p.Time > 0 {
		set.Close(start + p.Time)
	}
	r.out.Began = time.Now().Add(p.Warmup)

	r.out.WorkerSteps, r.out.WorkerSeconds = make([]int64, p.Workers), make([]float64, p.Workers)
	var workers sync.WaitGroup
	for i, t := range tasks {
		late := measure.NewDist()
		if p.Rate == 0 {
			late = nil
		}
		r.lateness = append(r.lateness, late)
		rec := set.Recorder()
		workers.Go(func() { r.work(ctx, i, t, rec, late) })
	}
	ended := make(chan struct{})
	go func() { workers.Wait(); close(ended) }()

	r.watch(ctx, start, before, ended)
	select {
	case <-ended:
	case <-time.After(p.Grace):
	case <-ctx.Done():
	}
	// What is in flight after the grace is given up, and so is counted below.
	cut := set.Now()
	_, end := set.Window()
	select {
	case <-ended:
	default:
		r.out.Unfinished = set.Unfinished()
		set.Close(min(end, start)) // what they record from here on is no success
		cancel()
		select {
		case <-ended:
		case <-time.After(p.Grace + 5*time.Second):
			r.out.Failure = errors.Join(r.out.Failure, errors.New("workers did not return after their calls were cancelled"))
			tasks = nil // still in use
		}
	}
	r.finish(start, end, cut, before, stall)
	return r.out, nil
}

func (r *run) connect(ctx context.Context) ([]Task, error) {
	tasks := make([]Task, r.plan.Workers)
	errs := make([]error, r.plan.Workers)
	var wg sync.WaitGroup
	var next atomic.Int64
	for range min(connecting, r.plan.Workers) {
		wg.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(tasks) || ctx.Err() != nil {
					return
				}
				if tasks[i], errs[i] = r.plan.New(ctx, i); errs[i] != nil {
					next.Store(int64(len(tasks)))
					return
				}
			}
		})
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return tasks, err
	}
	for i, err := range errs {
		if err != nil {
			return tasks, fmt.Errorf("%s: worker %d of %d: %w", r.plan.Name, i+1, r.plan.Workers, err)
		}
	}
	return tasks, nil
}

func (r *run) stop(err error) {
	r.stopOnce.Do(func() {
		r.failure = err
		close(r.stopped)
	})
}

// work is a worker's life.
func (r *run) work(ctx context.Context, i int, t Task, rec *measure.Recorder, late *measure.Dist) {
	start, _ := r.set.Window()
	defer func() {
		r.out.WorkerSeconds[i] = max(0, (r.set.Now() - start).Seconds())
	}()
	for {
		select {
		case <-r.stopped:
			return
		default:
		}
		_, end := r.set.Window()
		now := r.set.Now()
		if r.sched != nil {
			due, ok := r.sched.take(now, end)
			if !ok {
				return
			}
			if due > now {
				if !r.wait(ctx, due-now) {
					return
				}
				late.Record(r.set.Now() - due)
			}
			rec.Due(due)
			now = due
		} else if end != 0 && now >= end {
			return
		}
		if now >= start {
			if n := r.steps.Add(1); r.plan.MaxSteps > 0 && n > r.plan.MaxSteps {
				return
			}
			r.out.WorkerSteps[i]++
		}
		failed := rec.Failures()
		if err := t.Step(ctx, rec); err != nil {
			if errors.Is(err, ErrDone) {
				return
			}
			r.stop(err)
			return
		}
		if r.plan.StopOnError && rec.Failures() > failed {
			r.stop(errors.New("an operation failed, and on-error is stop"))
		}
		if ctx.Err() != nil {
			return
		}
	}
}

func (r *run) wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.stopped:
	case <-ctx.Done():
	}
	return false
}

// watch calls OnInterval until the window has ended.
func (r *run) watch(ctx context.Context, start time.Duration, before sample.Client, ended <-chan struct{}) {
	every := r.plan.Every
	if every <= 0 {
		every = time.Second
	}
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var over <-chan time.Time
	if r.plan.Time > 0 {
		over = time.After(r.plan.Warmup + r.plan.Time)
	}
	last, lastAt := before, r.set.Now()
	interval := func() {
		now := r.set.Now()
		p := Progress{InWarmup: now < start, Elapsed: max(0, now-start)}
		if !p.InWarmup {
			p.Interval = r.set.Interval()
			p.Steps = r.set.Top()
		}
		c := sample.Process()
		if now > lastAt {
			p.ClientCPU = float64(c.CPU-last.CPU) / float64(now-lastAt)
		}
		p.RSSBytes = c.RSSBytes
		r.out.RSSBytes = max(r.out.RSSBytes, c.RSSBytes)
		last, lastAt = c, now
		if r.sched != nil {
			p.Lag, p.Queue = r.sched.lag(now)
			r.out.MaxLag = max(r.out.MaxLag, p.Lag)
		}
		if !p.InWarmup {
			r.out.Intervals = append(r.out.Intervals, p)
		}
		if r.plan.OnInterval != nil {
			r.plan.OnInterval(p)
		}
	}
	for {
		select {
		case <-ticker.C:
			interval()
			continue
		case <-r.plan.Stop:
			r.out.Interrupted = true
			r.stop(nil)
		case <-r.stopped:
		case <-ctx.Done():
			r.out.Interrupted = true
		case <-over:
		case <-ended:
		}
		break
	}
	if _, end := r.set.Window(); end == 0 || end > r.set.Now() {
		r.set.Close(max(r.set.Now(), start))
	}
	if r.sched != nil {
		r.out.EndLag, _ = r.sched.lag(r.set.Now())
	}
}

// finish adds up.
func (r *run) finish(start, end, cut time.Duration, before sample.Client, stall *sample.Stall) {
	o := r.out
	o.Window = min(end, cut) - start
	if o.Failure == nil {
		select {
		case <-r.stopped:
			o.Failure = r.failure
		default:
		}
	}
	last := Progress{Interval: r.set.Interval(), Elapsed: o.Window, Steps: r.set.Top()}
	c := sample.Process()
	if len(o.Intervals) == 0 || last.To-last.From > 0 {
		last.RSSBytes = c.RSSBytes
		o.Intervals = append(o.Intervals, last)
		if r.plan.OnInterval != nil {
			r.plan.OnInterval(last)
		}
	}
	o.RSSBytes = max(o.RSSBytes, c.RSSBytes)
	if total := cut - start + r.plan.Warmup; total > 0 {
		o.ClientCPU = float64(c.CPU-before.CPU) / float64(total)
	}
	o.GCs, o.GCPause = c.GCs-before.GCs, c.GCPause-before.GCPause
	o.StallP99 = stall.P99()
	o.Slope, o.SlopeKnown = r.set.Slope(o.Window)
	if r.sched == nil {
		return
	}
	o.Due, o.Skipped = r.sched.counts()
	all := measure.NewDist()
	for _, d := range r.lateness {
		all.Add(d)
	}
	o.LatenessP99 = time.Duration(all.Percentile(99)) * time.Microsecond
	// Growing: the last quarter's least lag is above the first half's greatest, and
	// more than a moment.
	if n := len(o.Intervals); n >= 8 {
		var early, late time.Duration = 0, 1 << 62
		for _, p := range o.Intervals[:n/2] {
			early = max(early, p.Lag)
		}
		for _, p := range o.Intervals[n*3/4 : n-1] {
			late = min(late, p.Lag)
		}
		o.LagGrows = late > early+100*time.Millisecond
	}
}
