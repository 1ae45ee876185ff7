package cli

import (
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/pflag"

	"github.com/basaltdb/basalt/internal/bench/result"
)

func readAll(list string) (all []*result.Result, err error) {
	for path := range strings.SplitSeq(list, ",") {
		r, err := result.ReadFile(path)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// runCompare compares two results, or two lists of repeats.
func runCompare(e *env, args []string) error {
	f := pflag.NewFlagSet("compare", pflag.ContinueOnError)
	force := f.Bool("force", false, "compare also what is no fair pair")
	markdown := f.Bool("md", false, "the table in Markdown")
	const synopsis = "basalt bench compare A.json[,A2.json...] B.json[,B2.json...]"
	if err := e.parse(f, args, synopsis); err != nil {
		return err
	}
	if f.NArg() != 2 {
		return wrongUsage("want %s", synopsis)
	}
	a, err := readAll(f.Arg(0))
	if err != nil {
		return err
	}
	b, err := readAll(f.Arg(1))
	if err != nil {
		return err
	}
	if d := result.Differences(a[0], b[0]); len(d) > 0 {
		if !*force {
			return exitError{exitUsage, result.RefuseText(d)}
		}
		fmt.Fprintln(e.errs, "not a fair pair:", strings.Join(d, "; "))
	}
	lines, err := result.Compare(a, b)
	if err != nil {
		return err
	}
	t := table.NewWriter()
	t.SetOutputMirror(e.out)
	t.AppendHeader(table.Row{"Tags", "Items", "A", "B", "B/A", "Verdict", "Range"})
	for _, l := range lines {
		ratio := "-"
		if !math.IsNaN(l.Ratio) {
			ratio = fmt.Sprintf("%.2f", l.Ratio)
		}
		t.AppendRow(table.Row{l.Tag, l.Item, fmt.Sprintf("%.6g", l.A), fmt.Sprintf("%.6g", l.B), ratio, l.Verdict, l.Range})
	}
	if *markdown {
		t.RenderMarkdown()
		fmt.Fprintln(e.out)
	} else {
		t.Render()
	}
	return nil
}

// runMerge adds up the results of several clients.
func runMerge(e *env, args []string) error {
	f := pflag.NewFlagSet("merge", pflag.ContinueOnError)
	output := f.StringP("output", "o", "", "file for the result (default: standard output)")
	const synopsis = "basalt bench merge A.json B.json..."
	if err := e.parse(f, args, synopsis); err != nil {
		return err
	}
	if f.NArg() < 1 {
		return wrongUsage("want %s", synopsis)
	}
	all, err := readAll(strings.Join(f.Args(), ","))
	if err != nil {
		return err
	}
	r, err := result.Merge(all)
	if err != nil {
		return err
	}
	if *output == "" {
		return r.Encode(e.out)
	}
	return result.WriteFile(*output, r.Encode)
}

// runShow prints a result's table, and writes its other forms.
func runShow(e *env, args []string) error {
	f := pflag.NewFlagSet("show", pflag.ContinueOnError)
	o := &options{}
	o.register(f)
	const synopsis = "basalt bench show A.json [--html FILE] [--csv FILE] [--series-csv FILE] [--md]"
	if err := e.parse(f, args, synopsis); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return wrongUsage("want %s", synopsis)
	}
	r, err := result.ReadFile(f.Arg(0))
	if err != nil {
		return err
	}
	summary(e.out, r, o.markdown)
	o.maxErrorRate = 1
	r.Verify, r.Interrupted = nil, false // told when it was measured
	return (&session{e: e, o: o, r: r}).finish()
}

// runConvert makes a result of what YCSB printed.
func runConvert(e *env, args []string) error {
	f := pflag.NewFlagSet("convert", pflag.ContinueOnError)
	output := f.StringP("output", "o", "", "file for the result (default: standard output)")
	const synopsis = "basalt bench convert YCSB-OUTPUT.txt [-o A.json]"
	if err := e.parse(f, args, synopsis); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return wrongUsage("want %s", synopsis)
	}
	in, err := os.Open(f.Arg(0))
	if err != nil {
		return err
	}
	defer in.Close()
	r, err := result.FromYCSB(in, f.Arg(0))
	if err != nil {
		return fmt.Errorf("%s: %w", f.Arg(0), err)
	}
	if *output == "" {
		return r.Encode(e.out)
	}
	return result.WriteFile(*output, r.Encode)
}
