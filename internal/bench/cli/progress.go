package cli

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/basaltdb/basalt/internal/bench/load"
)

// progress shows how a phase comes along: one line that is redrawn on a terminal,
// a line each interval elsewhere.
type progress struct {
	e        *env
	o        *options
	plan     *load.Plan
	total    int64 // steps, if known
	began    time.Time
	terminal bool
	drawn    bool
}

func newProgress(e *env, o *options, p *load.Plan, total int64) *progress {
	f, ok := e.errs.(*os.File)
	terminal := false
	if ok {
		info, err := f.Stat()
		terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return &progress{e: e, o: o, plan: p, total: total, began: time.Now(), terminal: terminal && !o.noProgress}
}

// show draws an interval.
func (p *progress) show(v load.Progress) {
	if p.o.quiet {
		return
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s", p.plan.Name)
	share := 0.0
	switch {
	case v.InWarmup:
		b.WriteString(" warm-up")
	case p.plan.Time > 0:
		share = v.Elapsed.Seconds() / p.plan.Time.Seconds()
	case p.total > 0:
		share = float64(v.Steps) / float64(p.total)
	}
	if share > 0 {
		share = min(share, 1)
		const width = 20
		full := int(share * width)
		fmt.Fprintf(&b, " [%s%s] %3.0f %%", strings.Repeat("=", full), strings.Repeat(" ", width-full), share*100)
	}
	fmt.Fprintf(&b, " %s", v.Elapsed.Round(time.Second))
	if share > 0 && share < 1 {
		fmt.Fprintf(&b, " / %s left", time.Duration(v.Elapsed.Seconds()*(1-share)/share*1e9).Round(time.Second))
	}
	var ok, failed, p99 int64
	for _, s := range v.Ops {
		if s.Top > 0 {
			ok += s.Top
			p99 = max(p99, s.Service.Percentile(99))
		}
		failed += s.Failures()
	}
	if span := (v.To - v.From).Seconds(); span > 0 {
		fmt.Fprintf(&b, "  %.0f ops/s  p99 %s  errors %d", float64(ok)/span, time.Duration(p99)*time.Microsecond, failed)
	}
	if p.plan.Rate > 0 && v.Lag > 10*time.Millisecond {
		fmt.Fprintf(&b, "  behind %s", v.Lag.Round(time.Millisecond))
	}
	fmt.Fprintf(&b, "  client CPU %.0f %%", v.ClientCPU*100)
	if p.terminal {
		fmt.Fprintf(p.e.errs, "\r\x1b[K%s", b.String())
		p.drawn = true
		return
	}
	fmt.Fprintln(p.e.errs, b.String())
}

// end leaves the line.
func (p *progress) end() {
	if p.drawn {
		fmt.Fprintln(p.e.errs)
	}
}

// note tells something about the run.
func (e *env) note(o *options, format string, args ...any) {
	if !o.quiet {
		fmt.Fprintf(e.errs, format+"\n", args...)
	}
}
