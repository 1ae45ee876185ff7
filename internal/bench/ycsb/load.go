package ycsb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/bench/gen"
	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/result"
	"github.com/basaltdb/basalt/internal/bench/store"
)

// Loading is a load phase: ranges of record numbers that workers take in turns. A
// checkpoint file keeps which are done, so that a load that was killed goes on.
type Loading struct {
	w        *Workload
	path     string
	classify func(error) (measure.Class, string)
	// Resumed is how many records were loaded before.
	Resumed int64

	mu      sync.Mutex // guards all below
	next    int
	state   checkpoint
	gaps    []int64
	written time.Time
	dups    int64
}

// checkpoint is the file's form.
type checkpoint struct {
	Dataset string `json:"dataset"` // a hash of what decides what is loaded
	Chunk   int64  `json:"chunk"`
	Done    []bool `json:"done"`
}

// chunkRecords is how many records a range has at most.
const chunkRecords = 10_000

// ErrUnfinished tells that a checkpoint of the same load exists.
var ErrUnfinished = errors.New("a load of this table was interrupted: --resume goes on with it, --force begins anew")

// datasetProperties decide what a load writes.
var datasetProperties = []string{"recordcount", "insertstart", "insertcount", "fieldcount", "fieldlength", "minfieldlength", "fieldlengthdistribution",
	"fieldnameprefix", "insertorder", "zeropadding", "keyprefix", "keyhash", "table", "columnfamily", "valuealphabet", "dataintegrity", "verify", "compressratio"}

// NewLoading prepares a load. path is the checkpoint's; empty keeps none.
func NewLoading(w *Workload, p *Properties, target, path string, resume, force bool) (*Loading, error) {
	h := sha256.New()
	fmt.Fprintln(h, target)
	for _, n := range datasetProperties {
		fmt.Fprintln(h, n, p.Get(n))
	}
	l := &Loading{w: w, path: path}
	l.state.Dataset = hex.EncodeToString(h.Sum(nil)[:16])
	l.state.Chunk = max(1, min(chunkRecords, w.Count/int64(w.Threads*8)+1))
	chunks := (w.Count + l.state.Chunk - 1) / l.state.Chunk
	l.state.Done = make([]bool, chunks)
	if path == "" || force {
		return l, nil
	}
	b, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	var old checkpoint
	if err := json.Unmarshal(b, &old); err != nil || old.Chunk < 1 || int64(len(old.Done)) != (w.Count+old.Chunk-1)/old.Chunk {
		return nil, fmt.Errorf("checkpoint %s is damaged or of another load; --force begins anew", path)
	}
	switch {
	case old.Dataset != l.state.Dataset && resume:
		return nil, fmt.Errorf("checkpoint %s is of a load with other properties or target; --force begins anew", path)
	case old.Dataset != l.state.Dataset:
		return l, nil
	case !resume:
		return nil, fmt.Errorf("%w (%s)", ErrUnfinished, path)
	}
	l.state = old
	for i, done := range old.Done {
		if done {
			from, to := l.chunk(i)
			l.Resumed += to - from
		}
	}
	return l, nil
}

// chunk is a range's first record, and the first after it.
func (l *Loading) chunk(i int) (from, to int64) {
	from = l.w.Start + int64(i)*l.state.Chunk
	return from, min(from+l.state.Chunk, l.w.Start+l.w.Count)
}

// Plan is the phase.
func (l *Loading) Plan(db store.Store, seed uint64) *load.Plan {
	p := l.w.plan("load", db, seed)
	p.Time = l.w.MaxTime
	l.classify = db.Classify
	p.New = func(ctx context.Context, i int) (load.Task, error) {
		c, err := l.w.worker(ctx, db, seed, i)
		if err != nil {
			return nil, err
		}
		t := &filler{l: l, c: c, chunk: -1}
		if b, ok := c.db.(store.Batcher); ok && l.w.BatchSize > 1 {
			t.batcher = b
		}
		return t, nil
	}
	return p
}

// take is the next range to load; false when there is none.
func (l *Loading) take() (int, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.next < len(l.state.Done) {
		l.next++
		if !l.state.Done[l.next-1] {
			return l.next - 1, true
		}
	}
	return 0, false
}

// checkpointEvery bounds how much a kill makes to be loaded twice.
const checkpointEvery = time.Second

func (l *Loading) done(chunk int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Done[chunk] = true
	if time.Since(l.written) < checkpointEvery {
		return nil
	}
	return l.save()
}

func (l *Loading) save() error {
	if l.path == "" {
		return nil
	}
	l.written = time.Now()
	return result.WriteFile(l.path, func(w io.Writer) error { return json.NewEncoder(w).Encode(l.state) })
}

// Finish ends the load: it removes the checkpoint when all is loaded, else writes
// it. missing is how many records are not known to be there.
func (l *Loading) Finish() (missing int64, gaps []int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, done := range l.state.Done {
		if !done {
			from, to := l.chunk(i)
			missing += to - from
		}
	}
	missing += int64(len(l.gaps))
	if missing > 0 {
		return missing, l.gaps, l.save()
	}
	if l.path != "" {
		if err = os.Remove(l.path); errors.Is(err, os.ErrNotExist) {
			err = nil
		}
	}
	return 0, nil, err
}

// Duplicates is how many rows of ranges that were begun before were there already.
func (l *Loading) Duplicates() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.dups
}

// filler is one thread of a load.
type filler struct {
	l       *Loading
	c       *worker
	batcher store.Batcher
	chunk   int // -1: none
	at, end int64
	failed  bool // some record of the chunk
	batch   []store.Row
}

// Close implements load.Task.
func (t *filler) Close() error { return t.c.Close() }

// Step implements load.Task: a record, or a batch of them.
func (t *filler) Step(ctx context.Context, r *measure.Recorder) error {
	if t.chunk < 0 {
		var ok bool
		if t.chunk, ok = t.l.take(); !ok {
			return load.ErrDone
		}
		t.at, t.end = t.l.chunk(t.chunk)
		t.failed = false
	}
	if err := t.write(ctx, r); err != nil {
		return err
	}
	if t.at < t.end {
		return nil
	}
	if t.c.flusher != nil {
		begin := r.Begin(opFlush)
		err := t.c.flusher.Flush(ctx)
		r.End(opFlush, begin, measure.Counts{}, err)
		t.failed = t.failed || err != nil
	}
	chunk := t.chunk
	t.chunk = -1
	if t.failed {
		return nil
	}
	return t.l.done(chunk)
}

func (t *filler) write(ctx context.Context, r *measure.Recorder) error {
	if t.batcher == nil {
		t.record(t.at)
		n := t.at
		t.at++
		return t.retry(ctx, r, opInsert, n, func() error { return t.c.db.Insert(ctx, t.c.key, t.c.fields) }, measure.Counts{1, int64(len(t.c.fields)), int64(len(t.c.value))})
	}
	t.batch = t.batch[:0]
	counts := measure.Counts{}
	first := t.at
	for ; t.at < t.end && len(t.batch) < t.l.w.BatchSize; t.at++ {
		t.c.value, t.c.key, t.c.fields = nil, nil, nil // the batch keeps them
		t.record(t.at)
		t.batch = append(t.batch, store.Row{Key: t.c.key, Fields: t.c.fields})
		counts[0]++
		counts[1] += int64(len(t.c.fields))
		counts[2] += int64(len(t.c.value))
	}
	return t.retry(ctx, r, opBatch, first, func() error { return t.insertBatch(ctx) }, counts)
}

// insertBatch inserts one by one when a row is there already.
func (t *filler) insertBatch(ctx context.Context) error {
	err := t.batcher.InsertBatch(ctx, t.batch)
	if t.l.Resumed == 0 || !t.duplicate(err) {
		return err
	}
	for _, row := range t.batch {
		if err := t.c.db.Insert(ctx, row.Key, row.Fields); err != nil && !t.duplicate(err) {
			return err
		}
	}
	return nil
}

func (t *filler) record(n int64) {
	t.c.key = t.c.w.Keys.Append(t.c.key[:0], n)
	t.c.id = loader
	t.c.make(t.c.w.Fields)
}

// duplicate: a row of a range that was begun before the load was interrupted.
func (t *filler) duplicate(err error) bool {
	if err == nil {
		return false
	}
	class, _ := t.l.classify(err)
	return class == measure.Duplicate
}

// retry writes until it succeeds or the retries are used up. Each attempt is
// recorded.
func (t *filler) retry(ctx context.Context, r *measure.Recorder, op measure.Op, first int64, write func() error, counts measure.Counts) error {
	for attempt := int64(0); ; attempt++ {
		begin := r.Begin(op)
		err := write()
		if t.l.Resumed > 0 && t.duplicate(err) {
			t.l.mu.Lock()
			t.l.dups++
			t.l.mu.Unlock()
			err = nil
		}
		r.End(op, begin, counts, err)
		if err == nil {
			return nil
		}
		if ctx.Err() != nil || attempt >= t.l.w.Retries {
			t.failed = true
			t.l.mu.Lock()
			t.l.gaps = append(t.l.gaps, first)
			t.l.mu.Unlock()
			if ctx.Err() != nil || t.l.w.KeepGoing {
				return nil
			}
			return fmt.Errorf("the insert of record %d failed: %w", first, err)
		}
		// As YCSB, between 0.8 and 1.2 of the interval.
		pause := time.Duration(float64(t.l.w.RetryPause) * (0.8 + 0.4*t.c.random.Float64()))
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

// Check reads loaded records: all of them, or as many as a sample has. It returns
// how many were read, and which are missing or wrong.
func (w *Workload) Check(ctx context.Context, db store.Store, sample int64) (read int64, wrong []string, err error) {
	s, err := db.Open(ctx, 0)
	if err != nil {
		return 0, nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	step := int64(1)
	if sample > 0 && w.Count > sample {
		step = w.Count / sample
	}
	var row store.Row
	var key []byte
	for n := int64(0); n < w.Count; n += step {
		key = w.Keys.Append(key[:0], w.Start+n)
		read++
		e := s.Read(ctx, key, nil, &row)
		switch {
		case errors.Is(e, store.ErrNotFound):
			wrong = append(wrong, fmt.Sprintf("record %d (%s) is missing", w.Start+n, key))
		case e != nil:
			return read, wrong, e
		case len(row.Fields) != len(w.Fields):
			wrong = append(wrong, fmt.Sprintf("record %d (%s) has %d fields, not %d", w.Start+n, key, len(row.Fields), len(w.Fields)))
		case w.Verify != nil:
			if e := w.Verify.read(key, nil, &row, nil, loader, nil); e != nil {
				wrong = append(wrong, e.Error())
			}
		}
		if len(wrong) >= maxSamples {
			break
		}
	}
	return read, wrong, nil
}

// Probe tells before a run whether the table has what the workload will ask for.
func (w *Workload) Probe(ctx context.Context, db store.Store) (err error) {
	s, err := db.Open(ctx, 0)
	if err != nil {
		return err
	}
	found := func(k gen.Hash) (bool, error) {
		keys := w.Keys
		keys.Hash = k
		// Record 0 has the same key either way.
		for n := min(1, w.Count-1); n < min(4, w.Count); n++ {
			var row store.Row
			switch err := s.Read(ctx, keys.Append(nil, w.Start+n), nil, &row); {
			case err == nil:
				return true, nil
			case !errors.Is(err, store.ErrNotFound):
				return false, err
			}
		}
		return false, nil
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	ok, err := found(w.Keys.Hash)
	if ok || err != nil {
		return err
	}
	other := 1 - w.Keys.Hash
	if ok, err = found(other); err != nil {
		return err
	}
	if ok {
		return fmt.Errorf("table %s was filled by the other of YCSB and go-ycsb, whose keys differ: use -p keyhash=%s", w.Table, [2]string{"ycsb", "goycsb"}[other])
	}
	return fmt.Errorf("table %s has none of the first records: load it first with the same properties (recordcount, insertorder, zeropadding, keyprefix)", w.Table)
}
