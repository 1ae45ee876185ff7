package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/basaltdb/basalt/internal/bench/ycsb"
)

// Exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitWrongData   = 3
	exitThreshold   = 4
	exitInvalid     = 5
	exitInterrupted = 130
)

const usage = `basalt bench measures databases from outside, over the wire.

  basalt bench ycsb load|run TARGET [flags]     YCSB's core workload
  basalt bench sysbench TEST prepare|run|check|cleanup [flags]   sysbench's OLTP scenarios
  basalt bench pe COMMAND CLIENTS --target TARGET [flags]        HBase's PerformanceEvaluation
  basalt bench conc get|put --target TARGET [flags]              a sweep of concurrency over one connection
  basalt bench preset NAME|list --target TARGET [--scale S]      a published table, at a smaller scale
  basalt bench compare A.json B.json            what differs, and whether it is more than chance
  basalt bench merge A.json B.json...           one result of several clients' that ran at once
  basalt bench convert YCSB.txt                 a result of what stock YCSB printed
  basalt bench show A.json                      a result as a table, as CSV, as an HTML report

A TARGET is zk://HOST:PORT or hbase://HOST:PORT (ZooKeeper), rpc://HOST:PORT (HBase without it),
mysql://USER@HOST:PORT/DATABASE, or noop:// (the cost of the workload itself).
basalt bench COMMAND --help tells the flags. Exit codes: 0 done, 1 failed, 2 wrong usage, 3 wrong data,
4 threshold or error rate, 5 invalid with --strict, 130 interrupted.
`

// env is what a command runs in.
type env struct {
	ctx       context.Context // ends at the second signal
	stop      <-chan struct{} // is closed at the first
	out, errs io.Writer
	version   string
	args      []string // the whole command line
	scale     string   // of the preset that this is a step of
}

// usageError is a wrong command line.
type usageError struct{ error }

func wrongUsage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// exitError carries an exit code; its text was told already when empty.
type exitError struct {
	code int
	text string
}

func (e exitError) Error() string { return e.text }

var commands = map[string]func(*env, []string) error{
	"ycsb":     runYCSB,
	"sysbench": runSysbench,
	"pe":       runPE,
	"conc":     runConc,
	"compare":  runCompare,
	"merge":    runMerge,
	"show":     runShow,
	"convert":  runConvert,
}

func init() { commands["preset"] = runPreset } // which runs the others

// Main runs a command line without its first words, and returns the exit code.
func Main(args []string, out, errs io.Writer, version string) int {
	if len(args) == 0 {
		fmt.Fprint(errs, usage)
		return exitUsage
	}
	if slices.Contains([]string{"help", "--help", "-h"}, args[0]) {
		fmt.Fprint(out, usage)
		return exitOK
	}
	run, ok := commands[args[0]]
	if !ok {
		fmt.Fprintf(errs, "basalt bench: unknown command %q%s\n\n%s", args[0], ycsb.Nearest(args[0], slices.Sorted(maps.Keys(commands))), usage)
		return exitUsage
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := make(chan struct{})
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	go func() {
		select {
		case <-signals:
		case <-ctx.Done():
			return
		}
		fmt.Fprintln(errs, "\nstopping: what is in flight is waited for; a second signal ends at once")
		close(stop)
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	err := run(&env{ctx: ctx, stop: stop, out: out, errs: errs, version: version, args: args}, args[1:])
	var exit exitError
	var wrong usageError
	switch {
	case err == nil, errors.Is(err, pflag.ErrHelp):
		return exitOK
	case errors.As(err, &exit):
		if exit.text != "" {
			fmt.Fprintf(errs, "basalt bench: %s\n", exit.text)
		}
		return exit.code
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(errs, "basalt bench: interrupted before anything was measured")
		return exitInterrupted
	}
	fmt.Fprintf(errs, "basalt bench: %v\n", err)
	if errors.As(err, &wrong) {
		return exitUsage
	}
	return exitFailed
}

// parse reads flags. Long ones may have one dash, as other tools' have.
func (e *env) parse(f *pflag.FlagSet, args []string, synopsis string) error {
	f.SetOutput(e.out)
	f.SortFlags = false
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	f.Usage = func() { fmt.Fprintf(e.out, "%s\n\n%s", synopsis, f.FlagUsages()) }
	if err := f.Parse(twoDashes(args)); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return err
		}
		var names []string
		f.VisitAll(func(x *pflag.Flag) { names = append(names, x.Name) })
		hint := ""
		if name, ok := strings.CutPrefix(err.Error(), "unknown flag: --"); ok {
			hint = ycsb.Nearest(name, names)
		}
		return wrongUsage("%w%s", err, hint)
	}
	return nil
}

// twoDashes gives -threads a second dash, and leaves -p and -P alone.
func twoDashes(args []string) []string {
	all := slices.Clone(args)
	for i, a := range all {
		if a == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "=")
		if strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && len(name) > 1 && name[0] >= 'a' && name[0] <= 'z' && !strings.HasPrefix(name, "p") {
			all[i] = "-" + a
		}
	}
	return all
}
