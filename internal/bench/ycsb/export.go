package ycsb

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/basaltdb/basalt/internal/bench/result"
)

// Measurement is one line of YCSB's report.
type Measurement struct {
	Metric      string `json:"metric"`
	Measurement string `json:"measurement"`
	Value       any    `json:"value"` // int64 or float64
}

// Ordinal is YCSB's name of a percentile: 1st, 2nd, 3rd, 95th, 99.9.
func Ordinal(p float64) string {
	n := int64(p)
	if float64(n) != p {
		return strconv.FormatFloat(p, 'f', -1, 64)
	}
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return strconv.FormatInt(n, 10) + suffix
}

// ParsePercentiles reads hdrhistogram.percentiles.
func ParsePercentiles(s string) (all []float64, err error) {
	for part := range strings.SplitSeq(s, ",") {
		p, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || p < 0 || p > 100 {
			return nil, fmt.Errorf("property hdrhistogram.percentiles: %q is no percentile", part)
		}
		all = append(all, p)
	}
	return all, nil
}

// Measurements are the lines of YCSB's report of a phase. interval is
// measurement.interval: op, intended or both.
func Measurements(p *result.Phase, percentiles []float64, interval string) []Measurement {
	ms := p.Seconds * 1000
	all := []Measurement{
		{"OVERALL", "RunTime(ms)", int64(ms)}, {"OVERALL", "Throughput(ops/sec)", p.QPS},
		{"TOTAL_GCs", "Count", p.Client.GCs}, {"TOTAL_GC_TIME", "Time(ms)", p.Client.GCPauseMS},
		{"TOTAL_GC_TIME_%", "Time(%)", 0.0},
	}
	if ms > 0 {
		all[4].Value = 100 * p.Client.GCPauseMS / ms
	}
	one := func(name string, d *result.Dist, statuses func(name string)) {
		all = append(all, Measurement{name, "Operations", d.Count})
		if d.Count > 0 {
			all = append(all, Measurement{name, "AverageLatency(us)", d.Avg}, Measurement{name, "MinLatency(us)", int64(d.Min)}, Measurement{name, "MaxLatency(us)", int64(d.Max)})
			for _, q := range percentiles {
				all = append(all, Measurement{name, Ordinal(q) + "PercentileLatency(us)", d.Pct[result.Percent(q)]})
			}
		}
		if statuses != nil {
			statuses(name)
		}
	}
	for _, name := range p.Order {
		o := p.Ops[name]
		statuses := func(name string) {
			if o.OK > 0 {
				all = append(all, Measurement{name, "Return=OK", o.OK})
			}
			byStatus := map[string]int64{}
			for _, e := range o.Err {
				byStatus[e.Status] += e.Count
			}
			for _, s := range slices.Sorted(maps.Keys(byStatus)) {
				all = append(all, Measurement{name, "Return=" + s, byStatus[s]})
			}
		}
		if interval != "intended" || o.Response == nil {
			one(name, &o.Dist, statuses)
		}
		if interval != "op" && o.Response != nil {
			one("Intended-"+name, o.Response, nil)
		}
		if o.Failed != nil {
			one(name+"-FAILED", o.Failed, nil)
		}
	}
	return all
}

// WriteText writes lines "[GROUP], Measure, value".
func WriteText(w io.Writer, all []Measurement) error {
	for _, m := range all {
		value := fmt.Sprint(m.Value)
		if f, ok := m.Value.(float64); ok {
			value = strconv.FormatFloat(f, 'f', -1, 64)
		}
		if _, err := fmt.Fprintf(w, "[%s], %s, %s\n", m.Metric, m.Measurement, value); err != nil {
			return err
		}
	}
	return nil
}

// WriteJSON writes the objects of YCSB's JSON exporters: as one array or, since
// parsers of the older one expect that, back to back.
func WriteJSON(w io.Writer, all []Measurement, array bool) error {
	e := json.NewEncoder(w)
	if array {
		return e.Encode(all)
	}
	for _, m := range all {
		if err := e.Encode(m); err != nil {
			return err
		}
	}
	return nil
}
