package load

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/bench/gen"
)

// schedule gives out the times of an open loop, in order.
type schedule struct {
	mu      sync.Mutex
	next    time.Duration
	gap     float64 // mean, in ns
	carry   float64 // part of a ns
	random  *rand.Rand
	skip    bool
	given   int64
	skipped int64
}

func newSchedule(p *Plan, start time.Duration) *schedule {
	s := &schedule{next: start, gap: 1e9 / p.Rate, skip: p.SkipMissed}
	if p.Poisson {
		s.random = gen.Rand(p.Seed, 1<<40)
	}
	return s
}

func (s *schedule) step() {
	gap := s.gap
	if s.random != nil {
		gap *= s.random.ExpFloat64()
	}
	gap += s.carry
	whole := time.Duration(gap)
	s.carry = gap - float64(whole)
	s.next += whole
}

// take is the time of the next step; ok is false when it is not before end.
func (s *schedule) take(now, end time.Duration) (due time.Duration, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A step that is late by less than a gap is not missed yet.
	for s.skip && s.next+time.Duration(s.gap) < now {
		s.step()
		s.skipped++
	}
	if end != 0 && s.next >= end {
		return 0, false
	}
	due = s.next
	s.step()
	s.given++
	return due, true
}

// lag is how far behind the schedule is, in time and in steps.
func (s *schedule) lag(now time.Duration) (time.Duration, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next >= now {
		return 0, 0
	}
	return now - s.next, int64(float64(now-s.next) / s.gap)
}

func (s *schedule) counts() (given, skipped int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.given, s.skipped
}
