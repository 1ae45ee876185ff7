package cli

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/result"
	"github.com/basaltdb/basalt/internal/bench/store/mysqldb"
	"github.com/basaltdb/basalt/internal/bench/sysbench"
)

// sysbenchFlags are those of sysbench alone. Its switches say on and off.
type sysbenchFlags struct {
	options
	o                                              sysbench.Options
	threads, reportInterval                        int
	events                                         int64
	seconds, warmupSeconds, percentiles            string
	hosts, port, socket, user, password, database  string
	autoInc, secondary, createSecondary, skipTrx   string
	rangeSelects, psMode, sweep, target, tlsSwitch string
}

func (y *sysbenchFlags) flags() *pflag.FlagSet {
	f := pflag.NewFlagSet("sysbench", pflag.ContinueOnError)
	f.IntVar(&y.o.Tables, "tables", 1, "tables")
	f.IntVar(&y.o.TableSize, "table-size", 10000, "rows of each table")
	f.IntVar(&y.o.RangeSize, "range-size", 100, "rows of a range")
	f.StringVar(&y.o.RandType, "rand-type", "uniform", "how ids are drawn: uniform, gaussian, special (the default of sysbench 1.0), pareto, zipfian")
	f.StringVar(&y.o.Engine, "mysql-storage-engine", "", "engine of the tables")
	f.StringVar(&y.o.TableOptions, "create-table-options", "", "more for CREATE TABLE")
	f.StringVar(&y.o.IgnoreErrors, "mysql-ignore-errors", "1213,1020,1205", "numbers of errors after which an event is begun again, or all")
	f.StringVar(&y.autoInc, "auto-inc", "on", "ids by AUTO_INCREMENT")
	f.StringVar(&y.secondary, "secondary", "off", "a plain index on id in place of the primary key")
	f.StringVar(&y.createSecondary, "create-secondary", "on", "an index on k, after the load")
	f.StringVar(&y.skipTrx, "skip-trx", "off", "events without BEGIN and COMMIT")
	f.StringVar(&y.rangeSelects, "range-selects", "on", "the four reads of ranges")
	f.StringVar(&y.psMode, "db-ps-mode", "auto", "auto: prepared statements; disable: text")
	f.StringVar(&y.hosts, "mysql-host", "localhost", "servers, separated by commas; workers take turns")
	f.StringVar(&y.port, "mysql-port", "3306", "their port")
	f.StringVar(&y.socket, "mysql-socket", "", "socket in place of hosts")
	f.StringVar(&y.user, "mysql-user", "sbtest", "user")
	f.StringVar(&y.password, "mysql-password", "", "password; @FILE reads it of a file; default: $MYSQL_PWD")
	f.StringVar(&y.database, "mysql-db", "sbtest", "database")
	f.StringVar(&y.tlsSwitch, "mysql-ssl", "off", "encrypt")
	f.StringVar(&y.target, "mysql-url", "", "mysql://USER@HOST:PORT/DATABASE in place of all these")
	f.IntVar(&y.threads, "threads", 1, "workers")
	f.Int64Var(&y.events, "events", 0, "number of events; 0 is as many as there is time for")
	f.StringVar(&y.seconds, "time", "10", "seconds of the window; 0 is until --events")
	f.StringVar(&y.warmupSeconds, "warmup-time", "0", "seconds before the window")
	f.IntVar(&y.reportInterval, "report-interval", 0, "seconds between status lines; 0 is none")
	f.StringVar(&y.percentiles, "percentile", "95", "percentiles of latency, separated by commas; 0 is none")
	f.StringVar(&y.sweep, "sweep", "", "threads=1,2,4 or rate=100,200: a run for each")
	for alias, name := range map[string]string{"num-threads": "threads", "max-time": "time", "max-requests": "events"} {
		f.Var(f.Lookup(name).Value, alias, "as --"+name)
		f.Lookup(alias).Hidden = true
	}
	shared := pflag.NewFlagSet("", pflag.ContinueOnError)
	y.register(shared)
	shared.VisitAll(func(x *pflag.Flag) {
		if f.Lookup(x.Name) == nil {
			f.AddFlag(x)
		}
	})
	return f
}

// read turns texts into settings.
func (y *sysbenchFlags) read() (a mysqldb.Address, percentiles []float64, err error) {
	for _, s := range []struct {
		name, value string
		to          *bool
	}{{"auto-inc", y.autoInc, &y.o.AutoInc}, {"secondary", y.secondary, &y.o.Secondary}, {"create-secondary", y.createSecondary, &y.o.CreateSecondary},
		{"skip-trx", y.skipTrx, &y.o.SkipTrx}, {"range-selects", y.rangeSelects, &y.o.RangeSelects}, {"mysql-ssl", y.tlsSwitch, &a.TLS}} {
		switch strings.ToLower(s.value) {
		case "on", "true", "1":
			*s.to = true
		case "off", "false", "0":
			*s.to = false
		default:
			return a, nil, wrongUsage("--%s=%s: want on or off", s.name, s.value)
		}
	}
	switch y.psMode {
	case "auto":
		y.o.Prepared = true
	case "disable":
	default:
		return a, nil, wrongUsage("--db-ps-mode=%s: want auto or disable", y.psMode)
	}
	if y.time, err = seconds("time", y.seconds); err != nil {
		return a, nil, err
	}
	if y.warmup, err = seconds("warmup-time", y.warmupSeconds); err != nil {
		return a, nil, err
	}
	for part := range strings.SplitSeq(y.percentiles, ",") {
		p, err := strconv.ParseFloat(part, 64)
		if err != nil || p < 0 || p > 100 {
			return a, nil, wrongUsage("--percentile=%s: want numbers up to 100", y.percentiles)
		}
		if p > 0 {
			percentiles = append(percentiles, p)
		}
	}
	if y.target != "" {
		a, err = mysqldb.Parse(y.target)
		if err != nil {
			return a, nil, wrongUsage("%w", err)
		}
		return a, percentiles, nil
	}
	a.User, a.Database, a.Password = y.user, y.database, y.password
	if path, ok := strings.CutPrefix(y.password, "@"); ok {
		b, err := os.ReadFile(path)
		if err != nil {
			return a, nil, fmt.Errorf("--mysql-password: %w", err)
		}
		a.Password = strings.TrimSpace(string(b))
	} else if y.password == "" {
		a.Password = os.Getenv("MYSQL_PWD")
	}
	if y.socket != "" {
		a.Hosts = []string{y.socket}
		return a, percentiles, nil
	}
	for h := range strings.SplitSeq(y.hosts, ",") {
		a.Hosts = append(a.Hosts, net.JoinHostPort(h, y.port))
	}
	return a, percentiles, nil
}

// seconds reads a number of seconds, or a duration with its unit.
func seconds(name, value string) (time.Duration, error) {
	n, err := strconv.ParseFloat(value, 64)
	if err == nil {
		value = strconv.FormatFloat(n, 'f', -1, 64) + "s"
	}
	d, err := time.ParseDuration(value)
	if err != nil || d < 0 {
		return 0, wrongUsage("--%s=%s: want seconds", name, value)
	}
	return d, nil
}

func runSysbench(e *env, args []string) error {
	var y sysbenchFlags
	f := y.flags()
	synopsis := "basalt bench sysbench TEST prepare|run|check|cleanup [flags]\n\nTESTs: " + strings.Join(sysbench.Tests(), " ")
	if err := e.parse(f, args, synopsis); err != nil {
		return err
	}
	if f.NArg() != 2 {
		return wrongUsage("want %s", synopsis)
	}
	if err := y.check(); err != nil {
		return err
	}
	address, percentiles, err := y.read()
	if err != nil {
		return err
	}
	test, err := sysbench.New(f.Arg(0), y.o, address)
	if err != nil {
		return wrongUsage("%w", err)
	}
	db, err := mysqldb.OpenPool(&address)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.PingContext(e.ctx); err != nil {
		return fmt.Errorf("no MySQL server at %s for user %s: %w", strings.Join(address.Hosts, ","), address.User, err)
	}
	s := newSession(e, &y.options, "sysbench "+f.Arg(0)+" "+f.Arg(1), "mysql://"+address.User+"@"+strings.Join(address.Hosts, ",")+"/"+address.Database)
	f.VisitAll(func(x *pflag.Flag) {
		if strings.Contains(x.Name, "password") || x.Hidden {
			return
		}
		origin := "default"
		if x.Changed {
			origin = "flag"
		}
		s.r.Workload.Properties[x.Name] = result.Property{Value: x.Value.String(), Origin: origin}
	})
	s.r.Target.Info = mysqldb.Settings(e.ctx, db)
	s.sources = append(s.sources, mysqldb.Status{DB: db})
	switch f.Arg(1) {
	case "prepare":
		if err := test.Create(e.ctx, db); err != nil {
			return err
		}
		y.time, y.warmup, y.rate = 0, 0, 0
		_, p, err := s.run(test.Fill(y.threads, y.seed), 0, nil)
		if err != nil {
			return err
		}
		s.doubts(p)
		if p.Failure == "" && !s.r.Interrupted {
			if err := test.Index(e.ctx, db); err != nil {
				return err
			}
		}
	case "cleanup":
		return test.Cleanup(e.ctx, db)
	case "check":
		return y.verify(s, func() ([]string, error) { return test.Check(e.ctx, db) })
	case "run":
		if f.Arg(0) == "oltp_common" {
			return wrongUsage("oltp_common has no events to run; there are %s", strings.Join(sysbench.Tests(), " "))
		}
		return y.doRun(s, test, percentiles)
	default:
		return wrongUsage("sysbench %s %s: want prepare, run, check or cleanup", f.Arg(0), f.Arg(1))
	}
	return s.finish()
}

func (y *sysbenchFlags) verify(s *session, check func() ([]string, error)) error {
	wrong, err := check()
	if err != nil {
		return err
	}
	s.r.Verify = &result.Verify{Mode: "tables", OK: int64(y.o.Tables - len(wrong)), Wrong: int64(len(wrong)), Samples: wrong}
	fmt.Fprintf(s.e.out, "%d tables checked, %d are wrong\n", y.o.Tables, len(wrong))
	return s.finish()
}

func (y *sysbenchFlags) doRun(s *session, test *sysbench.Test, percentiles []float64) error {
	what, values, err := sweep(y.sweep)
	if err != nil {
		return err
	}
	if y.time == 0 && y.events == 0 {
		return wrongUsage("how long? give --time or --events")
	}
	if rows := y.o.Tables * y.o.TableSize / max(y.threads, 1); rows < 1000 {
		s.e.note(s.o, "only %d rows for each thread: conflicts will be artefacts of a small table", rows)
	}
	s.e.note(s.o, "ids are drawn %s (sysbench 1.0's default is special, 1.1's uniform)", y.o.RandType)
	for _, v := range values {
		threads := y.threads
		if what == "threads" {
			threads = int(v)
		} else if what == "rate" {
			y.rate = v
		}
		plan := test.Plan(threads, y.seed)
		if what != "" {
			plan.Name = fmt.Sprintf("%s %s=%v", plan.Name, what, v)
		}
		plan.MaxSteps = y.events
		if y.reportInterval > 0 {
			y.interval, y.quiet = time.Duration(y.reportInterval)*time.Second, true
		}
		o, p, err := s.runWith(plan, y.events, nil, func(v load.Progress) {
			if y.reportInterval > 0 && !v.InWarmup {
				sysbench.Interval(s.e.out, v, threads, append(percentiles, 95)[0])
			}
		})
		if err != nil {
			return err
		}
		s.doubts(p)
		sysbench.Report(s.e.out, o, percentiles)
		if s.r.Interrupted || p.Failure != "" {
			break
		}
	}
	if len(values) > 1 {
		summary(s.e.out, s.r, y.markdown)
	}
	return s.finish()
}
