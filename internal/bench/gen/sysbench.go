package gen

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// RandTypes are sysbench's distributions of ids.
var RandTypes = []string{"uniform", "gaussian", "special", "pareto", "zipfian"}

// SysbenchIDs draws ids from 1 to n as sysbench's --rand-type does.
func SysbenchIDs(kind string, n int64) (Ints, error) {
	if n < 1 {
		return nil, fmt.Errorf("a table of %d rows has no ids to draw", n)
	}
	switch kind {
	case "uniform":
		return Uniform{1, n}, nil
	case "gaussian":
		return gaussian{n}, nil
	case "special":
		return special{gaussian{n}, max(n/100, 1)}, nil
	case "pareto":
		const h = 0.2
		return pareto{n, math.Log(h) / math.Log(1-h)}, nil
	case "zipfian":
		return newRejection(n, 0.8), nil
	}
	return nil, fmt.Errorf("--rand-type=%s: unknown, want one of %v", kind, RandTypes)
}

// gaussian is the mean of twelve even draws.
type gaussian struct{ n int64 }

// Next implements Ints.
func (g gaussian) Next(r *rand.Rand) int64 {
	var sum float64
	for range 12 {
		sum += r.Float64()
	}
	return 1 + int64(float64(g.n)*sum/12)
}

// special draws three of four times evenly from the hundredth of the ids that is
// in the middle, else as gaussian.
type special struct {
	rest gaussian
	hot  int64
}

// Next implements Ints.
func (s special) Next(r *rand.Rand) int64 {
	if r.Float64() < 0.75 {
		return 1 + (s.rest.n-s.hot)/2 + r.Int64N(s.hot)
	}
	return s.rest.Next(r)
}

type pareto struct {
	n     int64
	power float64
}

// Next implements Ints.
func (p pareto) Next(r *rand.Rand) int64 {
	return 1 + min(int64(float64(p.n)*math.Pow(r.Float64(), p.power)), p.n-1)
}

// rejection draws from Zipf's law by rejection-inversion: Hörmann and Derflinger,
// "Rejection-inversion to generate variates from monotone discrete distributions".
type rejection struct {
	n        int64
	exponent float64
	first    float64 // integral of the hat up to 1.5, less the first weight
	last     float64 // and up to n+0.5
	squeeze  float64
}

func newRejection(n int64, exponent float64) *rejection {
	z := &rejection{n: n, exponent: exponent}
	z.first = z.integral(1.5) - 1
	z.last = z.integral(float64(n) + 0.5)
	z.squeeze = 2 - z.inverse(z.integral(2.5)-z.weight(2))
	return z
}

func (z *rejection) weight(x float64) float64 { return math.Pow(x, -z.exponent) }

func (z *rejection) integral(x float64) float64 {
	return (math.Pow(x, 1-z.exponent) - 1) / (1 - z.exponent)
}

func (z *rejection) inverse(y float64) float64 {
	return math.Pow(max(1+y*(1-z.exponent), 0), 1/(1-z.exponent))
}

// Next implements Ints.
func (z *rejection) Next(r *rand.Rand) int64 {
	for {
		u := z.last + r.Float64()*(z.first-z.last)
		x := z.inverse(u)
		k := min(max(int64(x+0.5), 1), z.n)
		if float64(k)-x <= z.squeeze || u >= z.integral(float64(k)+0.5)-z.weight(float64(k)) {
			return k
		}
	}
}

// AppendGroups appends groups of 11 random digits joined by "-": sysbench's values
// of the columns c (10 groups) and pad (5).
func AppendGroups(b []byte, r *rand.Rand, groups int) []byte {
	for i := range groups {
		if i > 0 {
			b = append(b, '-')
		}
		v := r.Uint64N(100_000_000_000)
		at := len(b)
		b = append(b, "00000000000"...)
		for j := 10; j >= 0; j-- {
			b[at+j] = '0' + byte(v%10)
			v /= 10
		}
	}
	return b
}
