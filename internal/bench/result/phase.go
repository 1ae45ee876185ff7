package result

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/measure"
)

// Percentiles are those that every result has.
var Percentiles = []float64{50, 75, 90, 95, 99, 99.9, 99.99, 99.999}

// Percent is a percentile's name: 99.9.
func Percent(p float64) string { return fmt.Sprintf("%v", p) }

// DistOf is the JSON form of a distribution, with more percentiles if asked for.
func DistOf(d *measure.Dist, more ...float64) Dist {
	r := Dist{Count: d.Count, Avg: d.Avg(), StdDev: d.StdDev(), Pct: map[string]int64{}, Clipped: d.Clipped,
		Min: float64(d.Min()) / 1e3, Max: float64(d.Max()) / 1e3}
	if d.Count == 0 {
		return r
	}
	for _, p := range append(slices.Clone(Percentiles), more...) {
		r.Pct[Percent(p)] = d.Percentile(p)
	}
	// The encoder fails only for a histogram of another kind than ours.
	r.HDR, _ = d.Encode()
	return r
}

// Histogram is the distribution itself again.
func (d *Dist) Histogram() (*measure.Dist, error) {
	return measure.DecodeDist(d.HDR, time.Duration(d.Avg*float64(d.Count)*1e3), time.Duration(d.Min*1e3), time.Duration(d.Max*1e3))
}

// Of is the JSON form of what an engine measured, and its series.
func Of(o *load.Outcome, phase int, more ...float64) (*Phase, []Point) {
	p := &Phase{
		Name: o.Plan.Name, Start: o.Began, End: o.Began.Add(o.Window), Seconds: o.Window.Seconds(),
		ConnectSeconds: o.Connect.Seconds(), Threads: o.Plan.Workers, Rate: o.Plan.Rate, QPS: o.TotalQPS(),
		Ops: map[string]*Op{}, CountNames: o.Set.CountNames, Little: o.Little(), Stamps: []string{},
		Client: Client{CPUCores: o.ClientCPU, Cores: o.Cores, RSSBytes: o.RSSBytes, StallP99: o.StallP99.Microseconds(),
			GCs: o.GCs, GCPauseMS: float64(o.GCPause) / 1e6},
	}
	for _, s := range o.Set.Ops() {
		if s.Service.Count == 0 && s.Failures() == 0 {
			continue
		}
		op := &Op{OK: s.OK(), QPS: o.QPS(s), Inner: s.Top == 0 && s.Service.Count > 0, Dist: DistOf(s.Service, more...),
			Rows: s.Counts[0], Cells: s.Counts[1], Bytes: s.Counts[2]}
		if s.Response != nil {
			d := DistOf(s.Response, more...)
			op.Response = &d
		}
		if s.Failed.Count > 0 {
			d := DistOf(s.Failed)
			op.Failed = &d
		}
		for k, e := range s.Errors {
			if op.Err == nil {
				op.Err = map[string]Error{}
			}
			op.Err[k] = Error{e.Class.String(), e.Code, Status(e.Class, e.Code), e.Count, e.First.Seconds(), e.Last.Seconds(), e.Sample}
		}
		p.Order = append(p.Order, s.Name)
		p.Ops[s.Name] = op
	}
	for _, u := range o.Unfinished {
		p.Unfinished = append(p.Unfinished, fmt.Sprintf("%s: more than %v", u.Op, u.Elapsed.Round(time.Millisecond)))
	}
	if o.Failure != nil {
		p.Failure = o.Failure.Error()
	}
	if o.SlopeKnown {
		p.Steady = &o.Slope
	}
	if o.Plan.Rate > 0 {
		p.Lag = &Lag{o.MaxLag.Seconds(), o.EndLag.Seconds(), o.LagGrows, o.Due, o.Skipped, o.LatenessP99.Microseconds()}
	}
	p.judge(o)
	return p, series(o, phase)
}

// Status is YCSB's name for how an operation ended.
func Status(c measure.Class, code string) string {
	switch code {
	case "UNEXPECTED_STATE", "BAD_REQUEST", "FORBIDDEN", "NOT_IMPLEMENTED":
		return code
	}
	return c.Status()
}

// judge stamps what makes the numbers doubtful.
func (p *Phase) judge(o *load.Outcome) {
	if o.Interrupted || o.Failure != nil {
		p.Stamp(StampInterrupted)
	}
	if o.Overloaded() {
		p.Stamp(StampOverloaded)
	}
	if o.SlopeKnown && math.Abs(o.Slope) > 0.05 {
		p.Stamp(StampNotSteady)
	}
	if o.Cores > 0 && o.ClientCPU > 0.9*float64(o.Cores) {
		p.Stamp(StampClientBound)
	}
	if o.Plan.Rate == 0 && len(o.Unfinished) == 0 && math.Abs(p.Little/float64(p.Threads)-1) > 0.03 {
		p.Stamp(StampSuspect)
	}
	var ok, missed, failed int64
	for _, op := range p.Ops {
		ok += op.OK
		failed += op.Failures()
		for _, e := range op.Err {
			if e.Class == measure.NotFound.String() {
				missed += e.Count
			}
		}
		if s := max(p.Client.StallP99, lateness(p)); op.Count > 0 && s*10 > op.Pct["99"] && s > 50 {
			p.Stamp(StampStalls)
		}
	}
	if missed*100 > ok+missed {
		p.Stamp(StampMisses)
	}
	if (failed-missed)*1000 > ok+failed {
		p.Stamp(StampErrors)
	}
}

func lateness(p *Phase) int64 {
	if p.Lag == nil {
		return 0
	}
	return p.Lag.TimerP99
}

func series(o *load.Outcome, phase int) (all []Point) {
	for _, v := range o.Intervals {
		pt := Point{Phase: phase, From: v.From.Seconds(), To: v.To.Seconds(), Ops: map[string]PointOp{}, CPU: v.ClientCPU, RSS: v.RSSBytes, LagS: v.Lag.Seconds()}
		for _, s := range v.Ops {
			n, d := s.Failures(), s.Service
			if d.Count == 0 && n == 0 {
				continue
			}
			po := PointOp{OK: s.OK(), Errors: n, Avg: d.Avg()}
			if d.Count > 0 {
				po.P50, po.P95, po.P99, po.Max = d.Percentile(50), d.Percentile(95), d.Percentile(99), d.Max().Microseconds()
				po.HDR, _ = d.Encode() // as above
			}
			pt.Ops[s.Name] = po
		}
		if pt.To > pt.From {
			all = append(all, pt)
		}
	}
	return all
}
