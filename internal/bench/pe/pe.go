// Package pe is the workload of HBase's PerformanceEvaluation: rows of 26 digits,
// values of runs of capital letters, each client with its own range of rows. Unlike
// the original it counts rows only when they came.
package pe

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/basaltdb/basalt/client"
	"github.com/basaltdb/basalt/client/filter"
	"github.com/basaltdb/basalt/internal/bench/gen"
	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/store/hbasedb"
)

// Family and Qualifier are of the only column.
const (
	Family    = "info0"
	Qualifier = "0"
)

// Modes are how scanners fetch.
var Modes = map[string]client.ScanMode{"sync": client.Sync, "prefetch-old": client.PrefetchCount, "prefetch": client.Prefetch}

// Options are those of a run.
type Options struct {
	Table       string
	Rows        int64 // of each client
	Clients     int
	ValueSize   int
	Caching     int
	Scanner     string
	AddColumns  bool
	FilterAll   bool
	AutoFlush   bool
	BufferBytes int
	Durability  client.Durability
	CacheBlocks bool
	Seed        uint64
}

// command is one of PE's tests.
type command struct {
	class string // of the original, by which its output names it
	begin func(*task)
	step  func(*task, context.Context, *measure.Recorder) error
}

var commands = map[string]command{
	"sequentialWrite": {"SequentialWriteTest", (*task).openWriter, (*task).write},
	"randomWrite":     {"RandomWriteTest", (*task).openWriter, (*task).write},
	"sequentialRead":  {"SequentialReadTest", nil, (*task).read},
	"randomRead":      {"RandomReadTest", nil, (*task).read},
	"scan":            {"ScanTest", nil, (*task).scan},
	"scanRange10":     {"RandomScanWithRange10Test", nil, (*task).scanRange},
	"scanRange100":    {"RandomScanWithRange100Test", nil, (*task).scanRange},
	"scanRange1000":   {"RandomScanWithRange1000Test", nil, (*task).scanRange},
	"randomSeekScan":  {"RandomSeekScanTest", nil, (*task).seek},
	"increment":       {"IncrementTest", nil, (*task).increment},
	"append":          {"AppendTest", nil, (*task).append},
	"checkAndPut":     {"CheckAndPutTest", nil, (*task).checkAndPut},
}

// Commands are the names of all.
func Commands() []string { return slices.Sorted(maps.Keys(commands)) }

// Writes tells whether a command fills the table.
func Writes(name string) bool { return strings.HasSuffix(name, "Write") }

// Create makes the table if it is not there.
func Create(ctx context.Context, c *client.Client, table string) error {
	ok, err := c.Admin().TableExists(ctx, table)
	if err != nil || ok {
		return err
	}
	return c.Admin().CreateTable(ctx, client.TableDescriptor{Name: table, Families: []client.FamilyDescriptor{client.Family(Family)}})
}

// Plan is a phase of one command.
func Plan(c *client.Client, name string, o Options) (*load.Plan, error) {
	cmd, ok := commands[name]
	if !ok {
		return nil, fmt.Errorf("no command %s; there are %s", name, strings.Join(Commands(), ", "))
	}
	mode, ok := Modes[o.Scanner]
	if !ok {
		return nil, fmt.Errorf("--scanner=%s: want sync, prefetch-old or prefetch", o.Scanner)
	}
	if o.Rows < 1 || o.ValueSize < 1 || o.Caching < 0 {
		return nil, fmt.Errorf("--rows and --valueSize have to be at least 1, --caching at least 0")
	}
	return &load.Plan{Name: name, Workers: o.Clients, Ops: []string{cmd.class}, Classify: hbasedb.Classify, Seed: o.Seed,
		New: func(ctx context.Context, i int) (load.Task, error) {
			t := &task{cmd: cmd, name: name, o: o, table: c.Table(o.Table), mode: mode, at: int64(i) * o.Rows, random: gen.Rand(o.Seed, uint64(i))}
			t.end = t.at + o.Rows
			if overlapping[name] {
				t.at, t.end = 0, o.Rows
			}
			if i == 0 {
				if err := t.table.Warm(ctx); err != nil {
					return nil, err
				}
			}
			if cmd.begin != nil {
				cmd.begin(t)
			}
			return t, nil
		}}, nil
}

// overlapping are those whose clients all work on the same rows.
var overlapping = map[string]bool{"increment": true, "append": true, "checkAndPut": true}

// task is one client.
type task struct {
	cmd     command
	name    string
	o       Options
	table   *client.Table
	mode    client.ScanMode
	random  *rand.Rand
	at, end int64
	mutator *client.BufferedMutator
	scanner *client.Scanner
}

// Row is the key of row n.
func Row(n int64) []byte { return fmt.Appendf(nil, "%026d", n) }

// value is runs of eight equal capital letters. It compresses well.
func (t *task) value() []byte {
	b := make([]byte, t.o.ValueSize)
	for i := range b {
		if i%8 == 0 {
			b[i] = 'A' + byte(t.random.IntN(26))
		} else {
			b[i] = b[i-1]
		}
	}
	return b
}

// Step implements load.Task: one iteration.
func (t *task) Step(ctx context.Context, r *measure.Recorder) error {
	if t.at >= t.end {
		if t.scanner != nil {
			t.scanner.Close()
		}
		if t.mutator != nil {
			if err := t.mutator.Flush(ctx); err != nil {
				return fmt.Errorf("writing what was buffered: %w", err)
			}
		}
		return load.ErrDone
	}
	err := t.cmd.step(t, ctx, r)
	t.at++
	return err
}

// Close implements load.Task.
func (t *task) Close() error {
	if t.mutator == nil {
		return nil
	}
	return t.mutator.Close(context.Background())
}

// row is the row of this iteration: in order, or any of all clients'.
func (t *task) row() []byte {
	if strings.HasPrefix(t.name, "random") || strings.HasPrefix(t.name, "scanRange") {
		return Row(t.random.Int64N(t.o.Rows * int64(t.o.Clients)))
	}
	return Row(t.at)
}

func (t *task) openWriter() {
	if !t.o.AutoFlush {
		t.mutator = t.table.Mutator(client.MutatorConfig{BufferBytes: t.o.BufferBytes})
	}
}

// do times a call. As in the original its latency has the making of keys and
// values in it.
func (t *task) do(r *measure.Recorder, call func() (rows int64, bytes int64, err error)) error {
	begin := r.Begin(0)
	rows, n, err := call()
	r.End(0, begin, measure.Counts{rows, rows, n}, err)
	return nil
}

func (t *task) put() *client.Put {
	return client.NewPut(t.row()).SetDurability(t.o.Durability).Add(Family, []byte(Qualifier), t.value())
}

func (t *task) write(ctx context.Context, r *measure.Recorder) error {
	return t.do(r, func() (int64, int64, error) {
		p := t.put()
		if t.mutator != nil {
			return 1, int64(t.o.ValueSize), t.mutator.Add(ctx, p)
		}
		return 1, int64(t.o.ValueSize), t.table.Put(ctx, p)
	})
}

func (t *task) get() *client.Get {
	g := client.NewGet(t.row()).SetCacheBlocks(t.o.CacheBlocks)
	if t.o.AddColumns {
		return g.AddColumn(Family, []byte(Qualifier))
	}
	return g.AddFamily(Family)
}

func (t *task) read(ctx context.Context, r *measure.Recorder) error {
	return t.do(r, func() (int64, int64, error) {
		got, err := t.table.Get(ctx, t.get())
		if err != nil || got.Empty() {
			return 0, 0, err
		}
		return 1, int64(got.Bytes()), nil
	})
}

func (t *task) newScan() *client.Scan {
	s := client.NewScan().SetCaching(t.o.Caching).SetCacheBlocks(t.o.CacheBlocks).SetMode(t.mode)
	if t.o.FilterAll {
		s.SetFilter(filter.None())
	}
	if t.o.AddColumns {
		return s.AddColumn(Family, []byte(Qualifier))
	}
	return s.AddFamily(Family)
}

func (t *task) scan(ctx context.Context, r *measure.Recorder) error {
	return t.do(r, func() (int64, int64, error) {
		if t.scanner == nil {
			t.scanner = t.table.Scan(t.newScan().WithStartRow(Row(t.at), true))
		}
		if !t.scanner.Next(ctx) {
			return 0, 0, t.scanner.Err()
		}
		return 1, int64(t.scanner.Result().Bytes()), nil
	})
}

func (t *task) drain(ctx context.Context, s *client.Scan, most int64) (rows, bytes int64, err error) {
	sc := t.table.Scan(s)
	defer sc.Close()
	for rows < most && sc.Next(ctx) {
		rows++
		bytes += int64(sc.Result().Bytes())
	}
	return rows, bytes, sc.Err()
}

func (t *task) scanRange(ctx context.Context, r *measure.Recorder) error {
	var span int64
	if _, err := fmt.Sscanf(t.name, "scanRange%d", &span); err != nil {
		return err
	}
	return t.do(r, func() (int64, int64, error) {
		from := t.random.Int64N(t.o.Rows * int64(t.o.Clients))
		return t.drain(ctx, t.newScan().Range(Row(from), Row(from+span)), math.MaxInt64)
	})
}

// seekRows is the page of randomSeekScan.
const seekRows = 120

func (t *task) seek(ctx context.Context, r *measure.Recorder) error {
	return t.do(r, func() (int64, int64, error) {
		s := t.newScan().WithStartRow(t.row(), true).SetFilter(filter.WhileMatch(filter.Page(seekRows)))
		return t.drain(ctx, s, math.MaxInt64)
	})
}

func (t *task) increment(ctx context.Context, r *measure.Recorder) error {
	return t.do(r, func() (int64, int64, error) {
		_, err := t.table.Increment(ctx, client.NewIncrement(t.row()).Add(Family, []byte("counter"), 1))
		return 1, 8, err
	})
}

func (t *task) append(ctx context.Context, r *measure.Recorder) error {
	return t.do(r, func() (int64, int64, error) {
		_, err := t.table.Append(ctx, client.NewAppend(t.row()).Add(Family, []byte("appended"), []byte("00000001")))
		return 1, 8, err
	})
}

func (t *task) checkAndPut(ctx context.Context, r *measure.Recorder) error {
	return t.do(r, func() (int64, int64, error) {
		row, v := t.row(), t.value()
		if err := t.table.Put(ctx, client.NewPut(row).Add(Family, []byte("checked"), v)); err != nil {
			return 0, 0, err
		}
		p := client.NewPut(row).Add(Family, []byte("checked"), v)
		_, err := t.table.CheckAndMutate(ctx, client.NewCheckAndMutate(row).IfEquals(Family, []byte("checked"), v).Then(p))
		return 1, int64(len(v)), err
	})
}

// Report writes the lines that the original ends with, and what it leaves out.
func Report(w io.Writer, o *load.Outcome, plain bool) {
	s := o.Set.Ops()[0]
	prefix := "hbase.PerformanceEvaluation: "
	if plain {
		prefix = ""
	}
	var timings []int64
	var tps float64
	for i, seconds := range o.WorkerSeconds {
		timings = append(timings, int64(math.Round(seconds*1000)))
		// The last step only finds that there is nothing left.
		tps += float64(max(o.WorkerSteps[i]-1, 0)) / math.Max(seconds, 1e-9)
	}
	slices.Sort(timings)
	var total int64
	texts := make([]string, len(timings))
	for i, t := range timings {
		total += t
		texts[i] = fmt.Sprint(t)
	}
	fmt.Fprintf(w, "%s[%s] Summary of timings (ms): [%s]\n", prefix, s.Name, strings.Join(texts, ", "))
	fmt.Fprintf(w, "%s[%s duration ]\tMin: %dms\tMax: %dms\tAvg: %dms\n", prefix, s.Name, timings[0], timings[len(timings)-1], total/int64(len(timings)))
	fmt.Fprintf(w, "%s[ Avg latency (us)]\t%.0f\n", prefix, s.Service.Avg())
	fmt.Fprintf(w, "%s[ Avg TPS/QPS]\t%.0f\t row per second\n", prefix, tps)
	if plain {
		return
	}
	slowest := slices.Max(o.WorkerSeconds)
	fmt.Fprintf(w, "rows returned or written: %d, %.0f a second of the slowest client, %.2f MB/s; calls: %d\n", s.Counts[0],
		float64(s.Counts[0])/slowest, float64(s.Counts[2])/slowest/1e6, s.OK())
	fmt.Fprintf(w, "latency us: mean=%.1f min=%d max=%d stdDev=%.1f", s.Service.Avg(), s.Service.MinUS(), s.Service.MaxUS(), s.Service.StdDev())
	for _, p := range []float64{50, 75, 95, 99, 99.9, 99.99, 99.999} {
		fmt.Fprintf(w, " %vth=%d", p, s.Service.Percentile(p))
	}
	fmt.Fprintln(w)
}
