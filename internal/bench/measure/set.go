package measure

import (
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// tick is the grid of throughput over time that steadiness is judged by.
const tick = 100 * time.Millisecond

// maxTicks bounds that grid: a day.
const maxTicks = int(24 * time.Hour / tick)

// Set has what one phase measured.
//
// Locks: a Recorder's before the Set's.
type Set struct {
	// CountNames tell what the three Counts of each operation are.
	CountNames [3]string

	base       time.Time
	start, end atomic.Int64 // of the window, since base; 0: not yet known
	classify   func(error) (Class, string)

	mu        sync.Mutex // guards all below
	ops       []*Stats
	recorders []*Recorder
	interval  []*Stats
	mark      time.Duration // when the last interval ended
	ticks     []int64       // ok top-level operations by time of their end
	openLoop  bool
}

// Stats are what was measured of one operation.
type Stats struct {
	Name     string
	Service  *Dist // successes, sent to done
	Response *Dist // successes, due to done; only of an open loop
	Failed   *Dist // everything else
	Errors   map[string]*ErrorCount
	Counts   Counts
	// Late successes ended after the window: their latencies count, their number
	// does not. Only of an open loop.
	Late int64
	// Top counts the successes that were not part of another operation, and Busy
	// the time of all such operations, failed ones too.
	Top  int64
	Busy time.Duration
}

// OK is the number of successes for throughput.
func (s *Stats) OK() int64 { return s.Service.Count - s.Late }

// ErrorCount is how often one kind of error came.
type ErrorCount struct {
	Class       Class
	Code        string
	Count       int64
	First, Last time.Duration // since the window's start
	Sample      string
}

// Failures sums up all errors.
func (s *Stats) Failures() (n int64) {
	for _, e := range s.Errors {
		n += e.Count
	}
	return n
}

// NewSet makes a Set of operations. classify tells an error's class and code.
func NewSet(names []string, openLoop bool, classify func(error) (Class, string)) *Set {
	s := &Set{base: time.Now(), classify: classify, openLoop: openLoop, CountNames: [3]string{"rows", "cells", "bytes"}}
	for _, n := range names {
		s.ops = append(s.ops, newStats(n, openLoop))
		s.interval = append(s.interval, newStats(n, openLoop))
	}
	return s
}

func newStats(name string, openLoop bool) *Stats {
	s := &Stats{Name: name, Service: NewDist(), Failed: NewDist(), Errors: map[string]*ErrorCount{}}
	if openLoop {
		s.Response = NewDist()
	}
	return s
}

// Now is the time since the base. It is never 0.
func (s *Set) Now() time.Duration { return max(time.Since(s.base), 1) }

// Recorder makes one worker's Recorder.
func (s *Set) Recorder() *Recorder {
	r := &Recorder{set: s, samples: make([]sample, 0, batch)}
	s.mu.Lock()
	s.recorders = append(s.recorders, r)
	s.mu.Unlock()
	return r
}

// Open begins the window at t; End ends it. Operations due outside are discarded.
func (s *Set) Open(t time.Duration) {
	s.mu.Lock()
	s.mark = t
	s.mu.Unlock()
	s.start.Store(int64(t))
}

// Close ends the window at t, which may be later than now.
func (s *Set) Close(t time.Duration) { s.end.Store(int64(t)) }

// Window is the window's beginning and end.
func (s *Set) Window() (start, end time.Duration) {
	return time.Duration(s.start.Load()), time.Duration(s.end.Load())
}

func (s *Set) inWindow(t time.Duration) bool {
	start, end := s.Window()
	return start != 0 && t >= start && (end == 0 || t < end)
}

const maxSample = 300 // characters of an error's message that are kept

func (s *Set) fail(m sample, err error) Class {
	class, code := s.classify(err)
	key := class.String()
	if code != "" {
		key += " " + code
	}
	start, _ := s.Window()
	at := m.end - start
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range []*Stats{s.ops[m.op], s.interval[m.op]} {
		e := o.Errors[key]
		if e == nil {
			text := err.Error()
			e = &ErrorCount{Class: class, Code: code, First: at, Sample: text[:min(len(text), maxSample)]}
			o.Errors[key] = e
		}
		e.Count++
		e.Last = at
	}
	return class
}

// absorb takes samples of one worker.
func (s *Set) absorb(samples []sample) {
	s.mu.Lock()
	defer s.mu.Unlock()
	start, end := s.Window()
	for i := range samples {
		m := &samples[i]
		o := s.interval[m.op]
		if m.top {
			o.Busy += m.end - m.start
		}
		if m.class != OK {
			o.Failed.Record(m.end - m.start)
			continue
		}
		o.Service.Record(m.end - m.start)
		if s.openLoop {
			o.Response.Record(m.end - m.due)
			if end != 0 && m.end > end {
				o.Late++
			}
		}
		for j := range m.counts {
			o.Counts[j] += m.counts[j]
		}
		if m.top {
			o.Top++
			if t := int((m.end - start) / tick); t < maxTicks {
				for len(s.ticks) <= t {
					s.ticks = append(s.ticks, 0)
				}
				s.ticks[t]++
			}
		}
	}
}

// Interval is what came in a part of the window.
type Interval struct {
	From, To time.Duration // since the window's start
	Ops      []*Stats
}

// Interval ends the current part of the window and returns it, with all
// operations, also those without samples.
func (s *Set) Interval() Interval {
	s.mu.Lock()
	recorders := slices.Clone(s.recorders)
	s.mu.Unlock()
	for _, r := range recorders {
		r.drain()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	start, _ := s.Window()
	v := Interval{From: s.mark - start, To: now - start, Ops: s.interval}
	s.mark = now
	s.interval = nil
	for i, o := range v.Ops {
		s.ops[i].merge(o)
		s.interval = append(s.interval, newStats(o.Name, s.openLoop))
	}
	return v
}

// merge adds an interval. Its errors are in the total already.
func (s *Stats) merge(o *Stats) {
	s.Service.Add(o.Service)
	s.Failed.Add(o.Failed)
	if s.Response != nil {
		s.Response.Add(o.Response)
	}
	for i, c := range o.Counts {
		s.Counts[i] += c
	}
	s.Late += o.Late
	s.Top += o.Top
	s.Busy += o.Busy
}

// Unfinished is an operation that did not end in time.
type Unfinished struct {
	Op      string        `json:"op"`
	Elapsed time.Duration `json:"elapsed_ns"` // at least so long did it take
}

// Unfinished ends the account of operations in flight: their time so far enters
// the latencies as a lower bound, their number no throughput.
func (s *Set) Unfinished() (all []Unfinished) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.Now()
	for _, r := range s.recorders {
		since, due := time.Duration(r.since.Load()), time.Duration(r.sinceDue.Load())
		if since == 0 || !s.inWindow(due) {
			continue
		}
		o := s.ops[r.op.Load()]
		all = append(all, Unfinished{o.Name, now - since})
		o.Service.Record(now - since)
		o.Late++
		o.Busy += now - since
		if o.Response != nil {
			o.Response.Record(now - due)
		}
	}
	return all
}

// Ops are the totals up to the last Interval. They must not be changed, and are
// complete only after the workers have ended.
func (s *Set) Ops() []*Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ops)
}

// Top sums up the top-level successes up to the last Interval.
func (s *Set) Top() (n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.ops {
		n += o.Top
	}
	return n
}

// Slope is by how much of its mean throughput rose, or fell, over the last 8 of
// 10 equal parts of the window, by a straight line. ok is false when the window
// was too short to tell.
func (s *Set) Slope(window time.Duration) (slope float64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(int(window/tick), len(s.ticks))
	if n < 20 {
		return 0, false
	}
	var sums [10]float64
	for i := range n {
		sums[i*10/n] += float64(s.ticks[i])
	}
	for i := range sums {
		// Parts differ by a tick when n is not a multiple of ten.
		sums[i] /= float64(((i+1)*n+9)/10 - (i*n+9)/10)
	}
	var mean, num, den float64
	for _, v := range sums[2:] {
		mean += v / 8
	}
	for i, v := range sums[2:] {
		x := float64(i) - 3.5
		num += x * (v - mean)
		den += x * x
	}
	if mean == 0 || math.IsNaN(num) {
		return 0, false
	}
	return num / den * 7 / mean, true
}
