package measure

import (
	"sync"
	"sync/atomic"
	"time"
)

// Op is an operation's number in its Set.
type Op int

// Counts are three numbers that come with an operation. What they mean, the Set's
// CountNames tell.
type Counts [3]int64

// sample is one finished operation.
type sample struct {
	op         Op
	class      Class
	top        bool
	due, start time.Duration // since the Set's base
	end        time.Duration
	counts     Counts
}

// batch is how many samples a worker keeps before it takes the Set's lock.
const batch = 256

// Recorder is one worker's way into a Set. Begin and End are the worker's own;
// Failures may be read by anyone.
type Recorder struct {
	set *Set
	due time.Duration // when the current step was due; 0 in a closed loop

	mu      sync.Mutex // guards samples; uncontended but for Interval
	samples []sample

	// What is in flight, for those that never finish. since is 0 when nothing is.
	op, since, sinceDue atomic.Int64

	muted    bool
	failures atomic.Int64
}

// Due tells when the next operation should have begun. Zero: whenever it does.
func (r *Recorder) Due(t time.Duration) { r.due = t }

// Mute discards what follows, until it is told otherwise: a warm-up that is
// counted in operations.
func (r *Recorder) Mute(on bool) { r.muted = on }

// Now is the time since the Set's base.
func (r *Recorder) Now() time.Duration { return r.set.Now() }

// Failures counts operations that ended in another class than OK.
func (r *Recorder) Failures() int64 { return r.failures.Load() }

// Begin starts the stopwatch of an operation, and returns the time for End.
func (r *Recorder) Begin(op Op) time.Duration {
	t := r.set.Now()
	due := t
	if r.due != 0 {
		due = r.due
	}
	r.op.Store(int64(op))
	r.sinceDue.Store(int64(due))
	r.since.Store(int64(t))
	return t
}

// End records a step's operation, which began at start.
func (r *Recorder) End(op Op, start time.Duration, counts Counts, err error) {
	r.record(op, start, counts, err, true)
	r.since.Store(0)
}

// EndInner records an operation that is part of another one, and is not counted
// in totals again.
func (r *Recorder) EndInner(op Op, start time.Duration, counts Counts, err error) {
	r.record(op, start, counts, err, false)
}

func (r *Recorder) record(op Op, start time.Duration, counts Counts, err error, top bool) {
	s := sample{op: op, top: top, due: start, start: start, end: r.set.Now(), counts: counts}
	if r.due != 0 {
		s.due = r.due
	}
	if r.muted || !r.set.inWindow(s.due) {
		return
	}
	if err != nil {
		s.class = r.set.fail(s, err)
		r.failures.Add(1)
	}
	r.mu.Lock()
	r.samples = append(r.samples, s)
	full := len(r.samples) >= batch
	if full {
		r.set.absorb(r.samples)
		r.samples = r.samples[:0]
	}
	r.mu.Unlock()
}

func (r *Recorder) drain() {
	r.mu.Lock()
	r.set.absorb(r.samples)
	r.samples = r.samples[:0]
	r.mu.Unlock()
}
