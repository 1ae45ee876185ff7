package load

import (
	"context"
	"errors"
	"time"

	"github.com/basaltdb/basalt/internal/bench/measure"
)

// Task is one worker's work. Its methods are called by that worker only.
type Task interface {
	// Step does one step and records it. It returns ErrDone when there is no
	// further one, and other errors only to end the whole phase.
	Step(ctx context.Context, r *measure.Recorder) error
	// Close ends the worker's connection.
	Close() error
}

// ErrDone is what a Task's Step returns when it has nothing left to do.
var ErrDone = errors.New("no work left")

// Plan describes a phase.
type Plan struct {
	Name    string
	Workers int
	Ops     []string // names of the operations that tasks record
	// CountNames tell what the counts of operations are; rows, cells, bytes if not
	// set.
	CountNames [3]string
	// New connects a worker. All do before the clock starts.
	New      func(ctx context.Context, worker int) (Task, error)
	Classify func(error) (measure.Class, string)

	Warmup time.Duration
	Time   time.Duration // 0: until MaxSteps, or all tasks are done
	Grace  time.Duration // for what is in flight at the end
	// MaxSteps bounds the steps after the warm-up; 0 is no bound.
	MaxSteps int64
	// Rate is how many steps a second are due; 0 is a closed loop. Poisson makes
	// the gaps random, of the same mean. SkipMissed leaves out what became due
	// while all workers were busy, and counts it.
	Rate       float64
	Poisson    bool
	SkipMissed bool
	Seed       uint64
	// StopOnError ends the phase at the first failure.
	StopOnError bool
	// Stop, when closed, ends the phase early, as a Ctrl-C does.
	Stop <-chan struct{}
	// Every, if not zero, calls OnInterval that often, and once at the end.
	Every      time.Duration
	OnInterval func(Progress)
}

// Progress is what OnInterval gets.
type Progress struct {
	measure.Interval
	Elapsed   time.Duration // of the window
	Steps     int64         // successful so far
	Lag       time.Duration // of an open loop: how far behind schedule
	Queue     int64         // and how many steps are due and not begun
	InWarmup  bool
	ClientCPU float64 // of one core, in this interval: 1 is a whole one
	RSSBytes  int64
}

// Outcome is what became of a phase.
type Outcome struct {
	Plan        *Plan
	Set         *measure.Set
	Began       time.Time // of the window
	Window      time.Duration
	Connect     time.Duration // all workers, before the window
	Intervals   []Progress
	Interrupted bool
	Failure     error // that ended the phase
	Unfinished  []measure.Unfinished

	// Of an open loop.
	Due, Skipped  int64
	MaxLag        time.Duration
	EndLag        time.Duration
	LagGrows      bool
	ClientCPU     float64 // cores used on average
	Cores         int
	RSSBytes      int64 // greatest seen
	StallP99      time.Duration
	LatenessP99   time.Duration // of the schedule's timers
	GCs           int64
	GCPause       time.Duration
	Slope         float64
	SlopeKnown    bool
	WorkerSteps   []int64 // successful and failed, of each worker
	WorkerSeconds []float64
}

// QPS is the throughput of one operation.
func (o *Outcome) QPS(s *measure.Stats) float64 { return perSecond(s.OK(), o.Window) }

// TotalQPS is the throughput of all top-level operations.
func (o *Outcome) TotalQPS() float64 {
	var n int64
	for _, s := range o.Set.Ops() {
		n += s.Top
		if s.Top > 0 {
			n -= s.Late
		}
	}
	return perSecond(n, o.Window)
}

func perSecond(n int64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}

// Little is how many workers were busy on average: throughput times latency. In a
// closed loop it should be nearly all.
func (o *Outcome) Little() float64 {
	var busy time.Duration
	for _, s := range o.Set.Ops() {
		busy += s.Busy
	}
	if o.Window <= 0 {
		return 0
	}
	return busy.Seconds() / o.Window.Seconds()
}

// Overloaded tells whether an open loop did not keep its rate.
func (o *Outcome) Overloaded() bool {
	return o.Plan.Rate > 0 && (o.TotalQPS() < 0.95*o.Plan.Rate && !o.stoppedByCount() || o.LagGrows)
}

// stoppedByCount: the last steps of a short run weigh too much to judge its rate.
func (o *Outcome) stoppedByCount() bool { return o.Plan.Time == 0 && o.EndLag < time.Second }
