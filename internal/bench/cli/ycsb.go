package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/result"
	"github.com/basaltdb/basalt/internal/bench/store"
	"github.com/basaltdb/basalt/internal/bench/store/hbasedb"
	"github.com/basaltdb/basalt/internal/bench/store/mysqldb"
	"github.com/basaltdb/basalt/internal/bench/ycsb"
)

// openStore opens a key-value target.
func openStore(target string, c store.Config) (store.Store, error) {
	scheme, _, _ := strings.Cut(target, "://")
	switch scheme {
	case "zk", "hbase", "hbase+zk", "rpc", "hbase+rpc":
		return hbasedb.Open(target, c)
	case "basalt":
		return hbasedb.Open("zk"+strings.TrimPrefix(target, "basalt"), c)
	case "mysql", "mariadb", "jdbc:mysql", "jdbc:mariadb":
		return mysqldb.Open(target, c)
	case "noop":
		u, err := url.Parse(target)
		if err != nil {
			return nil, err
		}
		return store.OpenNoop(u)
	}
	return nil, wrongUsage("target %q: want zk://, hbase://, rpc://, basalt://, mysql:// or noop://", target)
}

// ycsbFlags are those of ycsb alone.
type ycsbFlags struct {
	options
	files, sets                  []string
	status, resume, force, drop  bool
	threads, presplit, conns     int
	target                       float64
	table, checkpoint, checkLoad string
	printConfig, noProbe         bool
	ceiling                      time.Duration
	sweep                        string
	load, transactions           bool
	classPath                    string
}

func runYCSB(e *env, args []string) error {
	var y ycsbFlags
	f := pflag.NewFlagSet("ycsb", pflag.ContinueOnError)
	f.StringArrayVarP(&y.files, "properties", "P", nil, "file of properties, such as YCSB's workloads; repeatable")
	f.StringArrayVarP(&y.sets, "property", "p", nil, "NAME=VALUE; repeatable, wins over files")
	f.BoolVarP(&y.status, "status", "s", false, "a status line each interval")
	f.IntVar(&y.threads, "threads", 0, "workers")
	f.Float64Var(&y.target, "target", 0, "operations a second that are due (open loop)")
	f.StringVar(&y.table, "table", "", "table")
	f.IntVar(&y.presplit, "presplit", 0, "regions of a table that load makes")
	f.IntVar(&y.conns, "connections", 0, "connections to each HBase server")
	f.StringVar(&y.sweep, "sweep", "", "threads=1,2,4 or rate=1000,2000: a run for each")
	f.BoolVar(&y.resume, "resume", false, "go on with a load that was interrupted")
	f.BoolVar(&y.force, "force", false, "begin a load anew")
	f.BoolVar(&y.drop, "drop", false, "delete the table before the load")
	f.StringVar(&y.checkpoint, "checkpoint", "", "file for the load's progress (default: in the user's cache directory)")
	f.StringVar(&y.checkLoad, "check-load", "count", "after a load: count (of acknowledgements), sample (reads 1000) or full (reads all)")
	f.BoolVar(&y.printConfig, "print-config", false, "show the effective properties and exit")
	f.DurationVar(&y.ceiling, "ceiling", 0, "first run that long without a server, and stamp CLIENT-BOUND what comes to more than half of that throughput")
	f.BoolVar(&y.noProbe, "no-probe", false, "do not look for the first records before a run")
	f.BoolVar(&y.load, "load", false, "as the command load")
	f.BoolVarP(&y.transactions, "transactions", "t", false, "as the command run")
	f.StringVar(&y.classPath, "cp", "", "accepted: there are no classes")
	y.register(f)
	const synopsis = "basalt bench ycsb load|run TARGET [flags]"
	if err := e.parse(f, args, synopsis); err != nil {
		return err
	}
	command, target := "", ""
	switch rest := f.Args(); {
	case len(rest) == 2:
		command, target = rest[0], rest[1]
	case len(rest) == 1 && (y.load || y.transactions):
		target = rest[0]
	default:
		return wrongUsage("want %s", synopsis)
	}
	if y.load {
		command = "load"
	} else if y.transactions {
		command = "run"
	}
	if command != "load" && command != "run" {
		return wrongUsage("ycsb %s: want load or run", command)
	}
	if err := y.check(); err != nil {
		return err
	}
	p, err := y.properties()
	if err != nil {
		return wrongUsage("%w", err)
	}
	if y.printConfig {
		fmt.Fprint(e.out, p.Text())
		return nil
	}
	w, err := ycsb.New(p, command == "run", y.time.Seconds(), y.rate)
	if err != nil {
		return wrongUsage("%w", err)
	}
	c, err := w.Config(p)
	if err != nil {
		return wrongUsage("%w", err)
	}
	y.noProgress = y.noProgress || y.status
	if y.classPath != "" {
		p.Notes = append(p.Notes, "-cp has no effect: there are no classes; the target tells the address")
	}
	for _, n := range p.Notes {
		e.note(&y.options, "%s", n)
	}
	db, err := openStore(target, c)
	if err != nil {
		return err
	}
	defer db.Close()
	s := newSession(e, &y.options, "ycsb "+command, mysqldb.Masked(target))
	s.r.Workload.Properties = p.All()
	s.sources = append(s.sources, db.Sources()...)
	if command == "load" {
		err = y.doLoad(s, w, p, db, target)
	} else {
		err = y.doRun(s, w, p, db)
	}
	if err != nil {
		return err
	}
	return s.finish()
}

func (y *ycsbFlags) properties() (*ycsb.Properties, error) {
	p := ycsb.NewProperties()
	for _, f := range y.files {
		if err := p.Load(f); err != nil {
			return nil, err
		}
	}
	set := func(name, value string) error { return p.Set(name, value, "flag") }
	for _, s := range y.sets {
		name, value, ok := strings.Cut(s, "=")
		if !ok {
			return nil, fmt.Errorf("-p %s: want NAME=VALUE", s)
		}
		if err := set(name, value); err != nil {
			return nil, err
		}
	}
	for name, value := range map[string]string{"threadcount": number(float64(y.threads)), "target": number(y.target), "table": y.table, "label": y.label,
		"hbase.client.ipc.pool.size": number(float64(y.conns))} {
		if value != "" {
			if err := set(name, value); err != nil {
				return nil, err
			}
		}
	}
	y.label = p.Get("label")
	if y.warmup == 0 && p.Given("warmuptime") {
		seconds, err := strconv.ParseFloat(p.Get("warmuptime"), 64)
		if err != nil {
			return nil, fmt.Errorf("property warmuptime=%s: want seconds", p.Get("warmuptime"))
		}
		y.warmup = time.Duration(seconds * float64(time.Second))
	}
	return p, nil
}

func number(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}

// checkpointPath is where the progress of loading a table is kept.
func (y *ycsbFlags) checkpointPath(target, table string) (string, error) {
	if y.checkpoint != "" {
		return y.checkpoint, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no place for the load's progress, name one with --checkpoint: %w", err)
	}
	dir = filepath.Join(dir, "basalt-bench")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(target + "\x00" + table))
	return filepath.Join(dir, "load-"+hex.EncodeToString(sum[:8])+".json"), nil
}

func (y *ycsbFlags) doLoad(s *session, w *ycsb.Workload, p *ycsb.Properties, db store.Store, target string) error {
	ctx := s.e.ctx
	path, err := y.checkpointPath(target, w.Table)
	if err != nil {
		return err
	}
	l, err := ycsb.NewLoading(w, p, target, path, y.resume, y.force || y.drop)
	if err != nil {
		return err
	}
	schema, err := w.Schema(y.presplit)
	if err != nil {
		return wrongUsage("%w", err)
	}
	if y.drop || p.Get("dropdata") == "true" {
		if err := db.Drop(ctx); err != nil {
			return err
		}
	}
	if err := db.Create(ctx, schema); err != nil {
		return err
	}
	s.r.Target.Info = db.Info(ctx)
	s.e.note(s.o, "loading %d records, about %d MB of values; %d are there already", w.Count, w.DatasetBytes()>>20, l.Resumed)
	y.time = 0 // a load ends when all is loaded, or after maxexecutiontime
	_, phase, err := s.run(l.Plan(db, y.seed), w.Count-l.Resumed, db.Counters)
	if err != nil {
		return err
	}
	s.doubts(phase)
	missing, gaps, err := l.Finish()
	if err != nil {
		return err
	}
	if n := l.Duplicates(); n > 0 {
		s.r.Meta.Notes = append(s.r.Meta.Notes, fmt.Sprintf("%d rows were there already", n))
	}
	if missing > 0 {
		text := fmt.Sprintf("%d of %d records are not loaded (failed inserts: %v); --resume goes on", missing, w.Count, gaps[:min(len(gaps), 10)])
		s.e.note(s.o, "%s", text)
		s.r.Meta.Notes = append(s.r.Meta.Notes, text)
		if phase.Failure == "" && !s.r.Interrupted {
			phase.Failure = text
		}
	} else if y.checkLoad != "count" {
		limit, ok := map[string]int64{"sample": 1000, "full": 0}[y.checkLoad]
		if !ok {
			return wrongUsage("--check-load=%s: want count, sample or full", y.checkLoad)
		}
		read, wrong, err := w.Check(ctx, db, limit)
		if err != nil {
			return err
		}
		s.e.note(s.o, "checked %d records: %d are missing or wrong", read, len(wrong))
		s.r.Verify = &result.Verify{Mode: "load", OK: read - int64(len(wrong)), Wrong: int64(len(wrong)), Samples: wrong}
	}
	return y.print(s, p)
}

func (y *ycsbFlags) doRun(s *session, w *ycsb.Workload, p *ycsb.Properties, db store.Store) error {
	if w.Operations == 0 && y.time == 0 && w.MaxTime == 0 {
		return wrongUsage("how long? give --time, -p operationcount=N or -p maxexecutiontime=SECONDS")
	}
	s.r.Target.Info = db.Info(s.e.ctx)
	if _, idle := db.(*store.Noop); !idle && !y.noProbe {
		if err := w.Probe(s.e.ctx, db); err != nil {
			return err
		}
	}
	s.settle(y.settle)
	what, values, err := sweep(y.sweep)
	if err != nil {
		return err
	}
	percentiles, err := ycsb.ParsePercentiles(p.Get("hdrhistogram.percentiles"))
	if err != nil {
		return wrongUsage("%w", err)
	}
	most, err := y.most(s, w)
	if err != nil {
		return err
	}
	for _, v := range values {
		plan := w.RunPlan(db, y.seed)
		if what == "threads" {
			plan.Workers = int(v)
		}
		if what != "" {
			plan.Name = fmt.Sprintf("%s %s=%v", plan.Name, what, v)
		}
		if what == "rate" {
			y.rate = v
		}
		_, phase, err := s.run(plan, w.Operations, db.Counters, percentiles...)
		if err != nil {
			return err
		}
		if most > 0 && phase.QPS > most/2 {
			phase.Stamp(result.StampClientBound)
		}
		s.doubts(phase)
		if s.r.Interrupted || phase.Failure != "" {
			break
		}
	}
	s.r.Verify = w.Verify.Result()
	if v := s.r.Verify; v != nil && v.Wrong > 0 {
		s.r.Stamp(result.StampInvalid)
	}
	return y.print(s, p)
}

// most is the throughput that the client alone comes to; 0 if it is not asked for.
// Checking values would find that this store has none.
func (y *ycsbFlags) most(s *session, w *ycsb.Workload) (float64, error) {
	if y.ceiling <= 0 || w.Verify != nil {
		return 0, nil
	}
	plan := w.RunPlan(new(store.Noop), y.seed)
	plan.Time, plan.MaxSteps, plan.Rate, plan.Stop = y.ceiling, 0, 0, s.e.stop
	o, err := load.Run(s.e.ctx, plan)
	if err != nil {
		return 0, err
	}
	text := fmt.Sprintf("without a server this client comes to %.0f operations a second", o.TotalQPS())
	s.e.note(s.o, "%s", text)
	s.r.Meta.Notes = append(s.r.Meta.Notes, text)
	return o.TotalQPS(), nil
}

// print writes YCSB's report of each phase, or the table of a sweep.
func (y *ycsbFlags) print(s *session, p *ycsb.Properties) error {
	if p.Get("hdrhistogram.fileoutput") == "true" {
		for i, phase := range s.r.Phases {
			for _, op := range phase.Order {
				path := p.Get("hdrhistogram.output.path") + op + ".hdr"
				if len(s.r.Phases) > 1 {
					path = fmt.Sprintf("%s%s-%d.hdr", p.Get("hdrhistogram.output.path"), op, i+1)
				}
				if err := result.WriteFile(path, func(w io.Writer) error { return s.r.HistogramLog(w, i, op) }); err != nil {
					return err
				}
			}
		}
	}
	out := s.e.out
	if path := p.Get("exportfile"); path != "" {
		return result.WriteFile(path, func(w io.Writer) error { return y.report(w, s, p) })
	}
	return y.report(out, s, p)
}

func (y *ycsbFlags) report(out io.Writer, s *session, p *ycsb.Properties) error {
	if len(s.r.Phases) > 1 || y.markdown || p.Get("outputstyle") == "table" {
		summary(out, s.r, y.markdown)
		return nil
	}
	percentiles, err := ycsb.ParsePercentiles(p.Get("hdrhistogram.percentiles"))
	if err != nil {
		return wrongUsage("%w", err)
	}
	for _, phase := range s.r.Phases {
		all := ycsb.Measurements(phase, percentiles, p.Get("measurement.interval"))
		switch exporter := p.Get("exporter"); {
		case strings.HasSuffix(exporter, "JSONArrayMeasurementsExporter"):
			err = errors.Join(err, ycsb.WriteJSON(out, all, true))
		case strings.HasSuffix(exporter, "JSONMeasurementsExporter"):
			err = errors.Join(err, ycsb.WriteJSON(out, all, false))
		default:
			err = errors.Join(err, ycsb.WriteText(out, all))
		}
	}
	return err
}
