package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/internal/bench/conc"
	"github.com/basaltdb/basalt/internal/bench/pe"
	"github.com/basaltdb/basalt/internal/bench/result"
)

// openClient opens an HBase target.
func openClient(target string, connections int) (*client.Client, error) {
	if target == "" {
		return nil, wrongUsage("--target is missing: zk://HOST:PORT or rpc://HOST:PORT")
	}
	if rest, ok := strings.CutPrefix(target, "basalt://"); ok {
		target = "zk://" + rest
	}
	c, err := client.Open(target, client.Config{ConnectionsPerServer: connections})
	if err != nil {
		return nil, wrongUsage("%w", err)
	}
	return c, nil
}

// counters are a client's.
func counters(c *client.Client) func() map[string]int64 {
	return func() map[string]int64 {
		s := c.Stats()
		return map[string]int64{"rpcs": int64(s.Calls), "bytes_out": int64(s.BytesOut), "bytes_in": int64(s.BytesIn), "dials": int64(s.Dials),
			"retries": int64(s.Retries), "region_moves": int64(s.Moves), "meta_lookups": int64(s.MetaLookups)}
	}
}

func (s *session) properties(f *pflag.FlagSet) {
	f.VisitAll(func(x *pflag.Flag) {
		origin := "default"
		if x.Changed {
			origin = "flag"
		}
		s.r.Workload.Properties[x.Name] = result.Property{Value: x.Value.String(), Origin: origin}
	})
}

func runPE(e *env, args []string) error {
	var o options
	x := pe.Options{}
	f := pflag.NewFlagSet("pe", pflag.ContinueOnError)
	target := f.String("target", "", "cluster")
	f.StringVar(&x.Table, "table", "TestTable", "table")
	f.Int64Var(&x.Rows, "rows", 1<<20, "rows of each client")
	f.IntVar(&x.ValueSize, "valueSize", 1000, "bytes of a value")
	f.IntVar(&x.Caching, "caching", 30, "rows of a fetch; 0 leaves it to the size")
	scanners := f.String("scanner", "prefetch", "how scans fetch: sync, prefetch-old, prefetch, or several separated by commas, each a run")
	async := f.Bool("asyncPrefetch", false, "as --scanner prefetch-old")
	f.BoolVar(&x.AddColumns, "addColumns", true, "ask for the column, not the family")
	f.BoolVar(&x.FilterAll, "filterAll", false, "let the server drop all rows")
	f.BoolVar(&x.AutoFlush, "autoFlush", false, "a call for each put, no buffer")
	f.IntVar(&x.BufferBytes, "bufferSize", 2<<20, "bytes of the write buffer")
	f.BoolVar(&x.CacheBlocks, "cacheBlocks", true, "let the server keep what it reads in its cache")
	wal := f.Bool("writeToWAL", true, "log writes")
	one := f.Bool("oneCon", false, "one connection for all clients")
	conns := f.Int("connCount", 0, "connections to each server (default: one for each client)")
	plain := f.Bool("plain", false, "the original's lines alone, without its logger's name")
	f.Bool("nomapred", true, "accepted: there is no MapReduce")
	o.register(f)
	synopsis := "basalt bench pe [flags] COMMAND CLIENTS --target TARGET\n\nCOMMANDs: " + strings.Join(pe.Commands(), " ")
	if err := e.parse(f, args, synopsis); err != nil {
		return err
	}
	if f.NArg() != 2 {
		return wrongUsage("want %s", synopsis)
	}
	n, err := strconv.Atoi(f.Arg(1))
	if err != nil || n < 1 {
		return wrongUsage("pe: %q is no number of clients", f.Arg(1))
	}
	if err := o.check(); err != nil {
		return err
	}
	x.Clients, x.Seed = n, o.seed
	if !*wal {
		x.Durability = client.SkipWAL
	}
	if *async {
		*scanners = "prefetch-old"
	}
	connections := n
	if *conns > 0 {
		connections = *conns
	}
	if *one {
		connections = 1
	}
	c, err := openClient(*target, connections)
	if err != nil {
		return err
	}
	defer c.Close()
	s := newSession(e, &o, "pe "+f.Arg(0), *target)
	s.properties(f)
	if pe.Writes(f.Arg(0)) {
		if err := pe.Create(e.ctx, c, x.Table); err != nil {
			return err
		}
		if !x.AutoFlush {
			e.note(&o, "writes are buffered: their latency is that of memory; --autoFlush=true makes a call of each")
		}
	}
	for mode := range strings.SplitSeq(*scanners, ",") {
		x.Scanner = mode
		plan, err := pe.Plan(c, f.Arg(0), x)
		if err != nil {
			return wrongUsage("%w", err)
		}
		if strings.Contains(*scanners, ",") {
			plan.Name += " " + mode
			fmt.Fprintf(e.out, "%s:\n", plan.Name)
		}
		out, p, err := s.run(plan, x.Rows*int64(n), counters(c))
		if err != nil {
			return err
		}
		s.doubts(p)
		pe.Report(e.out, out, *plain)
		if s.r.Interrupted || p.Failure != "" {
			break
		}
	}
	return s.finish()
}

func runConc(e *env, args []string) error {
	var o options
	f := pflag.NewFlagSet("conc", pflag.ContinueOnError)
	target := f.String("target", "", "cluster")
	list := f.IntSlice("concurrency", nil, "workers of each point (default: the published ones)")
	calls := f.Int64("calls", 20_000, "calls of each point")
	conns := f.Int("connections", 1, "connections to each server")
	wire := f.String("wire", "mux", "mux: many calls in flight on a connection; serial: one at a time")
	o.register(f)
	const synopsis = "basalt bench conc get|put --target TARGET [flags]"
	if err := e.parse(f, args, synopsis); err != nil {
		return err
	}
	if f.NArg() != 1 || conc.Defaults[f.Arg(0)] == nil {
		return wrongUsage("want %s", synopsis)
	}
	if *wire != "mux" && *wire != "serial" || *calls < 1 || *conns < 1 {
		return wrongUsage("--wire is mux or serial, --calls and --connections at least 1")
	}
	if err := o.check(); err != nil {
		return err
	}
	points := *list
	if len(points) == 0 {
		points = conc.Defaults[f.Arg(0)]
	}
	c, err := openClient(*target, *conns)
	if err != nil {
		return err
	}
	defer c.Close()
	s := newSession(e, &o, "conc "+f.Arg(0), *target)
	s.properties(f)
	sweep := &conc.Sweep{Method: f.Arg(0), Client: c, Serial: *wire == "serial"}
	if err := sweep.Prepare(e.ctx, *calls); err != nil {
		return err
	}
	for _, n := range points {
		plan := sweep.Plan(n, *calls)
		_, p, err := s.run(plan, *calls, counters(c))
		if err != nil {
			return err
		}
		s.doubts(p)
		conc.Block(e.out, p)
		if s.r.Interrupted || p.Failure != "" {
			break
		}
	}
	conc.Render(e.out, s.r.Phases, o.markdown)
	return s.finish()
}
