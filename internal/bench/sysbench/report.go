package sysbench

import (
	"fmt"
	"io"
	"math"

	"github.com/basaltdb/basalt/internal/bench/load"
)

// Interval writes the line of an interval. percentile is of the latency.
func Interval(w io.Writer, v load.Progress, threads int, percentile float64) {
	s := v.Ops[opEvent]
	span := (v.To - v.From).Seconds()
	if span < 0.5 { // what is left at the end says nothing
		return
	}
	per := func(n int64) float64 { return float64(n) / span }
	fmt.Fprintf(w, "[ %.0fs ] thds: %d tps: %.2f qps: %.2f (r/w/o: %.2f/%.2f/%.2f) lat (ms,%v%%): %.2f err/s: %.2f reconn/s: %.2f\n",
		v.To.Seconds(), threads, per(s.Top), per(s.Counts[0]+s.Counts[1]+s.Counts[2]), per(s.Counts[0]), per(s.Counts[1]), per(s.Counts[2]),
		percentile, s.Service.GridPercentile(percentile), per(s.Failures()), per(lost(v)))
}

func lost(v load.Progress) (n int64) {
	for _, e := range v.Ops[opEvent].Errors {
		if e.Class.String() == "refused" {
			n += e.Count
		}
	}
	return n
}

// Report writes the final blocks.
func Report(w io.Writer, o *load.Outcome, percentiles []float64) {
	s := o.Set.Ops()[opEvent]
	seconds := o.Window.Seconds()
	per := func(n int64) float64 { return float64(n) / math.Max(seconds, 1e-9) }
	r, wr, ot := s.Counts[0], s.Counts[1], s.Counts[2]
	var reconnects int64
	for _, e := range s.Errors {
		if e.Class.String() == "refused" {
			reconnects += e.Count
		}
	}
	fmt.Fprintf(w, "SQL statistics:\n    queries performed:\n        read:                            %d\n        write:                           %d\n        other:                           %d\n        total:                           %d\n", r, wr, ot, r+wr+ot)
	line := func(name string, n int64) {
		fmt.Fprintf(w, "    %-32s %-6d (%.2f per sec.)\n", name, n, per(n))
	}
	line("transactions:", s.Top)
	line("queries:", r+wr+ot)
	line("ignored errors:", s.Failures()-reconnects)
	line("reconnects:", reconnects)
	fmt.Fprintf(w, "\nThroughput:\n    events/s (eps):                      %.4f\n    time elapsed:                        %.4fs\n    total number of events:              %d\n", per(s.Top), seconds, s.Top)
	d := s.Service
	if s.Response != nil {
		d = s.Response // with a rate, the wait for a worker is part of it
	}
	ms := func(us float64) float64 { return us / 1000 }
	fmt.Fprintf(w, "\nLatency (ms):\n         min:                            %10.2f\n         avg:                            %10.2f\n         max:                            %10.2f\n",
		ms(float64(d.Min())/1e3), ms(d.Avg()), ms(float64(d.Max())/1e3))
	for _, p := range percentiles {
		fmt.Fprintf(w, "         %-31s %10.2f\n", fmt.Sprintf("%vth percentile:", p), d.GridPercentile(p))
	}
	fmt.Fprintf(w, "         sum:                            %10.2f\n", d.Sum.Seconds()*1000)
	events := make([]float64, 0, len(o.WorkerSteps))
	for _, n := range o.WorkerSteps {
		events = append(events, float64(n))
	}
	avg, dev := spread(events)
	tAvg, tDev := spread(o.WorkerSeconds)
	fmt.Fprintf(w, "\nThreads fairness:\n    events (avg/stddev):           %.4f/%.2f\n    execution time (avg/stddev):   %.4f/%.2f\n", avg, dev, tAvg, tDev)
}

func spread(v []float64) (avg, dev float64) {
	if len(v) == 0 {
		return 0, 0
	}
	for _, x := range v {
		avg += x / float64(len(v))
	}
	for _, x := range v {
		dev += (x - avg) * (x - avg) / float64(len(v))
	}
	return avg, math.Sqrt(dev)
}
