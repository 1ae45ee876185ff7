// Package conc is a sweep of concurrency over one connection: gets or puts of rows
// with two columns, by ever more workers.
package conc

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/result"
	"github.com/basaltdb/basalt/internal/bench/store"
	"github.com/basaltdb/basalt/internal/bench/store/hbasedb"
)

// Table and Family are those of the published sweep.
const (
	Table  = "tcif_acookie_user"
	Family = "cf1"
)

var columns = [][]byte{[]byte("history"), []byte("qualifier2")}

// Defaults are the published concurrencies.
var Defaults = map[string][]int{
	"get": {1, 2, 5, 10, 20, 40, 50, 100, 150, 200, 500, 1000},
	"put": {1, 2, 5, 8, 10, 15, 20, 30, 40, 50, 100, 150, 200, 500, 1000},
}

// Sweep is one method against one cluster. Rows are numbered across all workers.
type Sweep struct {
	Method string
	Client *client.Client
	Serial bool // one call at a time on the connection, as a contrast
	next   atomic.Int64
	turn   chan struct{}
}

// Row is the key of row i.
func Row(i int64) []byte {
	sum := md5.Sum(fmt.Appendf(nil, "test row%d", i))
	return hex.AppendEncode(nil, sum[:])
}

func put(i int64) *client.Put {
	row := Row(i)
	p := client.NewPut(row)
	for _, c := range columns {
		p.Add(Family, c, fmt.Appendf(nil, "%s %s %d", c, row, i+1))
	}
	return p
}

// Prepare makes the table and, for gets, the rows.
func (s *Sweep) Prepare(ctx context.Context, rows int64) error {
	err := s.Client.Admin().CreateTable(ctx, client.TableDescriptor{Name: Table, Families: []client.FamilyDescriptor{client.Family(Family)}})
	if err != nil && !errors.Is(err, client.ErrTableExists) {
		return err
	}
	if s.Method != "get" {
		return nil
	}
	m := s.Client.Table(Table).Mutator(client.MutatorConfig{})
	for i := range rows {
		if err := m.Add(ctx, put(i)); err != nil {
			return errors.Join(err, m.Close(ctx))
		}
	}
	return m.Close(ctx)
}

// Plan is one point of the sweep.
func (s *Sweep) Plan(workers int, calls int64) *load.Plan {
	s.next.Store(0)
	s.turn = make(chan struct{}, 1)
	return &load.Plan{Name: fmt.Sprintf("%s %d", s.Method, workers), Workers: workers, Ops: []string{s.Method}, MaxSteps: calls, Classify: hbasedb.Classify,
		New: func(ctx context.Context, i int) (load.Task, error) {
			t := s.Client.Table(Table)
			if i == 0 {
				if err := t.Warm(ctx); err != nil {
					return nil, err
				}
			}
			return &task{s, t}, nil
		}}
}

type task struct {
	s *Sweep
	t *client.Table
}

// Close implements load.Task.
func (t *task) Close() error { return nil }

// Step implements load.Task. The wait for the connection is part of the latency.
func (t *task) Step(ctx context.Context, r *measure.Recorder) error {
	i := t.s.next.Add(1) - 1
	begin := r.Begin(0)
	if t.s.Serial {
		t.s.turn <- struct{}{}
		defer func() { <-t.s.turn }()
	}
	if t.s.Method == "put" {
		r.End(0, begin, measure.Counts{1, 2}, t.t.Put(ctx, put(i)))
		return nil
	}
	g := client.NewGet(Row(i))
	for _, c := range columns {
		g.AddColumn(Family, c)
	}
	got, err := t.t.Get(ctx, g)
	if err == nil && got.Empty() {
		err = store.ErrNotFound
	}
	r.End(0, begin, measure.Counts{1, 2}, err)
	return nil
}

// Block writes a point's details.
func Block(w io.Writer, p *result.Phase) {
	for name, o := range p.Ops {
		fmt.Fprintf(w, "%s\n  CPU         %.1f %%\n  MEM         %dm\n  Concurrency %d\n  Total       %.0f ms\n  QPS         %.0f\n  RT          %.2f ms\n  Total %d, Success %d, Fail %d\n",
			name, p.Client.CPUCores*100, p.Client.RSSBytes>>20, p.Threads, p.Seconds*1000, o.QPS, o.Avg/1000, o.OK+o.Failures(), o.OK, o.Failures())
	}
}

// Render writes the sweep's table.
func Render(w io.Writer, phases []*result.Phase, markdown bool) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.AppendHeader(table.Row{"Method", "Concurrency", "QPS", "RT (ms)", "Client CPU", ""})
	last := 0.0
	for _, p := range phases {
		for name, o := range p.Ops {
			arrow := "↑"
			if o.QPS < last {
				arrow = "↓"
			}
			bound := ""
			if p.Client.CPUCores > 0.9*float64(p.Client.Cores) {
				bound = result.StampClientBound
			}
			t.AppendRow(table.Row{name, p.Threads, fmt.Sprintf("%.0f %s", o.QPS, arrow), fmt.Sprintf("%.2f", o.Avg/1000), fmt.Sprintf("%.0f %%", p.Client.CPUCores*100), bound})
			last = o.QPS
		}
	}
	if markdown {
		t.RenderMarkdown()
		fmt.Fprintln(w)
		return
	}
	t.Render()
}
