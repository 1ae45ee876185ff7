package gen

import (
	"fmt"
	"math/rand/v2"
	"sync"
)

// Acks hands out the numbers of new records, and knows up to where all of them
// were acknowledged, so that nobody reads a record that may not be there yet. It
// is safe for concurrent use.
type Acks struct {
	mu      sync.Mutex
	next    int64
	last    int64              // all up to here are settled
	settled map[int64]struct{} // beyond last
	holes   map[int64]struct{} // inserts that failed
}

// NewAcks begins with the record number first as the next new one.
func NewAcks(first int64) *Acks {
	return &Acks{next: first, last: first - 1, settled: map[int64]struct{}{}, holes: map[int64]struct{}{}}
}

// Next is the number of a new record. It must be given to Done.
func (a *Acks) Next() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next++
	return a.next - 1
}

// Done tells whether the insert of record n was acknowledged. Records whose insert
// failed are never drawn.
func (a *Acks) Done(n int64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !ok {
		a.holes[n] = struct{}{}
	}
	a.settled[n] = struct{}{}
	for {
		if _, ok := a.settled[a.last+1]; !ok {
			return
		}
		a.last++
		delete(a.settled, a.last)
	}
}

// Last is the newest record of those that, like all before, are settled.
func (a *Acks) Last() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last
}

func (a *Acks) hole(n int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.holes[n]
	return ok
}

// Distribution says which records requests are for.
type Distribution struct {
	Name string // uniform, sequential, zipfian, latest, hotspot or exponential
	// Start and Count are the range of records loaded before.
	Start, Count int64
	// NewKeys is how many inserts are expected during the run: zipfian draws over
	// those too, and draws again when it hits one that is not there yet.
	NewKeys        int64
	HotSet, HotOps float64
	// Percentile of exponential draws are within Frac of the records.
	Percentile, Frac float64
}

// Distributions are the names of all.
var Distributions = []string{"uniform", "sequential", "zipfian", "latest", "hotspot", "exponential"}

// Chooser draws existing records.
type Chooser struct {
	ints Ints
	acks *Acks
	kind string
	zipf *Zipf // of latest
}

// Chooser makes one worker's Chooser. acks is shared among the workers.
func (d Distribution) Chooser(acks *Acks) (*Chooser, error) {
	if d.Count < 1 {
		return nil, fmt.Errorf("no records to choose from: recordcount and insertcount are %d", d.Count)
	}
	c := &Chooser{acks: acks, kind: d.Name}
	last := d.Start + d.Count - 1
	switch d.Name {
	case "uniform":
		c.ints = Uniform{d.Start, last}
	case "sequential":
		c.ints = &Sequential{Min: d.Start, Max: last}
	case "zipfian":
		c.ints = NewScrambled(d.Start, d.Count+d.NewKeys+1)
	case "hotspot":
		c.ints = HotSpot{d.Start, last, d.HotSet, d.HotOps}
	case "exponential":
		c.ints = NewExponential(d.Percentile, float64(d.Count)*d.Frac)
	case "latest":
		c.zipf = NewZipf(0, max(d.Count-1, 1), Theta)
	default:
		return nil, fmt.Errorf("requestdistribution=%s: unknown, want one of %v", d.Name, Distributions)
	}
	return c, nil
}

// Next draws the number of a record that exists.
func (c *Chooser) Next(r *rand.Rand) int64 {
	for {
		last := c.acks.Last()
		var n int64
		switch c.kind {
		case "latest":
			n = last - c.zipf.next(r, max(last, 2))
		case "exponential":
			n = last - c.ints.Next(r)
		default:
			n = c.ints.Next(r)
		}
		if n >= 0 && n <= last && !c.acks.hole(n) {
			return n
		}
	}
}
