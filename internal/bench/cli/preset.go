package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/basaltdb/basalt/internal/bench/result"
)

// size is a preset at one scale. What it does not need is zero.
type size struct {
	rows, rangeRows int64
	seconds         string
	threads         string
	tables          int
	clients         int
	operations      int64
	concurrencies   string
}

// preset is a published table.
type preset struct {
	text   string
	scales map[string]size // full, laptop, mini, ci
	// steps are command lines without target and output.
	steps func(size, string) [][]string
}

const fields = "-p fieldcount=100 -p fieldnameprefix=f -p fieldlength=20 -p columnfamily=cf -p scanstyle=ycsb --connections 16"

// proportions sets all five, since what is not set has a default above 0.
func proportions(read, update, insert, scan string) string {
	return fmt.Sprintf(" -p readproportion=%s -p updateproportion=%s -p insertproportion=%s -p scanproportion=%s", read, update, insert, scan)
}

var presets = map[string]preset{
	"tdsql-ycsb": {
		text: "YCSB on the HBase API, six rows: GET, SCAN, PUT, A, C, E over 100 columns of 20 bytes, 8 regions, 16 connections (a published report of an HBase-compatible store). Needs an HBase target.",
		scales: map[string]size{"full": {rows: 300_000_000, rangeRows: 30_000_000, seconds: "300s", threads: "128,1024"}, "laptop": {rows: 1_000_000, rangeRows: 100_000, seconds: "60s", threads: "128,1024"},
			"mini": {rows: 100_000, rangeRows: 10_000, seconds: "20s", threads: "128,1024"}, "ci": {rows: 5_000, rangeRows: 500, seconds: "3s", threads: "8,64"}},
		steps: func(z size, target string) [][]string {
			all := [][]string{words("ycsb load", target, fields, fmt.Sprintf("-p recordcount=%d -threads 16 -p batch.size=100 --presplit 8 --drop", z.rows))}
			run := func(label string, rows int64, more string) {
				all = append(all, words("ycsb run", target, fields, fmt.Sprintf("-p recordcount=%d -l %s --ceiling 500ms --time %s --sweep threads=%s", rows, label, z.seconds, z.threads), more))
			}
			twenty := " -p readfields=f0-f19 -p writefields=f0-f19 -p requestdistribution=zipfian"
			run("GET", z.rangeRows, proportions("1", "0", "0", "0")+" -p readallfields=false")
			run("SCAN", z.rangeRows, proportions("0", "0", "0", "1")+" -p readallfields=false -p maxscanlength=50")
			run("PUT", z.rows, proportions("0", "1", "0", "0")+" -p writeallfields=false")
			run("A", z.rows, proportions("0.5", "0.5", "0", "0")+twenty)
			run("C", z.rows, proportions("1", "0", "0", "0")+twenty)
			run("E", z.rows, proportions("0", "0", "0.05", "0.95")+twenty+" -p maxscanlength=100 -p scanlengthdistribution=uniform")
			return all
		},
	},
	"tdsql-sysbench": {
		text: "sysbench OLTP, six scenarios over 32 tables by 32 to 1024 threads (a published report of a distributed SQL store). Needs a MySQL target.",
		scales: map[string]size{"full": {tables: 32, rows: 10_000_000, seconds: "600", threads: "32,64,128,256,512,1024"}, "laptop": {tables: 8, rows: 125_000, seconds: "60", threads: "32,64,128,256,512,1024"},
			"mini": {tables: 4, rows: 50_000, seconds: "20", threads: "32,64,128,256"}, "ci": {tables: 2, rows: 5_000, seconds: "3", threads: "1,4,16"}},
		steps: func(z size, target string) [][]string {
			common := fmt.Sprintf("--mysql-url %s --tables %d --table-size %d --auto-inc off", target, z.tables, z.rows)
			all := [][]string{words("sysbench oltp_common cleanup", common), words("sysbench oltp_common prepare", common, "--threads 8")}
			for _, t := range []string{"oltp_point_select", "oltp_read_only", "oltp_update_index", "oltp_update_non_index", "oltp_write_only", "oltp_read_write"} {
				all = append(all, words("sysbench", t, "run", common, "--time", z.seconds, "--mysql-ignore-errors all --max-error-rate 1 --sweep", "threads="+z.threads, "-l", t))
			}
			return append(all, words("sysbench oltp_read_write check", common))
		},
	},
	"hbase-22564": {
		text: "HBase's PerformanceEvaluation: scan and scanRange10 by the three ways of fetching (issue HBASE-22564). Needs an HBase target.",
		scales: map[string]size{"full": {rows: 1_000_000, clients: 10}, "laptop": {rows: 20_000, clients: 10},
			"mini": {rows: 5_000, clients: 10}, "ci": {rows: 500, clients: 4}},
		steps: func(z size, target string) [][]string {
			common := fmt.Sprintf("--nomapred --rows=%d --target %s", z.rows, target)
			n := fmt.Sprint(z.clients)
			return [][]string{words("pe", common, "sequentialWrite", n), words("pe", common, "scan", n, "--scanner sync,prefetch-old,prefetch -l scan"),
				words("pe", common, "scanRange10", n, "--scanner sync,prefetch-old,prefetch -l scanRange10"), words("pe", common, "randomWrite", n, "-l randomWrite")}
		},
	},
	"one-connection": {
		text:   "Gets and puts over one connection by 1 to 1000 workers (published with a client for Node). Needs an HBase target.",
		scales: map[string]size{"full": {operations: 100_000}, "laptop": {operations: 20_000}, "mini": {operations: 5_000}, "ci": {operations: 300, concurrencies: "1,10,100"}},
		steps: func(z size, target string) [][]string {
			common := fmt.Sprintf("--target %s --calls %d", target, z.operations)
			if z.concurrencies != "" {
				common += " --concurrency " + z.concurrencies
			}
			return [][]string{words("conc put", common, "-l put"), words("conc get", common, "-l get")}
		},
	},
	"mytopling-jdbc": {
		text: "YCSB's workload A over SQL: half reads, half updates, zipfian, 20 threads (published as a comparison of two MySQL servers). Needs a MySQL target, or an HBase one for its key-value form.",
		scales: map[string]size{"full": {rows: 10_000_000, operations: 10_000_000, threads: "20"}, "laptop": {rows: 200_000, operations: 500_000, threads: "20"},
			"mini": {rows: 50_000, operations: 100_000, threads: "20"}, "ci": {rows: 1_000, operations: 5_000, threads: "4"}},
		steps: func(z size, target string) [][]string {
			common := fmt.Sprintf("-p recordcount=%d -threads %s", z.rows, z.threads)
			return [][]string{words("ycsb load", target, common, "-p db.batchsize=5000 -p jdbc.batchupdateapi=true --drop"),
				words("ycsb run", target, common, fmt.Sprintf("-p operationcount=%d -p requestdistribution=zipfian --ceiling 500ms -l A", z.operations), proportions("0.5", "0.5", "0", "0"))}
		},
	},
}

func words(parts ...string) []string { return strings.Fields(strings.Join(parts, " ")) }

var presetNames = []string{"tdsql-ycsb", "tdsql-sysbench", "hbase-22564", "one-connection", "mytopling-jdbc"}

// runPreset does a published table's loads and runs, and shows all of it as one.
func runPreset(e *env, args []string) error {
	f := pflag.NewFlagSet("preset", pflag.ContinueOnError)
	target := f.String("target", "", "server")
	scale := f.String("scale", "mini", "full, laptop, mini or ci")
	dir := f.String("out", "", "directory for the results: preset.json, preset.html, and a file of each step (default: a new one in the temporary directory)")
	dry := f.Bool("dry-run", false, "show the commands and exit")
	prom := f.String("server-prom", "", "URL of a metrics page of the server")
	markdown := f.Bool("md", false, "the table in Markdown")
	const synopsis = "basalt bench preset list\nbasalt bench preset NAME --target TARGET [--scale full|laptop|mini|ci]"
	if err := e.parse(f, args, synopsis); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return wrongUsage("want %s", synopsis)
	}
	if f.Arg(0) == "list" {
		for _, n := range presetNames {
			fmt.Fprintf(e.out, "%-15s %s\n", n, presets[n].text)
		}
		return nil
	}
	p, ok := presets[f.Arg(0)]
	if !ok {
		return wrongUsage("no preset %s; there are %s", f.Arg(0), strings.Join(presetNames, ", "))
	}
	z, ok := p.scales[*scale]
	if !ok {
		return wrongUsage("--scale=%s: want full, laptop, mini or ci", *scale)
	}
	if *target == "" {
		return wrongUsage("--target is missing. %s", p.text)
	}
	steps := p.steps(z, *target)
	if *dry {
		for _, s := range steps {
			fmt.Fprintln(e.out, "basalt bench", strings.Join(mask(s), " "))
		}
		return nil
	}
	if *dir == "" {
		var err error
		if *dir, err = os.MkdirTemp("", "basalt-preset-"); err != nil {
			return err
		}
	} else if err := os.MkdirAll(*dir, 0o755); err != nil {
		return err
	}
	if *scale != "full" {
		fmt.Fprintf(e.errs, "%s: scaled from %+v to %+v\n", *scale, p.scales["full"], z)
	}
	all, failure := p.run(e, steps, *dir, *scale, *prom)
	if all == nil {
		return failure
	}
	all.Workload = result.Workload{Kind: "preset " + f.Arg(0), Properties: map[string]result.Property{"scale": {Value: *scale, Origin: "flag"}}}
	all.Meta.Command = mask(e.args)
	s := &session{e: e, o: &options{output: filepath.Join(*dir, "preset.json"), html: filepath.Join(*dir, "preset.html"), maxErrorRate: 1}, r: all}
	summary(e.out, all, *markdown)
	fmt.Fprintln(e.errs, "results in", *dir)
	if err := s.finish(); err != nil {
		return err
	}
	return failure
}

// run does the steps, and puts their phases together. A step that fails ends it.
func (p preset) run(e *env, steps [][]string, dir, scale, prom string) (all *result.Result, err error) {
	for i, step := range steps {
		file := filepath.Join(dir, fmt.Sprintf("%02d-%s.json", i+1, step[0]))
		args := slices.Clone(step[1:])
		fmt.Fprintln(e.errs, "basalt bench", strings.Join(mask(step), " "))
		args = append(args, "-o", file, "--no-progress", "--interval", "1s")
		if prom != "" {
			args = append(args, "--server-prom", prom)
		}
		var discarded strings.Builder // what the steps print, the table below has
		inner := &env{ctx: e.ctx, stop: e.stop, out: &discarded, errs: e.errs, version: e.version, args: step, scale: scale}
		err = commands[step[0]](inner, args)
		r, readErr := result.ReadFile(file)
		if readErr != nil {
			if err != nil {
				return all, err
			}
			continue // cleanup measures nothing
		}
		if all == nil {
			all = r
			all.Phases, all.Series, r = nil, nil, &result.Result{Phases: r.Phases, Series: r.Series, Meta: r.Meta}
		}
		for _, pt := range r.Series {
			pt.Phase += len(all.Phases)
			all.Series = append(all.Series, pt)
		}
		for _, ph := range r.Phases {
			if r.Meta.Label != "" {
				ph.Name = r.Meta.Label + " " + ph.Name
			}
			all.Phases = append(all.Phases, ph)
		}
		all.Interrupted = all.Interrupted || r.Interrupted
		if err != nil || all.Interrupted {
			return all, err
		}
	}
	return all, nil
}
