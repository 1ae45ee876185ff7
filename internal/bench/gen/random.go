package gen

import (
	"math"
	"math/rand/v2"
)

// Rand is the source of worker number worker in a run with a seed.
func Rand(seed, worker uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, worker+1)) }

// Ints draws numbers.
type Ints interface{ Next(r *rand.Rand) int64 }

// Constant always draws itself.
type Constant int64

// Next implements Ints.
func (c Constant) Next(*rand.Rand) int64 { return int64(c) }

// Uniform draws evenly from Min to Max, both included.
type Uniform struct{ Min, Max int64 }

// Next implements Ints.
func (u Uniform) Next(r *rand.Rand) int64 { return u.Min + r.Int64N(u.Max-u.Min+1) }

// Sequential counts from Min to Max and begins again.
type Sequential struct{ Min, Max, next int64 }

// Next implements Ints.
func (s *Sequential) Next(*rand.Rand) int64 {
	n := s.Min + s.next%(s.Max-s.Min+1)
	s.next++
	return n
}

// HotSpot draws from the first HotSet of its range with the chance HotOps, else
// from the rest, evenly in either.
type HotSpot struct {
	Min, Max       int64
	HotSet, HotOps float64
}

// Next implements Ints.
func (h HotSpot) Next(r *rand.Rand) int64 {
	total := h.Max - h.Min + 1
	hot := max(int64(float64(total)*h.HotSet), 1)
	if cold := total - hot; cold > 0 && r.Float64() >= h.HotOps {
		return h.Min + hot + r.Int64N(cold)
	}
	return h.Min + r.Int64N(hot)
}

// Exponential draws numbers from 0 whose frequency falls off so that percentile
// per cent of them are below span.
type Exponential struct{ gamma float64 }

// NewExponential makes an Exponential.
func NewExponential(percentile, span float64) Exponential {
	return Exponential{-math.Log(1-percentile/100) / span}
}

// Next implements Ints.
func (e Exponential) Next(r *rand.Rand) int64 {
	return int64(-math.Log(1-r.Float64()) / e.gamma)
}
