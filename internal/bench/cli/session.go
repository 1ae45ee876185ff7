package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/result"
	"github.com/basaltdb/basalt/internal/bench/sample"
)

// session gathers the phases of one invocation.
type session struct {
	e       *env
	o       *options
	r       *result.Result
	sources []sample.Source
	flushed time.Time
}

func newSession(e *env, o *options, kind, target string) *session {
	host, _ := os.Hostname() // its absence is no reason not to measure
	now := time.Now()
	r := &result.Result{
		Schema: result.Schema,
		Meta: result.Meta{ID: fmt.Sprintf("%s-%d", now.UTC().Format("20060102T150405"), o.seed%10000), Tool: "basalt bench " + e.version,
			Command: mask(e.args), Began: now, Seed: o.seed, Label: o.label, Stamps: []string{}},
		Env:    map[string]string{"host": host, "os": runtime.GOOS + "/" + runtime.GOARCH, "go": runtime.Version(), "cores": fmt.Sprint(sample.Cores())},
		Target: result.Target{URL: target, Info: map[string]string{}}, Workload: result.Workload{Kind: kind, Properties: map[string]result.Property{}},
		Phases: []*result.Phase{}, Series: []result.Point{}, Events: []result.Event{},
	}
	for name, path := range map[string]string{"kernel": "/proc/sys/kernel/osrelease", "cpu": "/proc/cpuinfo", "memory": "/proc/meminfo"} {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		text := string(b)
		for l := range strings.Lines(text) {
			if k, v, ok := strings.Cut(l, ":"); ok && (strings.TrimSpace(k) == "model name" || k == "MemTotal") {
				text = v
				break
			}
		}
		r.Env[name] = strings.TrimSpace(text[:min(len(text), 200)])
	}
	if r.Meta.Scale = e.scale; e.scale != "" && e.scale != "full" {
		r.Stamp(result.StampScaled)
	}
	return &session{e: e, o: o, r: r, sources: o.sources()}
}

// mask hides passwords of a command line.
func mask(args []string) []string {
	all := slices.Clone(args)
	for i, a := range all {
		if name, _, ok := strings.Cut(a, "="); ok && strings.Contains(strings.ToLower(name), "passw") {
			all[i] = name + "=***"
		}
		if at := strings.LastIndexByte(a, '@'); at > 0 && strings.Contains(a, "://") {
			scheme, rest, _ := strings.Cut(a[:at], "://")
			user, _, ok := strings.Cut(rest, ":")
			if ok {
				all[i] = scheme + "://" + user + ":***" + a[at:]
			}
		}
		if i > 0 && strings.HasSuffix(all[i-1], "password") {
			all[i] = "***"
		}
	}
	return all
}

// run carries out a phase, and adds it to the result.
func (s *session) run(p *load.Plan, total int64, counters func() map[string]int64, more ...float64) (*load.Outcome, *result.Phase, error) {
	return s.runWith(p, total, counters, nil, more...)
}

// runWith also tells each interval.
func (s *session) runWith(p *load.Plan, total int64, counters func() map[string]int64, each func(load.Progress), more ...float64) (*load.Outcome, *result.Phase, error) {
	s.o.apply(s.e, p)
	show := newProgress(s.e, s.o, p, total)
	var points []map[string]float64
	p.OnInterval = func(v load.Progress) {
		show.show(v)
		if each != nil {
			each(v)
		}
		if len(s.sources) > 0 && !v.InWarmup {
			points = append(points, s.read(s.e.ctx))
		}
		if s.o.output != "" && time.Since(s.flushed) > 10*time.Second {
			s.flushed = time.Now()
			if err := s.write(); err != nil {
				s.e.note(s.o, "cannot write %s: %v", s.o.output, err)
			}
		}
	}
	begin := s.read(s.e.ctx)
	before := count(counters)
	o, err := load.Run(s.e.ctx, p)
	show.end()
	if err != nil {
		return nil, nil, err
	}
	phase, series := result.Of(o, len(s.r.Phases), more...)
	if len(s.sources) > 0 {
		phase.Server = &result.Server{Begin: begin, End: s.read(context.WithoutCancel(s.e.ctx))}
		for _, x := range s.sources {
			phase.Server.Sources = append(phase.Server.Sources, x.Name())
		}
		from, okFrom := begin[sample.CPUSeconds]
		to, okTo := phase.Server.End[sample.CPUSeconds]
		if okFrom && okTo && phase.Seconds > 0 {
			cores := (to - from) / (phase.Seconds + p.Warmup.Seconds())
			phase.Server.CPUCores = &cores
		}
		for i := range series {
			if i < len(points) {
				series[i].Server = points[i]
			}
		}
		if phase.Server.End[sample.Stalls] > begin[sample.Stalls] {
			phase.Stamp(result.StampNotSteady)
			s.r.Events = append(s.r.Events, result.Event{Phase: len(s.r.Phases), Kind: "stall", Text: "the server held up writes"})
		}
	}
	if after := count(counters); after != nil {
		phase.Counters = map[string]int64{}
		for k, v := range after {
			phase.Counters[k] = v - before[k]
		}
	}
	s.r.Phases = append(s.r.Phases, phase)
	s.r.Series = append(s.r.Series, series...)
	s.r.Interrupted = s.r.Interrupted || o.Interrupted
	if o.Interrupted {
		s.r.Stamp(result.StampInterrupted)
	}
	return o, phase, nil
}

func count(f func() map[string]int64) map[string]int64 {
	if f == nil {
		return nil
	}
	return f()
}

// read samples all sources; what cannot be read is left out.
func (s *session) read(ctx context.Context) map[string]float64 {
	v := map[string]float64{}
	for _, x := range s.sources {
		one, err := x.Read(ctx)
		if err != nil {
			continue
		}
		for k, n := range one {
			v[k] += n
		}
	}
	return v
}

// settle waits until the server has nothing left to compact, as far as it tells.
func (s *session) settle(limit time.Duration) {
	if limit <= 0 {
		return
	}
	s.e.note(s.o, "settling, at most %v", limit)
	deadline := time.After(limit)
	for quiet := 0; quiet < 3; {
		select {
		case <-deadline:
			return
		case <-s.e.stop:
			return
		case <-time.After(min(time.Second, limit)):
		}
		v := s.read(s.e.ctx)
		debt, known := v[sample.DebtBytes]
		queue, ok := v[sample.CompactionQueue]
		if !known && !ok {
			continue // nobody tells: the whole time
		}
		if debt+queue+v[sample.FlushQueue] == 0 {
			quiet++
		} else {
			quiet = 0
		}
	}
}

func (s *session) write() error { return result.WriteFile(s.o.output, s.r.Encode) }

// finish writes all files and tells the exit code.
func (s *session) finish() error {
	for _, f := range []struct {
		path  string
		write func(io.Writer) error
	}{{s.o.output, s.r.Encode}, {s.o.csv, s.r.SummaryCSV}, {s.o.series, s.r.SeriesCSV}, {s.o.html, func(w io.Writer) error { return writeHTML(w, s.r) }}} {
		if f.path == "" {
			continue
		}
		if err := result.WriteFile(f.path, f.write); err != nil {
			return fmt.Errorf("%w; the numbers above are all there is", err)
		}
	}
	return s.verdict()
}

// verdict is the exit code's error; nil if all is well.
func (s *session) verdict() error {
	if v := s.r.Verify; v != nil && v.Wrong > 0 {
		return exitError{exitWrongData, fmt.Sprintf("WRONG DATA: %d checks failed, first: %s", v.Wrong, strings.Join(v.Samples[:min(1, len(v.Samples))], ""))}
	}
	if s.r.Interrupted {
		return exitError{exitInterrupted, "interrupted; the results are those of the time until then"}
	}
	for _, p := range s.r.Phases {
		if p.Failure != "" {
			return exitError{exitFailed, p.Failure}
		}
		var ok, failed int64
		for _, o := range p.Ops {
			ok += o.OK
			failed += o.Failures()
		}
		for _, text := range s.o.thresholds {
			t, err := parseThreshold(text)
			if err != nil {
				return err
			}
			if value, ok := t.of(p); !ok || (value < t.value) != t.less {
				return exitError{exitThreshold, fmt.Sprintf("threshold %s does not hold in %s: %.6g", t.text, p.Name, value)}
			}
		}
		if failed > 0 && float64(failed) > s.o.maxErrorRate*float64(ok+failed) {
			return exitError{exitThreshold, fmt.Sprintf("%d of %d operations of %s failed", failed, ok+failed, p.Name)}
		}
		if s.o.strict && (slices.Contains(p.Stamps, result.StampClientBound) || slices.Contains(p.Stamps, result.StampOverloaded)) {
			return exitError{exitInvalid, fmt.Sprintf("%s is %s", p.Name, strings.Join(p.Stamps, ", "))}
		}
	}
	return nil
}

// of is a threshold's number in a phase.
func (t threshold) of(p *result.Phase) (float64, bool) {
	o := p.Ops[t.op]
	if o == nil {
		return 0, false
	}
	switch t.item {
	case "qps":
		return o.QPS, true
	case "errors":
		return float64(o.Failures()), true
	case "avg":
		return o.Avg, true
	case "max":
		return o.Max, true
	}
	v, ok := o.Pct[strings.TrimPrefix(t.item, "p")]
	return float64(v), ok
}

// summary is the table of all phases and operations, one row for each operation.
func summary(w io.Writer, r *result.Result, markdown bool) {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	t.AppendHeader(table.Row{"Phase", "Threads", "Op", "QPS(op)", "QPS(total)", "Avg us", "p50", "p95", "p99", "Max", "Errors", "Rows/s", "Cells/s", "Server CPU", "Client CPU"})
	for _, p := range r.Phases {
		server := "n/a"
		if p.Server != nil && p.Server.CPUCores != nil {
			server = fmt.Sprintf("%.0f %%", *p.Server.CPUCores*100)
		}
		for _, name := range p.Order {
			o := p.Ops[name]
			t.AppendRow(table.Row{p.Name, p.Threads, name, fmt.Sprintf("%.1f", o.QPS), fmt.Sprintf("%.1f", p.QPS), fmt.Sprintf("%.1f", o.Avg), o.Pct["50"], o.Pct["95"], o.Pct["99"],
				fmt.Sprintf("%.0f", o.Max), o.Failures(), fmt.Sprintf("%.0f", result.PerSecond(o.Rows, p.Seconds)), fmt.Sprintf("%.0f", result.PerSecond(o.Cells, p.Seconds)), server,
				fmt.Sprintf("%.0f %%", p.Client.CPUCores*100)})
		}
	}
	if markdown {
		t.RenderMarkdown()
		fmt.Fprintln(w)
		return
	}
	t.Render()
}

// doubts tells, on standard error, what makes a phase doubtful.
func (s *session) doubts(p *result.Phase) {
	kind := "closed loop: latencies are service times, their tail not corrected for coordinated omission"
	if p.Rate > 0 {
		kind = fmt.Sprintf("open loop of %.0f/s: response times count from when each operation was due", p.Rate)
	}
	s.e.note(s.o, "%s: %s; seed %d; workers busy %.1f of %d", p.Name, kind, s.o.seed, p.Little, p.Threads)
	if len(p.Stamps) > 0 {
		s.e.note(s.o, "%s: %s", p.Name, strings.Join(p.Stamps, ", "))
	}
	for _, name := range p.Order {
		for _, k := range slices.Sorted(maps.Keys(p.Ops[name].Err)) {
			x := p.Ops[name].Err[k]
			s.e.note(s.o, "%s: %d times %s, from %.1f s to %.1f s: %s", name, x.Count, k, x.First, x.Last, x.Sample)
		}
	}
	for _, u := range p.Unfinished {
		s.e.note(s.o, "unfinished %s", u)
	}
}
