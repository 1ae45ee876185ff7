package ycsb

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/basaltdb/basalt/internal/bench/gen"
	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/store"
)

// worker is one thread of a run.
type worker struct {
	w          *Workload
	db         store.Session
	flusher    store.Flusher // nil if writes are not buffered
	id         int
	random     *rand.Rand
	values     gen.Values
	acks       *gen.Acks
	chooser    *gen.Chooser
	scanLength gen.Ints
	memory     *memory // of verify=strong

	key    []byte
	value  []byte // of all fields that are written together
	fields []store.Field
	one    []string
	row    store.Row
}

func (w *Workload) worker(ctx context.Context, db store.Store, seed uint64, i int) (*worker, error) {
	length, err := w.length()
	if err != nil {
		return nil, err
	}
	s, err := db.Open(ctx, i)
	if err != nil {
		return nil, err
	}
	c := &worker{w: w, db: s, id: i, random: gen.Rand(seed, uint64(i)), one: make([]string, 1),
		values: gen.Values{Length: length, Letters: w.letters, Ratio: w.ratio}}
	if f, ok := s.(store.Flusher); ok && f.Buffered() {
		c.flusher = f
	}
	if w.Verify != nil {
		c.memory = newMemory()
	}
	return c, nil
}

// Close implements load.Task.
func (c *worker) Close() error { return c.db.Close() }

// Step implements load.Task: one operation of the mix.
func (c *worker) Step(ctx context.Context, r *measure.Recorder) error {
	switch p, u := &c.w.proportions, c.random.Float64(); {
	case u < p[opRead]:
		c.read(ctx, r)
	case u < p[opUpdate]:
		c.update(ctx, r)
	case u < p[opInsert]:
		c.insert(ctx, r)
	case u < p[opScan]:
		c.scan(ctx, r)
	default:
		c.readModifyWrite(ctx, r)
	}
	return nil
}

func (c *worker) pick() { c.key = c.w.Keys.Append(c.key[:0], c.chooser.Next(c.random)) }

// toRead are the fields of a read; nil is all.
func (c *worker) toRead() []string {
	if c.w.oneRead {
		c.one[0] = c.w.Fields[c.random.IntN(len(c.w.Fields))]
		return c.one
	}
	return c.w.readFields
}

// make fills the fields of a write.
func (c *worker) make(names []string) {
	c.fields, c.value = c.fields[:0], c.value[:0]
	for _, f := range names {
		at := len(c.value)
		if v := c.w.Verify; v != nil {
			c.value = v.append(c.value, c.key, f, uint16(c.id), c.memory.next(), c.w.fieldBytes)
		} else {
			c.value = c.values.Append(c.value, c.random)
		}
		// The array may move as it grows; the part that is here stays as it is.
		c.fields = append(c.fields, store.Field{Name: f, Value: c.value[at:len(c.value):len(c.value)]})
	}
}

func (c *worker) toWrite() []string {
	if c.w.oneWrite {
		c.one[0] = c.w.Fields[c.random.IntN(len(c.w.Fields))]
		return c.one
	}
	return c.w.writeFields
}

func (c *worker) counts() measure.Counts {
	return measure.Counts{1, int64(len(c.row.Fields)), c.row.Bytes()}
}

func (c *worker) read(ctx context.Context, r *measure.Recorder) {
	c.pick()
	fields := c.toRead()
	t := r.Begin(opRead)
	err := c.db.Read(ctx, c.key, fields, &c.row)
	if err != nil {
		r.End(opRead, t, measure.Counts{}, err)
	} else {
		r.End(opRead, t, c.counts(), nil)
	}
	c.check(r, fields, err)
}

// check verifies a row that was read, outside of its latency.
func (c *worker) check(r *measure.Recorder, fields []string, err error) {
	v := c.w.Verify
	if v == nil || err != nil && !errors.Is(err, store.ErrNotFound) {
		return
	}
	t := r.Now()
	r.EndInner(opVerify, t, measure.Counts{1}, v.read(c.key, fields, &c.row, err, uint16(c.id), c.memory))
}

// written notes an acknowledged update, which a later read must show.
func (c *worker) written(err error) {
	if c.w.Verify != nil && err == nil {
		c.memory.remember(c.key, c.fields, c.w.fieldBytes)
	}
}

func (c *worker) update(ctx context.Context, r *measure.Recorder) {
	c.pick()
	c.make(c.toWrite())
	t := r.Begin(opUpdate)
	err := c.db.Update(ctx, c.key, c.fields)
	r.End(opUpdate, t, measure.Counts{1, int64(len(c.fields)), int64(len(c.value))}, err)
	c.written(err)
}

func (c *worker) insert(ctx context.Context, r *measure.Recorder) {
	n := c.acks.Next()
	c.key = c.w.Keys.Append(c.key[:0], n)
	c.make(c.w.Fields)
	t := r.Begin(opInsert)
	err := c.db.Insert(ctx, c.key, c.fields)
	r.End(opInsert, t, measure.Counts{1, int64(len(c.fields)), int64(len(c.value))}, err)
	c.acks.Done(n, err == nil)
}

func (c *worker) scan(ctx context.Context, r *measure.Recorder) {
	c.pick()
	n := int(c.scanLength.Next(c.random))
	fields := c.toRead()
	var counts measure.Counts
	check := c.w.Verify.scan(c.key, n, fields)
	t := r.Begin(opScan)
	err := c.db.Scan(ctx, c.key, n, fields, func(row *store.Row) error {
		counts[0]++
		counts[1] += int64(len(row.Fields))
		counts[2] += row.Bytes()
		check.row(row)
		return nil
	})
	r.End(opScan, t, counts, err)
	if check != nil && err == nil {
		r.EndInner(opVerify, r.Now(), measure.Counts{counts[0]}, check.done())
	}
}

func (c *worker) readModifyWrite(ctx context.Context, r *measure.Recorder) {
	c.pick()
	fields := c.toRead()
	t := r.Begin(opRMW)
	err := c.db.Read(ctx, c.key, fields, &c.row)
	if err != nil {
		r.EndInner(opRead, t, measure.Counts{}, err)
		r.End(opRMW, t, measure.Counts{}, err)
		return
	}
	counts := c.counts()
	r.EndInner(opRead, t, counts, nil)
	c.check(r, fields, nil)
	c.make(c.toWrite())
	u := r.Now()
	err = c.db.Update(ctx, c.key, c.fields)
	r.EndInner(opUpdate, u, measure.Counts{1, int64(len(c.fields)), int64(len(c.value))}, err)
	r.End(opRMW, t, counts, err)
	c.written(err)
}
