package result

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// SummaryCSV writes a row for each phase and operation.
func (r *Result) SummaryCSV(w io.Writer) error {
	head := []string{"phase", "threads", "rate", "seconds", "op", "ok", "qps", "avg_us", "min_us", "max_us"}
	for _, p := range Percentiles {
		head = append(head, "p"+Percent(p)+"_us")
	}
	head = append(head, "errors", "rows_per_s", "cells_per_s", "bytes", "client_cpu_cores", "server_cpu_cores", "stamps")
	all := [][]string{head}
	for _, p := range r.Phases {
		for _, name := range p.Order {
			o := p.Ops[name]
			if o == nil {
				continue
			}
			row := []string{p.Name, strconv.Itoa(p.Threads), float(p.Rate), float(p.Seconds), name, strconv.FormatInt(o.OK, 10), float(o.QPS), float(o.Avg), float(o.Min), float(o.Max)}
			for _, q := range Percentiles {
				row = append(row, strconv.FormatInt(o.Pct[Percent(q)], 10))
			}
			server := ""
			if p.Server != nil && p.Server.CPUCores != nil {
				server = float(*p.Server.CPUCores)
			}
			row = append(row, strconv.FormatInt(o.Failures(), 10), float(PerSecond(o.Rows, p.Seconds)), float(PerSecond(o.Cells, p.Seconds)),
				strconv.FormatInt(o.Bytes, 10), float(p.Client.CPUCores), server, fmt.Sprint(slices.Concat(r.Meta.Stamps, p.Stamps)))
			all = append(all, row)
		}
	}
	return writeCSV(w, all)
}

// SeriesCSV writes a row for each interval and operation.
func (r *Result) SeriesCSV(w io.Writer) error {
	all := [][]string{{"phase", "from_s", "to_s", "op", "ok", "errors", "avg_us", "p50_us", "p95_us", "p99_us", "max_us", "client_cpu_cores", "client_rss_bytes", "lag_s"}}
	for _, pt := range r.Series {
		if pt.Phase < 0 || pt.Phase >= len(r.Phases) {
			continue
		}
		p := r.Phases[pt.Phase]
		for _, name := range p.Order {
			o, ok := pt.Ops[name]
			if !ok {
				continue
			}
			all = append(all, []string{p.Name, float(pt.From), float(pt.To), name, strconv.FormatInt(o.OK, 10), strconv.FormatInt(o.Errors, 10), float(o.Avg),
				strconv.FormatInt(o.P50, 10), strconv.FormatInt(o.P95, 10), strconv.FormatInt(o.P99, 10), strconv.FormatInt(o.Max, 10), float(pt.CPU), strconv.FormatInt(pt.RSS, 10), float(pt.LagS)})
		}
	}
	return writeCSV(w, all)
}

// PerSecond is a rate; 0 of no time.
func PerSecond(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

func float(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func writeCSV(w io.Writer, rows [][]string) error {
	c := csv.NewWriter(w)
	if err := c.WriteAll(rows); err != nil {
		return fmt.Errorf("writing CSV: %w", err)
	}
	return nil
}
