package result

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// FromYCSB reads the text that YCSB prints at its end, of which nothing but the
// numbers is known: not the threads, nor the shape between percentiles. What else
// is in the text is passed over.
func FromYCSB(in io.Reader, label string) (*Result, error) {
	p := &Phase{Name: "run", Ops: map[string]*Op{}, Stamps: []string{}, CountNames: [3]string{"rows", "cells", "bytes"}}
	lines := bufio.NewScanner(in)
	known := false
	for lines.Scan() {
		group, rest, ok := strings.Cut(strings.TrimPrefix(lines.Text(), "["), "], ")
		item, text, ok2 := strings.Cut(rest, ", ")
		if !ok || !ok2 || !strings.HasPrefix(lines.Text(), "[") {
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			continue
		}
		known = true
		switch {
		case group == "OVERALL" && item == "RunTime(ms)":
			p.Seconds = v / 1000
		case group == "OVERALL" && item == "Throughput(ops/sec)":
			p.QPS = v
		case strings.HasPrefix(group, "OVERALL") || strings.HasPrefix(group, "TOTAL_") || strings.HasPrefix(group, "Intended-"):
		default:
			p.ycsbItem(group, item, v)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading YCSB's output: %w", err)
	}
	if !known || len(p.Order) == 0 {
		return nil, errors.New("this is no output of YCSB: it has no lines such as [READ], Operations, 1000")
	}
	for _, n := range p.Order {
		p.Ops[n].QPS = PerSecond(p.Ops[n].OK, p.Seconds)
	}
	return &Result{Schema: Schema, Meta: Meta{Tool: "YCSB, converted", Label: label, Began: time.Time{}, Stamps: []string{}},
		Workload: Workload{Kind: "ycsb run", Properties: map[string]Property{}}, Env: map[string]string{}, Target: Target{Info: map[string]string{}},
		Phases: []*Phase{p}, Series: []Point{}, Events: []Event{}}, nil
}

func (p *Phase) ycsbItem(group, item string, v float64) {
	name, failed := strings.CutSuffix(group, "-FAILED")
	o := p.Ops[name]
	if o == nil {
		o = &Op{Dist: Dist{Pct: map[string]int64{}}}
		p.Ops[name] = o
		p.Order = append(p.Order, name)
	}
	status, isStatus := strings.CutPrefix(item, "Return=")
	switch {
	case isStatus && status != "OK" && status != "BATCHED_OK":
		if o.Err == nil {
			o.Err = map[string]Error{}
		}
		o.Err[status] = Error{Class: "other", Status: status, Count: int64(v)}
	case failed || isStatus:
	case item == "Operations":
		o.OK, o.Count = int64(v), int64(v)
	case item == "AverageLatency(us)":
		o.Avg = v
	case item == "MinLatency(us)":
		o.Min = v
	case item == "MaxLatency(us)":
		o.Max = v
	default:
		if q, ok := strings.CutSuffix(item, "PercentileLatency(us)"); ok {
			o.Pct[strings.TrimRight(q, "stndrh")] = int64(v)
		}
	}
}
