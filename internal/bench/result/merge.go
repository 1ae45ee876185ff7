package result

import (
	"fmt"
	"maps"
	"slices"
)

// Merge adds up what several client machines measured at the same time: throughput
// adds, histograms add, and percentiles come from the sum of the histograms.
func Merge(all []*Result) (*Result, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing to merge")
	}
	out := *all[0]
	out.Phases, out.Series, out.Events = nil, nil, nil
	out.Meta.Stamps = slices.Clone(out.Meta.Stamps)
	out.Meta.Notes = append(slices.Clone(out.Meta.Notes), fmt.Sprintf("merged from %d results", len(all)))
	for _, r := range all {
		if len(r.Phases) != len(all[0].Phases) || r.Workload.Kind != all[0].Workload.Kind {
			return nil, fmt.Errorf("merge: %s with %d phases and %s with %d are not parts of one run", all[0].Workload.Kind, len(all[0].Phases), r.Workload.Kind, len(r.Phases))
		}
		for _, s := range r.Meta.Stamps {
			out.Stamp(s)
		}
		out.Interrupted = out.Interrupted || r.Interrupted
	}
	for i := range all[0].Phases {
		p, err := mergePhase(all, i)
		if err != nil {
			return nil, err
		}
		out.Phases = append(out.Phases, p)
	}
	return &out, nil
}

func mergePhase(all []*Result, i int) (*Phase, error) {
	p := *all[0].Phases[i]
	p.Threads, p.QPS, p.Little, p.Rate, p.Client = 0, 0, 0, 0, Client{}
	p.Ops, p.Order, p.Stamps = map[string]*Op{}, nil, []string{}
	p.Steady, p.Lag, p.Server, p.Counters = nil, nil, nil, nil
	for _, r := range all {
		q := r.Phases[i]
		p.Threads += q.Threads
		p.QPS += q.QPS
		p.Little += q.Little
		p.Rate += q.Rate
		p.Client.CPUCores += q.Client.CPUCores
		p.Client.Cores += q.Client.Cores
		p.Seconds = max(p.Seconds, q.Seconds)
		for _, s := range q.Stamps {
			p.Stamp(s)
		}
		for _, name := range q.Order {
			if q.Ops[name] == nil {
				continue
			}
			have := p.Ops[name]
			if have == nil {
				p.Order = append(p.Order, name)
				have = &Op{}
			}
			sum, err := addOps(have, q.Ops[name])
			if err != nil {
				return nil, fmt.Errorf("merge: %s of %s: %w", name, q.Name, err)
			}
			p.Ops[name] = sum
		}
	}
	return &p, nil
}

func addOps(a, b *Op) (*Op, error) {
	d, err := addDists(&a.Dist, &b.Dist)
	if err != nil {
		return nil, err
	}
	o := &Op{OK: a.OK + b.OK, QPS: a.QPS + b.QPS, Inner: b.Inner, Dist: *d, Rows: a.Rows + b.Rows, Cells: a.Cells + b.Cells, Bytes: a.Bytes + b.Bytes, Err: maps.Clone(a.Err)}
	for k, e := range b.Err {
		if o.Err == nil {
			o.Err = map[string]Error{}
		}
		if have, ok := o.Err[k]; ok {
			e.Count += have.Count
			e.First, e.Last = min(e.First, have.First), max(e.Last, have.Last)
		}
		o.Err[k] = e
	}
	if b.Response != nil {
		have := a.Response
		if have == nil {
			have = &Dist{}
		}
		if o.Response, err = addDists(have, b.Response); err != nil {
			return nil, err
		}
	}
	return o, nil
}

func addDists(a, b *Dist) (*Dist, error) {
	x, err := a.Histogram()
	if err != nil {
		return nil, err
	}
	y, err := b.Histogram()
	if err != nil {
		return nil, err
	}
	x.Add(y)
	d := DistOf(x)
	return &d, nil
}
