package ycsb

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/basaltdb/basalt/internal/bench/gen"
	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/store"
)

// The operations, in the order of reports.
const (
	opRead measure.Op = iota
	opUpdate
	opInsert
	opScan
	opRMW
	opBatch
	opFlush
	opCleanup
	opVerify
)

// Ops are their names.
var Ops = []string{"READ", "UPDATE", "INSERT", "SCAN", "READ-MODIFY-WRITE", "INSERT-BATCH", "FLUSH", "CLEANUP", "VERIFY"}

// opNames names buffered writes for what they are: their latency is that of a
// memory append.
func (w *Workload) opNames() []string {
	names := slices.Clone(Ops)
	if w.buffered {
		names[opUpdate] += "-BUFFERED"
		names[opInsert] += "-BUFFERED"
	}
	return names
}

// Workload is what properties ask for.
type Workload struct {
	Keys                  gen.KeySpace
	Fields                []string
	Records, Start, Count int64
	Operations            int64
	Threads               int
	Target                float64
	MaxTime               time.Duration
	Table, Family         string
	Retries               int64
	RetryPause            time.Duration
	KeepGoing             bool
	BatchSize             int
	Verify                *Verifier

	fieldBytes  int
	length      func() (gen.Ints, error)
	letters     bool
	ratio       float64
	proportions [5]float64 // by operation, cumulative
	request     gen.Distribution
	scanLength  func() gen.Ints
	readFields  []string // nil: all
	oneRead     bool
	writeFields []string // nil: all
	oneWrite    bool
	buffered    bool
	inserts     bool
}

// New makes a workload of properties. seconds is how long a run without a count
// will take, to know how many inserts to expect.
func New(p *Properties, run bool, seconds, rate float64) (*Workload, error) {
	r := &reader{p: p}
	w := &Workload{
		Keys:    gen.KeySpace{Prefix: p.Get("keyprefix"), Ordered: p.Get("insertorder") != "hashed", Padding: int(r.int("zeropadding", 0))},
		Records: r.int("recordcount", 0), Start: r.int("insertstart", 0), Operations: r.int("operationcount", 0),
		Threads: int(r.int("threadcount", 1)), Target: r.float("target"), MaxTime: time.Duration(r.float("maxexecutiontime") * float64(time.Second)),
		Table: p.Get("table"), Family: p.Get("columnfamily"), Retries: r.int("core_workload_insertion_retry_limit", 0),
		RetryPause: time.Duration(r.float("core_workload_insertion_retry_interval") * float64(time.Second)),
		KeepGoing:  r.bool("core_workload_insertion_keep_going_on_error"), buffered: r.bool("clientbuffering"),
		letters: r.oneOf("valuealphabet", "java", "letters") == "letters", ratio: r.float("compressratio"),
	}
	if r.oneOf("keyhash", "ycsb", "goycsb") == "goycsb" {
		w.Keys.Hash = gen.HashGoYCSB
	}
	w.Count = w.Records - w.Start
	if p.Get("insertcount") != "" {
		w.Count = r.int("insertcount", 0)
	}
	if batch := r.int("db.batchsize", 0); batch > 1 && r.bool("jdbc.batchupdateapi") {
		w.BatchSize = int(batch)
	}
	if batch := r.int("batch.size", 0); batch > 1 {
		w.BatchSize = int(batch)
	}
	n := r.int("fieldcount", 1)
	if n > 100_000 {
		r.fail("fieldcount", "at most 100000")
	}
	for i := range min(n, 100_000) {
		w.Fields = append(w.Fields, p.Get("fieldnameprefix")+strconv.FormatInt(i, 10))
	}
	w.lengths(r)
	w.mix(r)
	w.columns(r)
	if r.err == nil && w.Count < 1 {
		return nil, fmt.Errorf("property recordcount=%s: a workload needs records; give -p recordcount=N", p.Get("recordcount"))
	}
	w.request = gen.Distribution{
		Name: r.oneOf("requestdistribution", gen.Distributions...), Start: w.Start, Count: w.Count,
		HotSet: r.float("hotspotdatafraction"), HotOps: r.float("hotspotopnfraction"),
		Percentile: r.float("exponential.percentile"), Frac: r.float("exponential.frac"),
	}
	if w.inserts {
		share := w.proportions[opInsert] - w.proportions[opUpdate]
		switch {
		case p.Get("expectednewkeys") != "":
			w.request.NewKeys = r.int("expectednewkeys", 0)
		case w.Operations > 0:
			w.request.NewKeys = int64(float64(w.Operations) * share * 2)
		default:
			// Without a count and a rate: as many as there are records, at most.
			w.request.NewKeys = min(int64(seconds*max(rate, w.Target, 1000)*share*2), w.Count)
		}
	}
	r.oneOf("measurementtype", "hdrhistogram") // the JSON and CSV results have the time series
	r.oneOf("measurement.interval", "op", "intended", "both")
	mode := r.oneOf("verify", "none", "strong")
	if r.bool("dataintegrity") {
		if mode == "strong" {
			r.fail("verify", "none when dataintegrity=true")
		}
		if p.Get("fieldlengthdistribution") != "constant" {
			r.fail("fieldlengthdistribution", "constant when dataintegrity=true")
		}
		mode = "dataintegrity"
	}
	if r.err != nil {
		return nil, r.err
	}
	if mode != "none" {
		var err error
		if w.Verify, err = newVerifier(w, mode, run); err != nil {
			return nil, err
		}
	}
	_, err := w.length()
	return w, err
}

func (w *Workload) lengths(r *reader) {
	w.fieldBytes = int(r.int("fieldlength", 1))
	least := r.int("minfieldlength", 0)
	if w.fieldBytes > 64<<20 {
		r.fail("fieldlength", "at most 64 MiB")
	}
	if least > int64(w.fieldBytes) {
		r.fail("minfieldlength", "at most fieldlength")
	}
	switch r.oneOf("fieldlengthdistribution", "constant", "uniform", "zipfian", "histogram") {
	case "uniform":
		w.length = func() (gen.Ints, error) { return gen.Uniform{Min: least, Max: int64(w.fieldBytes)}, nil }
	case "zipfian":
		w.length = func() (gen.Ints, error) { return gen.NewZipf(least, int64(w.fieldBytes), gen.Theta), nil }
	case "histogram":
		path := r.p.Get("fieldlengthhistogram")
		w.length = func() (gen.Ints, error) {
			f, err := os.Open(path)
			if err != nil {
				return nil, fmt.Errorf("fieldlengthhistogram: %w", err)
			}
			defer f.Close()
			return gen.ReadHistogram(f)
		}
	default:
		w.length = func() (gen.Ints, error) { return gen.Constant(w.fieldBytes), nil }
	}
}

func (w *Workload) mix(r *reader) {
	names := [5]string{"readproportion", "updateproportion", "insertproportion", "scanproportion", "readmodifywriteproportion"}
	sum := 0.0
	for i, n := range names {
		sum += r.float(n)
		w.proportions[i] = sum
	}
	if sum == 0 {
		r.fail("readproportion", "some proportion above 0")
		return
	}
	for i := range w.proportions {
		w.proportions[i] /= sum
	}
	w.inserts = w.proportions[opInsert] > w.proportions[opUpdate]
	least, most := r.int("minscanlength", 1), r.int("maxscanlength", 1)
	if least > most {
		r.fail("minscanlength", "at most maxscanlength")
	}
	if r.oneOf("scanlengthdistribution", "uniform", "zipfian") == "zipfian" {
		w.scanLength = func() gen.Ints { return gen.NewZipf(least, max(least, most), gen.Theta) }
	} else {
		w.scanLength = func() gen.Ints { return gen.Uniform{Min: least, Max: max(least, most)} }
	}
}

// columns settles which fields are read and written.
func (w *Workload) columns(r *reader) {
	list := func(name string) []string {
		var all []string
		for part := range strings.SplitSeq(r.p.Get(name), ",") {
			from, to, isRange := strings.Cut(strings.TrimSpace(part), "-")
			if !isRange {
				to = from
			}
			i, j := slices.Index(w.Fields, from), slices.Index(w.Fields, to)
			if i < 0 || j < i {
				r.fail(name, "fields of the table, such as "+w.Fields[0]+"-"+w.Fields[len(w.Fields)-1])
				return nil
			}
			all = append(all, w.Fields[i:j+1]...)
		}
		return all
	}
	switch {
	case r.p.Get("readfields") != "":
		w.readFields = list("readfields")
	case !r.bool("readallfields"):
		w.oneRead = true
	case r.bool("readallfieldsbyname"):
		w.readFields = w.Fields
	}
	switch {
	case r.p.Get("writefields") != "":
		w.writeFields = list("writefields")
	case r.bool("writeallfields"):
		w.writeFields = w.Fields
	default:
		w.oneWrite = true
	}
}

// Config is how stores are to be opened for the workload.
func (w *Workload) Config(p *Properties) (store.Config, error) {
	r := &reader{p: p}
	c := store.Config{
		Table: w.Table, Family: w.Family, Fields: w.Fields, ScanStyle: r.oneOf("scanstyle", "limit", "ycsb"), Durability: p.Get("durability"),
		Buffering: w.buffered, BufferBytes: int(r.int("writebuffersize", 1)), PageFilter: r.bool("hbase.usepagefilter"),
		Connections: int(r.int("hbase.client.ipc.pool.size", 1)), MaxBatches: int(r.int("hbase.client.max.total.tasks", 0)),
		MaxBatchesPer: int(r.int("hbase.client.max.perserver.tasks", 0)),
		SQLStyle:      r.oneOf("sqlstyle", "jdbc", "goycsb"), AutoCommit: r.bool("jdbc.autocommit"),
	}
	if c.BufferBytes < 1024 {
		c.BufferBytes <<= 20 // YCSB's default is in bytes, but people write MiB
	}
	switch strings.ToLower(strings.TrimSuffix(strings.ToLower(p.Get("hbase.client.ipc.pool.type")), "pool")) {
	case "roundrobin":
	case "threadlocal":
		c.Connections = max(c.Connections, w.Threads)
	default:
		r.fail("hbase.client.ipc.pool.type", "RoundRobin or ThreadLocal")
	}
	// YCSB's JDBC binding selects all columns whatever it is asked for.
	c.AllColumns = c.SQLStyle == "jdbc" && p.Get("readfields") == ""
	if r.bool("hbase.usescanvaluefiltering") {
		c.ValueFilterOp, c.ValueFilter = p.Get("hbase.scanfilteroperator"), p.Get("hbase.scanfiltervalue")
	}
	return c, r.err
}

// Schema is the workload's table.
func (w *Workload) Schema(presplit int) (store.Schema, error) {
	s := store.Schema{Table: w.Table, Family: w.Family, Fields: w.Fields, FieldBytes: w.fieldBytes}
	if presplit > 1 {
		var err error
		if s.Splits, err = w.Keys.Splits(presplit, w.Start+w.Count); err != nil {
			return s, err
		}
	}
	return s, nil
}

// DatasetBytes estimates the values of all records.
func (w *Workload) DatasetBytes() int64 { return w.Count * int64(len(w.Fields)*w.fieldBytes) }

// RunPlan is the transaction phase. Stop and reporting are the caller's to add.
func (w *Workload) RunPlan(db store.Store, seed uint64) *load.Plan {
	acks := gen.NewAcks(w.Start + w.Count)
	p := w.plan("run", db, seed)
	p.MaxSteps = w.Operations
	p.Time = w.MaxTime
	p.New = func(ctx context.Context, i int) (load.Task, error) {
		c, err := w.worker(ctx, db, seed, i)
		if err != nil {
			return nil, err
		}
		c.acks = acks
		if c.chooser, err = w.request.Chooser(acks); err != nil {
			return nil, err
		}
		c.scanLength = w.scanLength()
		return c, nil
	}
	return p
}

func (w *Workload) plan(name string, db store.Store, seed uint64) *load.Plan {
	return &load.Plan{Name: name, Workers: w.Threads, Ops: w.opNames(), Rate: w.Target, Seed: seed, Classify: db.Classify, Grace: 30 * time.Second}
}
