package gen

import (
	"math"
	"math/rand/v2"
)

// Theta is YCSB's Zipf exponent.
const Theta = 0.99

// Scrambled Zipf draws its ranks from this many items whatever the table has, with
// their zeta as a constant, so that a table's size does not change the skew.
const (
	scrambledItems = 10_000_000_000 + 1
	scrambledZeta  = 26.46902820178302
)

// exactTerms is how many terms of a zeta are summed one by one.
const exactTerms = 1_000_000

// Zeta is the sum of i^-theta for i from 1 to n. Beyond a million terms the
// Euler-Maclaurin formula gives the rest to within rounding.
func Zeta(n int64, theta float64) float64 {
	m := min(n, exactTerms)
	var sum, carry float64 // Kahan's summation
	for i := int64(1); i <= m; i++ {
		y := math.Pow(float64(i), -theta) - carry
		t := sum + y
		carry = (t - sum) - y
		sum = t
	}
	if n > m {
		sum += tail(m, n, theta)
	}
	return sum
}

// tail is the sum of i^-theta for i from a+1 to b, for a large a: the integral,
// half of the ends, and the first correction by derivatives. The next one is below
// a^-4.
func tail(a, b int64, theta float64) float64 {
	x, y := float64(a), float64(b)
	f := func(v float64) float64 { return math.Pow(v, -theta) }
	integral := (math.Pow(y, 1-theta) - math.Pow(x, 1-theta)) / (1 - theta)
	return integral + (f(y)-f(x))/2 + theta*(f(x)/x-f(y)/y)/12
}

// Zipf draws numbers from Min on, the smaller the more often, by the method of
// Gray et al., "Quickly generating billion-record synthetic databases".
type Zipf struct {
	min, items       int64
	theta, alpha     float64
	zeta2, zeta, eta float64
	zetaItems        int64 // that zeta is of
}

// NewZipf draws from min to max with exponent theta.
func NewZipf(min, max int64, theta float64) *Zipf {
	return newZipf(min, max-min+1, theta, Zeta(max-min+1, theta))
}

func newZipf(min, items int64, theta, zeta float64) *Zipf {
	z := &Zipf{min: min, items: items, theta: theta, alpha: 1 / (1 - theta), zeta2: Zeta(2, theta), zeta: zeta, zetaItems: items}
	z.setEta()
	return z
}

func (z *Zipf) setEta() {
	z.eta = (1 - math.Pow(2/float64(z.items), 1-z.theta)) / (1 - z.zeta2/z.zeta)
}

// Next implements Ints.
func (z *Zipf) Next(r *rand.Rand) int64 { return z.next(r, z.items) }

// next draws one of the first n items; n may grow from call to call.
func (z *Zipf) next(r *rand.Rand, n int64) int64 {
	if n != z.zetaItems {
		z.resize(n)
	}
	u := r.Float64()
	switch uz := u * z.zeta; {
	case uz < 1:
		return z.min
	case uz < 1+math.Pow(0.5, z.theta):
		return z.min + 1
	}
	return z.min + min(int64(float64(n)*math.Pow(z.eta*u-z.eta+1, z.alpha)), n-1)
}

func (z *Zipf) resize(n int64) {
	switch {
	case n > z.zetaItems && z.zetaItems >= exactTerms:
		z.zeta += tail(z.zetaItems, n, z.theta)
	case n > z.zetaItems && n-z.zetaItems < 1000:
		for i := z.zetaItems + 1; i <= n; i++ {
			z.zeta += math.Pow(float64(i), -z.theta)
		}
	default:
		z.zeta = Zeta(n, z.theta)
	}
	z.zetaItems, z.items = n, n
	z.setEta()
}

// Scrambled draws from Min to Min+count-1 with Zipf's skew, the frequent ones
// scattered by hashing.
type Scrambled struct {
	min, count int64
	zipf       *Zipf
}

// NewScrambled makes a Scrambled.
func NewScrambled(min, count int64) *Scrambled {
	return &Scrambled{min, count, newZipf(0, scrambledItems, Theta, scrambledZeta)}
}

// Next implements Ints.
func (s *Scrambled) Next(r *rand.Rand) int64 { return s.min + FNV64(s.zipf.Next(r))%s.count }
