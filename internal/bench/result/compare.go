package result

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/basaltdb/basalt/internal/bench/measure"
)

// confidence is how sure a difference must be to be called one. It is more than
// the 95 % that is promised: neighbouring seconds resemble each other, and what is
// left of that after batching makes intervals too narrow.
const confidence = 0.98

// Line is one line of a comparison.
type Line struct {
	Tag, Item string
	A, B      float64
	Ratio     float64 // B to A; NaN when A is 0
	Verdict   string
	Range     string // of the ratio, or of repeats
}

// Verdicts.
const (
	Better    = "B better"
	Worse     = "B worse"
	Unclear   = "no difference shown"
	NoMeasure = ""
)

// decisive are the properties that must be equal for two results to be compared.
// Those of what differs by intention, the target above all, are not there.
var decisive = []string{"recordcount", "insertcount", "fieldcount", "fieldlength", "fieldlengthdistribution", "minfieldlength", "readproportion",
	"updateproportion", "insertproportion", "scanproportion", "readmodifywriteproportion", "requestdistribution", "maxscanlength", "minscanlength",
	"scanlengthdistribution", "readallfields", "writeallfields", "readfields", "writefields", "durability", "clientbuffering", "valuealphabet",
	"compressratio", "insertorder", "db.batchsize", "jdbc.batchupdateapi", "measurement.interval", "rand-type", "tables", "table-size", "db-ps-mode", "skip_trx",
	"auto_inc", "rows", "value-size", "caching", "scanner", "calls", "sqlstyle", "scanstyle"}

// Differences lists what makes two results no fair pair.
func Differences(a, b *Result) (all []string) {
	add := func(name, x, y string) {
		if x != y {
			all = append(all, fmt.Sprintf("%s: %s against %s", name, x, y))
		}
	}
	add("workload", a.Workload.Kind, b.Workload.Kind)
	for _, n := range decisive {
		add(n, a.Workload.Properties[n].Value, b.Workload.Properties[n].Value)
	}
	add("scale", a.Meta.Scale, b.Meta.Scale)
	if len(a.Phases) != len(b.Phases) {
		add("phases", fmt.Sprint(len(a.Phases)), fmt.Sprint(len(b.Phases)))
		return all
	}
	for i := range a.Phases {
		add("phase", a.Phases[i].Name, b.Phases[i].Name)
		add("threads", fmt.Sprint(a.Phases[i].Threads), fmt.Sprint(b.Phases[i].Threads))
		add("rate", fmt.Sprint(a.Phases[i].Rate), fmt.Sprint(b.Phases[i].Rate))
	}
	return all
}

// Compare compares b with a. Several results on either side are repeats of one
// measurement; single ones are judged by how their seconds scatter.
func Compare(a, b []*Result) ([]Line, error) {
	if len(a) == 0 || len(b) == 0 {
		return nil, errors.New("nothing to compare")
	}
	var lines []Line
	for i := range min(len(a[0].Phases), len(b[0].Phases)) {
		pa, pb := a[0].Phases[i], b[0].Phases[i]
		tag := func(op string) string {
			if len(a[0].Phases) > 1 {
				return pa.Name + " " + op
			}
			return op
		}
		get := func(rs []*Result, f func(*Phase) (float64, bool)) (all []float64) {
			for _, r := range rs {
				if i < len(r.Phases) {
					if v, ok := f(r.Phases[i]); ok {
						all = append(all, v)
					}
				}
			}
			return all
		}
		line := func(op, item string, higher bool, f func(*Phase) (float64, bool), single func() (lo, hi float64, ok bool)) {
			x, y := get(a, f), get(b, f)
			if len(x) == 0 || len(y) == 0 {
				return
			}
			lines = append(lines, judge(tag(op), item, x, y, higher, single))
		}
		line("OVERALL", "Throughput(ops/sec)", true, func(p *Phase) (float64, bool) { return p.QPS, true },
			func() (float64, float64, bool) {
				return welch(batches(throughput(a[0], i)), batches(throughput(b[0], i)))
			})
		for _, name := range pa.Order {
			if pb.Ops[name] == nil || pa.Ops[name] == nil {
				continue
			}
			op := func(f func(*Op) float64) func(*Phase) (float64, bool) {
				return func(p *Phase) (float64, bool) {
					if o := p.Ops[name]; o != nil && o.Count > 0 {
						return f(o), true
					}
					return 0, false
				}
			}
			boot := func(stat func([]float64, []int64) float64) func() (float64, float64, bool) {
				return func() (float64, float64, bool) { return bootstrap(a[0], b[0], i, name, stat) }
			}
			line(name, "AverageLatency(us)", false, op(func(o *Op) float64 { return o.Avg }), boot(meanOf))
			for _, p := range []float64{50, 95, 99, 99.9} {
				percentile := func(ph *Phase) (float64, bool) {
					if o := ph.Ops[name]; o != nil {
						v, ok := o.Pct[Percent(p)]
						return float64(v), ok
					}
					return 0, false
				}
				line(name, Percent(p)+"thPercentileLatency(us)", false, percentile,
					boot(percentileOf(p)))
			}
			line(name, "MaxLatency(us)", false, op(func(o *Op) float64 { return o.Max }), nil)
			line(name, "Failures", false, func(p *Phase) (float64, bool) {
				if o := p.Ops[name]; o != nil {
					return float64(o.Failures()), true
				}
				return 0, false
			}, nil)
		}
	}
	return lines, nil
}

func judge(tag, item string, x, y []float64, higher bool, single func() (lo, hi float64, ok bool)) Line {
	l := Line{Tag: tag, Item: item, A: median(x), B: median(y), Ratio: math.NaN(), Verdict: NoMeasure}
	if l.A != 0 {
		l.Ratio = l.B / l.A
	}
	up, down := Better, Worse
	if !higher {
		up, down = Worse, Better
	}
	if len(x) > 1 && len(y) > 1 {
		l.Range = fmt.Sprintf("A %.4g..%.4g, B %.4g..%.4g", slices.Min(x), slices.Max(x), slices.Min(y), slices.Max(y))
		// All of one side above all of the other happens by chance too, at three
		// repeats once in ten, so Welch's test must agree.
		lo, hi, ok := welch(x, y)
		switch {
		case !ok:
			l.Verdict = Unclear
		case lo > 0 && slices.Min(y) > slices.Max(x):
			l.Verdict = up
		case hi < 0 && slices.Max(y) < slices.Min(x):
			l.Verdict = down
		default:
			l.Verdict = Unclear
		}
		return l
	}
	if single == nil {
		return l
	}
	lo, hi, ok := single()
	switch {
	case !ok:
		l.Verdict = Unclear
	case lo > 0:
		l.Verdict = up
	case hi < 0:
		l.Verdict = down
	default:
		l.Verdict = Unclear
	}
	if ok && l.A != 0 {
		l.Range = fmt.Sprintf("B-A %+.3g..%+.3g", lo, hi)
	}
	return l
}

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}

// throughput is the rate of each interval of a phase.
func throughput(r *Result, phase int) (all []float64) {
	for _, pt := range r.Series {
		if pt.Phase != phase || pt.To-pt.From < 0.5 {
			continue // the rest at the end is too short to weigh as much
		}
		var n int64
		for name, o := range pt.Ops {
			if op := r.Phases[phase].Ops[name]; op == nil || !op.Inner {
				n += o.OK
			}
		}
		all = append(all, float64(n)/(pt.To-pt.From))
	}
	return all
}

// batchCount is how many stretches a window is parted into.
const batchCount = 6

// batches are means of stretches of seconds: seconds depend on their neighbours,
// stretches hardly do.
func batches(v []float64) []float64 {
	size := max(1, len(v)/batchCount)
	var all []float64
	for i := 0; i+size <= len(v); i += size {
		all = append(all, stat.Mean(v[i:i+size], nil))
	}
	return all
}

// welch is the confidence interval of mean(y)-mean(x).
func welch(x, y []float64) (lo, hi float64, ok bool) {
	if len(x) < 2 || len(y) < 2 {
		return 0, 0, false
	}
	mx, vx := stat.MeanVariance(x, nil)
	my, vy := stat.MeanVariance(y, nil)
	nx, ny := float64(len(x)), float64(len(y))
	se2 := vx/nx + vy/ny
	if se2 == 0 {
		return my - mx, my - mx, true
	}
	df := se2 * se2 / (vx*vx/(nx*nx*(nx-1)) + vy*vy/(ny*ny*(ny-1)))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(1 - (1-confidence)/2)
	d := t * math.Sqrt(se2)
	return my - mx - d, my - mx + d, true
}

// resamples is how often a bootstrap draws.
const resamples = 400

// bootstrap is the confidence interval of what stat is of b less what it is of a,
// by drawing blocks of intervals with their histograms.
func bootstrap(a, b *Result, phase int, op string, stat func(values []float64, counts []int64) float64) (lo, hi float64, ok bool) {
	x, y := blocksOf(a, phase, op), blocksOf(b, phase, op)
	n := min(len(x.counts), len(y.counts))
	if n < 4 {
		return 0, 0, false
	}
	r := rand.New(rand.NewPCG(1, 2)) // the same verdict each time
	draw := func(from *blocks, sum []int64) float64 {
		clear(sum)
		for range from.counts {
			for i, c := range from.counts[r.IntN(len(from.counts))] {
				sum[i] += c
			}
		}
		return stat(from.values, sum)
	}
	sx, sy := make([]int64, len(x.values)), make([]int64, len(y.values))
	var d []float64
	for range resamples {
		d = append(d, draw(y, sy)-draw(x, sx))
	}
	sort.Float64s(d)
	// Of few blocks the bootstrap's interval is too narrow: Student's factor over
	// the normal one widens it.
	f := float64(n)
	widen := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: f - 1}.Quantile(1-(1-confidence)/2) / distuv.UnitNormal.Quantile(1-(1-confidence)/2) * math.Sqrt(f/(f-1))
	mid := median(d)
	lo, hi = d[int(resamples*(1-confidence)/2)], d[int(resamples*(1+confidence)/2)-1]
	return mid - (mid-lo)*widen, mid + (hi-mid)*widen, true
}

// blocks are the histograms of an operation in stretches of intervals, over one
// list of values.
type blocks struct {
	values []float64 // ascending, in microseconds
	counts [][]int64
}

func blocksOf(r *Result, phase int, op string) *blocks {
	var each [][]measure.Bar
	for _, pt := range r.Series {
		o, ok := pt.Ops[op]
		if pt.Phase != phase || !ok || o.HDR == "" {
			continue
		}
		d, err := measure.DecodeDist(o.HDR, 0, 0, 0)
		if err != nil {
			return new(blocks) // no verdict by a damaged file
		}
		each = append(each, d.Bars())
	}
	at := map[int64]int{}
	for _, bars := range each {
		for _, b := range bars {
			at[b.To] = 0
		}
	}
	all := new(blocks)
	for i, v := range slices.Sorted(maps.Keys(at)) {
		at[v] = i
		all.values = append(all.values, float64(v))
	}
	size := max(1, len(each)/batchCount)
	for i := 0; i+size <= len(each); i += size {
		sum := make([]int64, len(all.values))
		for _, bars := range each[i : i+size] {
			for _, b := range bars {
				sum[at[b.To]] += b.Count
			}
		}
		all.counts = append(all.counts, sum)
	}
	return all
}

func meanOf(values []float64, counts []int64) float64 {
	var sum, n float64
	for i, c := range counts {
		sum += values[i] * float64(c)
		n += float64(c)
	}
	return sum / n
}

func percentileOf(p float64) func([]float64, []int64) float64 {
	return func(values []float64, counts []int64) float64 {
		var n, at int64
		for _, c := range counts {
			n += c
		}
		want := int64(math.Ceil(p / 100 * float64(n)))
		for i, c := range counts {
			if at += c; at >= want {
				return values[i]
			}
		}
		return values[len(values)-1]
	}
}

// RefuseText explains why two results are not compared.
func RefuseText(differences []string) string {
	return "these results are no fair pair (--force compares them all the same):\n  " + strings.Join(differences, "\n  ")
}
