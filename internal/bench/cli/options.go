package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/sample"
)

// options are the flags that all measuring commands share.
type options struct {
	time, warmup, grace, settle, interval time.Duration
	seed                                  uint64
	rate                                  float64
	arrival                               string
	noCatchUp                             bool
	onError                               string
	maxErrorRate                          float64
	thresholds                            []string
	strict, quiet, noProgress             bool
	output, csv, html, series             string
	markdown                              bool
	label                                 string
	serverProm                            []string
	serverJMX                             []string
	serverPID                             []int
	serverCores                           int
}

func (o *options) register(f *pflag.FlagSet) {
	f.DurationVar(&o.time, "time", 0, "length of the measured window")
	f.DurationVar(&o.warmup, "warmup", 0, "time before the window, with the same load")
	f.DurationVar(&o.grace, "grace", 30*time.Second, "how long to wait for what is in flight at the end")
	f.DurationVar(&o.settle, "settle", 0, "how long to wait before the run, at most, until the server has no compactions to do")
	f.DurationVar(&o.interval, "interval", time.Second, "length of the intervals of the time series")
	f.Uint64Var(&o.seed, "seed", 0, "of all random choices (default: of the clock; it is printed)")
	f.Float64Var(&o.rate, "rate", 0, "operations a second that are due (open loop); 0 is a closed loop")
	f.StringVar(&o.arrival, "arrival", "constant", "gaps of an open loop: constant or poisson")
	f.BoolVar(&o.noCatchUp, "no-catchup", false, "leave out what became due while all workers were busy")
	f.StringVar(&o.onError, "on-error", "continue", "continue or stop")
	f.Float64Var(&o.maxErrorRate, "max-error-rate", 0.001, "share of failed operations above which the exit code is 4")
	f.StringArrayVar(&o.thresholds, "threshold", nil, "condition such as READ.p99<5ms, READ.qps>1000 or READ.errors<1; exit code 4 if it does not hold")
	f.BoolVar(&o.strict, "strict", false, "exit code 5 for results that are overloaded or bound by the client")
	f.BoolVar(&o.quiet, "quiet", false, "no progress and no notes")
	f.BoolVar(&o.noProgress, "no-progress", false, "a status line each interval in place of one that is redrawn")
	f.StringVarP(&o.output, "output", "o", "", "JSON file for the result")
	f.StringVar(&o.csv, "csv", "", "CSV file with a row for each phase and operation")
	f.StringVar(&o.series, "series-csv", "", "CSV file with a row for each interval and operation")
	f.StringVar(&o.html, "html", "", "HTML report, self-contained")
	f.BoolVar(&o.markdown, "md", false, "tables in Markdown")
	f.StringVarP(&o.label, "label", "l", "", "text for the result")
	f.StringArrayVar(&o.serverProm, "server-prom", nil, "URL of a metrics page of the server (Basalt's /metrics, an exporter); repeatable")
	f.StringArrayVar(&o.serverJMX, "server-jmx", nil, "URL of an HBase server's /jmx; repeatable")
	f.IntSliceVar(&o.serverPID, "server-pid", nil, "process of the server on this host; repeatable")
	f.IntVar(&o.serverCores, "server-cores", 0, "cores of all servers, for CPU in per cent of them")
}

func (o *options) check() error {
	if o.arrival != "constant" && o.arrival != "poisson" {
		return wrongUsage("--arrival=%s: want constant or poisson", o.arrival)
	}
	if o.onError != "continue" && o.onError != "stop" {
		return wrongUsage("--on-error=%s: want continue or stop", o.onError)
	}
	for _, t := range o.thresholds {
		if _, err := parseThreshold(t); err != nil {
			return err
		}
	}
	if o.seed == 0 {
		o.seed = uint64(time.Now().UnixNano())
	}
	return nil
}

func (o *options) sources() (all []sample.Source) {
	for _, u := range o.serverProm {
		all = append(all, sample.Prometheus{URL: u})
	}
	for _, u := range o.serverJMX {
		all = append(all, sample.JMX{URL: u})
	}
	for _, p := range o.serverPID {
		all = append(all, sample.PID(p))
	}
	return all
}

// apply gives a plan what the flags say.
func (o *options) apply(e *env, p *load.Plan) {
	p.Warmup, p.Grace, p.Every = o.warmup, o.grace, o.interval
	if o.time > 0 {
		p.Time = o.time
	}
	if o.rate > 0 {
		p.Rate = o.rate
	}
	p.Poisson, p.SkipMissed, p.StopOnError = o.arrival == "poisson", o.noCatchUp, o.onError == "stop"
	p.Seed, p.Stop = o.seed, e.stop
}

// threshold is a condition on an operation's numbers.
type threshold struct {
	op, item string
	less     bool
	value    float64 // microseconds for latencies
	text     string
}

func parseThreshold(s string) (t threshold, err error) {
	at := strings.IndexAny(s, "<>")
	op, item, ok := strings.Cut(s[:max(at, 0)], ".")
	if at < 0 || !ok {
		return t, wrongUsage("--threshold %q: want OP.ITEM<VALUE, such as READ.p99<5ms", s)
	}
	t = threshold{op: op, item: item, less: s[at] == '<', text: s}
	value := s[at+1:]
	switch {
	case item == "qps" || item == "errors":
		t.value, err = strconv.ParseFloat(value, 64)
	case item == "avg" || item == "max" || strings.HasPrefix(item, "p"):
		var d time.Duration
		d, err = time.ParseDuration(value)
		t.value = float64(d) / 1e3
	default:
		err = fmt.Errorf("unknown item %s: want avg, max, p50, p99..., qps or errors", item)
	}
	if err != nil {
		return t, wrongUsage("--threshold %q: %w", s, err)
	}
	return t, nil
}

// sweep reads "threads=1,2,4" or "rate=100,200".
func sweep(s string) (what string, values []float64, err error) {
	if s == "" {
		return "", []float64{0}, nil
	}
	what, list, ok := strings.Cut(s, "=")
	if !ok || what != "threads" && what != "rate" {
		return "", nil, wrongUsage("--sweep=%s: want threads=1,2,4 or rate=1000,2000", s)
	}
	for part := range strings.SplitSeq(list, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || v <= 0 || what == "threads" && v != float64(int(v)) {
			return "", nil, wrongUsage("--sweep=%s: %q is no number of %s", s, part, what)
		}
		values = append(values, v)
	}
	return what, values, nil
}
