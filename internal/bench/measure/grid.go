package measure

import "math"

// sysbench's percentiles lie on a grid of 1024 points from 0.001 to 100,000 ms, in
// even ratios. Its reports can be compared digit for digit only on that.
const (
	gridPoints = 1024
	gridMin    = 0.001
	gridMax    = 100_000.0
)

var gridStep = math.Log(gridMax/gridMin) / (gridPoints - 1)

// GridPercentile is the percentile p in milliseconds as sysbench would print it,
// but never above the greatest latency.
func (d *Dist) GridPercentile(p float64) float64 {
	if d.Count == 0 {
		return 0
	}
	var counts [gridPoints]int64
	for _, b := range d.Bars() {
		counts[gridIndex(float64(b.From+b.To)/2/1000)] += b.Count
	}
	want := int64(math.Round(p / 100 * float64(d.Count)))
	var at int64
	for i, c := range counts {
		if at += c; at >= want && at > 0 {
			return min(gridValue(i), float64(d.max)/1e6)
		}
	}
	return gridMax
}

func gridIndex(ms float64) int {
	i := int(math.Floor(math.Log(max(ms, gridMin)/gridMin)/gridStep + 0.5))
	return max(0, min(i, gridPoints-1))
}

func gridValue(i int) float64 { return gridMin * math.Exp(float64(i)*gridStep) }
