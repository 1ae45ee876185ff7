// Shows the command lines from end to end: against a Basalt on loopback, and
// against a store that does nothing.
package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/basaltdb/basalt/basalttest"
	"github.com/basaltdb/basalt/internal/bench/result"
)

// bench runs a command line, and wants an exit code.
func bench(t *testing.T, code int, args ...string) (out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	if got := Main(args, &o, &e, "test"); got != code {
		t.Fatalf("%v: exit code %d, want %d\n%s\n%s", args, got, code, &o, &e)
	}
	return o.String(), e.String()
}

func TestYCSBOnBasalt(t *testing.T) {
	s := basalttest.Start(t)
	dir := t.TempDir()
	target := "zk://" + s.ZooKeeper
	common := []string{"-p", "recordcount=300", "-p", "fieldcount=5", "-p", "fieldlength=40", "-p", "verify=strong", "-threads", "4"}
	with := func(args ...string) []string { return append(args, common...) }
	_, errs := bench(t, 0, with("ycsb", "load", target, "--presplit", "4", "--checkpoint", dir+"/load", "--check-load", "full")...)
	if !strings.Contains(errs, "checked 300 records: 0 are missing") {
		t.Error(errs)
	}
	out, _ := bench(t, 0, with("ycsb", "run", target, "-p", "readproportion=1", "-p", "updateproportion=1", "-p", "scanproportion=1", "-p", "insertproportion=0.2",
		"-p", "readmodifywriteproportion=1", "-p", "maxscanlength=10", "-p", "operationcount=1000", "-p", "requestdistribution=zipfian",
		"-o", dir+"/a.json", "--csv", dir+"/a.csv", "--series-csv", dir+"/s.csv", "--html", dir+"/a.html", "--server-prom", "http://"+s.HTTP+"/metrics")...)
	for _, want := range []string{"[OVERALL], Throughput(ops/sec), ", "[READ-MODIFY-WRITE], Return=OK, ", "[VERIFY], Return=OK, ", "[SCAN], 99thPercentileLatency(us), "} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if strings.Contains(out, "FAILED") {
		t.Error(out)
	}
	r, err := result.ReadFile(dir + "/a.json")
	if err != nil {
		t.Fatal(err)
	}
	if p := r.Phases[0]; r.Verify == nil || r.Verify.Wrong != 0 || r.Verify.OK == 0 || p.Counters["rpcs"] < 800 || p.Server == nil || p.Server.CPUCores == nil {
		t.Errorf("%+v, %+v", r.Verify, r.Phases[0])
	}
	html, err := os.ReadFile(dir + "/a.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"https://", "<link", "src=", "@import", "url("} {
		if bytes.Contains(html, []byte(bad)) {
			t.Errorf("the report has %q", bad)
		}
	}
	if n := bytes.Count(html, []byte("<svg")); n < 4 {
		t.Errorf("%d plots in the report", n)
	}
	bench(t, 0, with("ycsb", "run", target, "-p", "operationcount=300", "--sweep", "threads=1,3", "--rate", "2000", "-o", dir+"/b.json")...)
	bench(t, exitUsage, "compare", dir+"/a.json", dir+"/b.json")
	if out, _ := bench(t, 0, "compare", "--force", dir+"/a.json", dir+"/a.json"); !strings.Contains(out, "no difference shown") {
		t.Error(out)
	}
	bench(t, 0, "merge", dir+"/a.json", dir+"/a.json", "-o", dir+"/m.json")
	if out, _ := bench(t, 0, "show", dir+"/m.json", "--md", "--html", dir+"/m.html"); !strings.Contains(out, "| READ |") {
		t.Error(out)
	}
	// A table of another shape is refused.
	_, errs = bench(t, exitFailed, with("ycsb", "load", target, "-p", "columnfamily=other", "--checkpoint", dir+"/load2")...)
	if !strings.Contains(errs, "another schema") || !strings.Contains(errs, "--drop") {
		t.Error(errs)
	}
	if _, errs := bench(t, exitFailed, "ycsb", "run", target, "-p", "recordcount=10", "-p", "keyprefix=nobody", "--time", "1s"); !strings.Contains(errs, "load it first") {
		t.Error(errs)
	}
}

func TestPEOnBasalt(t *testing.T) {
	s := basalttest.Start(t)
	pe := func(args ...string) string {
		out, _ := bench(t, 0, append([]string{"pe", "--nomapred", "--rows=200", "--valueSize=50", "--target", "zk://" + s.ZooKeeper, "--quiet"}, args...)...)
		return out
	}
	lines := regexp.MustCompile(`(?m)^hbase\.PerformanceEvaluation: \[(\w+)\] Summary of timings \(ms\): \[(\d+, ){3}\d+\]
hbase\.PerformanceEvaluation: \[(\w+) duration \]\tMin: \d+ms\tMax: \d+ms\tAvg: \d+ms
hbase\.PerformanceEvaluation: \[ Avg latency \(us\)\]\t\d+
hbase\.PerformanceEvaluation: \[ Avg TPS/QPS\]\t\d+\t row per second
rows returned or written: (\d+),`)
	f := func(out, class, rows string) {
		t.Helper()
		if m := lines.FindStringSubmatch(out); m == nil || m[1] != class || m[3] != class || rows != "" && m[4] != rows {
			t.Errorf("want %s of %s rows in\n%s", class, rows, out)
		}
	}
	f(pe("sequentialWrite", "4"), "SequentialWriteTest", "800")
	for _, mode := range []string{"sync", "prefetch-old", "prefetch"} {
		f(pe("scan", "4", "--scanner", mode), "ScanTest", "800")
	}
	f(pe("scanRange10", "4"), "RandomScanWithRange10Test", "")
	f(pe("randomSeekScan", "4", "--rows=10"), "RandomSeekScanTest", "")
	f(pe("randomRead", "4"), "RandomReadTest", "800")
	f(pe("sequentialRead", "4"), "SequentialReadTest", "800")
	f(pe("randomWrite", "4", "--autoFlush=true"), "RandomWriteTest", "800")
	f(pe("increment", "4"), "IncrementTest", "800")
	f(pe("append", "4"), "AppendTest", "800")
	f(pe("checkAndPut", "4"), "CheckAndPutTest", "800")
	f(pe("scan", "4", "--filterAll"), "ScanTest", "0")
}

func TestConcOnBasalt(t *testing.T) {
	s := basalttest.Start(t)
	dir := t.TempDir()
	for _, method := range []string{"get", "put"} {
		out, _ := bench(t, 0, "conc", method, "--target", "zk://"+s.ZooKeeper, "--concurrency", "1,10,100", "--calls", "300", "--quiet", "-o", dir+"/r.json")
		if !strings.Contains(out, "Total 300, Success 300, Fail 0") || strings.Count(out, "Concurrency ") != 3 {
			t.Error(out)
		}
		r, err := result.ReadFile(dir + "/r.json")
		if err != nil || len(r.Phases) != 3 || r.Phases[2].Threads != 100 {
			t.Error(err, r)
		}
	}
	bench(t, 0, "conc", "get", "--target", "rpc://"+s.Master, "--concurrency", "5", "--calls", "100", "--wire", "serial", "--quiet")
}

// All presets for HBase, at the scale of tests; the phases of the longest are cut
// short here, since the time of each is its only cost.
func TestPresetsOnBasalt(t *testing.T) {
	s := basalttest.Start(t)
	short := presets["tdsql-ycsb"]
	old := short.scales["ci"]
	z := old
	z.seconds = "300ms"
	short.scales["ci"] = z
	t.Cleanup(func() { short.scales["ci"] = old })
	for _, name := range []string{"tdsql-ycsb", "hbase-22564", "one-connection", "mytopling-jdbc"} {
		dir := t.TempDir()
		out, errs := bench(t, 0, "preset", name, "--target", "zk://"+s.ZooKeeper, "--scale", "ci", "--out", dir, "--server-prom", "http://"+s.HTTP+"/metrics")
		r, err := result.ReadFile(dir + "/preset.json")
		if err != nil {
			t.Fatal(err, errs)
		}
		if len(r.Phases) < 2 || !slices.Contains(r.Meta.Stamps, result.StampScaled) || !strings.Contains(out, "QPS(TOTAL)") {
			t.Errorf("%s: %d phases, %v\n%s", name, len(r.Phases), r.Meta.Stamps, out)
		}
		for _, p := range r.Phases {
			for n, o := range p.Ops {
				if o.Failures() > 0 {
					t.Errorf("%s, %s, %s: %v", name, p.Name, n, o.Err)
				}
			}
		}
	}
	if out, _ := bench(t, 0, "preset", "list"); strings.Count(out, "\n") != 5 {
		t.Error(out)
	}
	if out, _ := bench(t, 0, "preset", "tdsql-sysbench", "--target", "mysql://a:secret@h/d", "--dry-run"); !strings.Contains(out, "oltp_read_write run") || strings.Contains(out, "secret") {
		t.Error(out)
	}
}

func TestUsage(t *testing.T) {
	f := func(want string, args ...string) {
		t.Helper()
		if _, errs := bench(t, exitUsage, args...); !strings.Contains(errs, want) {
			t.Errorf("%v: %s", args, errs)
		}
	}
	f("did you mean ycsb", "ycbs")
	f("did you mean threads", "ycsb", "run", "noop://", "--treads", "3")
	f("did you mean recordcount", "ycsb", "run", "noop://", "-p", "recordcont=1")
	f("how long?", "ycsb", "run", "noop://", "-p", "recordcount=1")
	f("--threshold", "ycsb", "run", "noop://", "-p", "recordcount=1", "--threshold", "READ")
	f("want zk://", "ycsb", "run", "redis://x", "-p", "recordcount=1", "--time", "1s")
	f("--sweep", "ycsb", "run", "noop://", "-p", "recordcount=1", "--time", "1s", "--sweep", "threads=0.5")
	bench(t, 0, "ycsb", "--help")
	if out, _ := bench(t, 0, "ycsb", "run", "noop://", "-p", "recordcount=7", "-p", "db.passwd=secret", "--print-config"); !strings.Contains(out, "recordcount=7\t# flag") || strings.Contains(out, "secret") {
		t.Error(out)
	}
}

func TestHistogramLog(t *testing.T) {
	dir := t.TempDir() + "/"
	bench(t, 0, "ycsb", "run", "noop://", "-p", "recordcount=100", "-p", "operationcount=500", "-p", "readproportion=1", "-p", "updateproportion=0",
		"-p", "hdrhistogram.fileoutput=true", "-p", "hdrhistogram.output.path="+dir, "--quiet")
	b, err := os.ReadFile(dir + "READ.hdr")
	if err != nil || !strings.HasPrefix(string(b), "#[Histogram log format version") || !strings.Contains(string(b), ",HIST") {
		t.Errorf("%v\n%s", err, b)
	}
}

// A store that costs nothing leaves the client as the limit.
func TestCeiling(t *testing.T) {
	path := t.TempDir() + "/r.json"
	bench(t, exitInvalid, "ycsb", "run", "noop://", "-p", "recordcount=100", "--time", "300ms", "--ceiling", "300ms", "--strict", "-o", path)
	r, err := result.ReadFile(path)
	if err != nil || !slices.Contains(r.Phases[0].Stamps, result.StampClientBound) || len(r.Meta.Notes) == 0 {
		t.Error(err, r)
	}
}

func TestThresholds(t *testing.T) {
	run := []string{"ycsb", "run", "noop://?delay=1ms", "-p", "recordcount=100", "-p", "operationcount=50", "--quiet"}
	bench(t, 0, append(run, "--threshold", "READ.p99<10s", "--threshold", "READ.errors<1")...)
	bench(t, exitThreshold, append(run, "--threshold", "READ.avg<100us")...)
}

// A Ctrl-C at any moment leaves whole files.
func TestInterrupt(t *testing.T) {
	for _, after := range []time.Duration{50 * time.Millisecond, 300 * time.Millisecond} {
		path := filepath.Join(t.TempDir(), "r.json")
		timer := time.AfterFunc(after, func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) })
		out, _ := bench(t, exitInterrupted, "ycsb", "run", "noop://?delay=1ms", "-p", "recordcount=100", "--time", "1m", "-o", path, "--html", path+".html", "--csv", path+".csv")
		timer.Stop()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var r result.Result
		if err := json.Unmarshal(b, &r); err != nil || !r.Interrupted || len(r.Phases) != 1 || r.Phases[0].Ops["READ"].OK == 0 || !strings.Contains(out, "[READ]") {
			t.Errorf("%v %+v", err, r.Meta)
		}
	}
}
