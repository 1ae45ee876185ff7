package rel

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// ScanOptions say which rows, and how.
type ScanOptions struct {
	Index *Index
	// Start and End bound the keys of the index: [Start, End). Nil: all.
	Start, End []byte
	Reverse    bool
	Lock       Lock
	// Point says that the range can hold one row only, whose place no other row
	// can take: then the row is locked and not the range.
	Point bool
	// Places are the columns that are wanted, nil for all.
	Places []int
}

// Cursor walks rows. It must be closed.
type Cursor struct {
	// Values are the current row's, valid until the next call; only the wanted
	// places are set.
	Values []row.Value

	x      *Txn
	t      *Table
	o      ScanOptions
	reader kv.Reader
	it     kv.Iterator
	// snapshot is the cursor's own, outside of a transaction.
	snapshot kv.Snapshot
	begun    bool
	// ranged: the whole range is locked, so that rows need no look again.
	ranged   bool
	key, buf []byte
}

// Scan opens a cursor before the first row.
//
// Plain scans read the snapshot. Locking ones read the newest versions: at
// REPEATABLE READ the range itself is locked first, so that no row can enter it;
// at READ COMMITTED each row is, when the cursor comes to it.
func (x *Txn) Scan(ctx context.Context, t *Table, o ScanOptions) (*Cursor, error) {
	if o.Start == nil && o.End == nil {
		o.Start, o.End = o.Index.All()
	}
	c := &Cursor{x: x, t: t, o: o, Values: make([]row.Value, len(t.Def.Columns))}
	switch {
	case !o.Lock.Locking:
		x.reads = true
		c.reader = x.kv
	default:
		if x.o.Isolation == RepeatableRead && !o.Lock.SkipLocked {
			w := x.wait()
			if o.Lock.NoWait {
				w = kv.LockWait{NoWait: true}
			}
			var err error
			if o.Point {
				// The place is locked even if there is no row.
				_, err = x.kv.Lock(ctx, o.Lock.Mode, w, o.Start)
			} else {
				err = x.kv.LockRange(ctx, o.Lock.Mode, w, kv.KeyRange{Start: o.Start, End: o.End})
				c.ranged = true
			}
			if err != nil {
				return nil, err
			}
		}
		c.reader = x.kv.Newest()
	}
	var err error
	c.it, err = c.reader.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: o.Start, End: o.End}})
	return c, err
}

// Key is the current row's key, valid until the next call.
func (c *Cursor) Key() []byte { return c.key }

func (c *Cursor) step() bool {
	switch {
	case !c.begun && c.o.Reverse:
		c.begun = true
		return c.it.Last()
	case !c.begun:
		c.begun = true
		return c.it.First()
	case c.o.Reverse:
		return c.it.Prev()
	}
	return c.it.Next()
}

// Next moves to the next row.
func (c *Cursor) Next(ctx context.Context) (bool, error) {
	for c.step() {
		ok, err := c.load(ctx)
		if ok || err != nil {
			return ok, err
		}
	}
	return false, c.it.Error()
}

// load reads the row that the iterator is at; false if it is none to show.
func (c *Cursor) load(ctx context.Context) (bool, error) {
	value, err := c.it.Value()
	if err != nil {
		return false, err
	}
	i := c.o.Index
	if i.primary {
		c.key = append(c.key[:0], c.it.Key()...)
		if !c.o.Lock.Locking || c.ranged {
			return true, c.t.Decode(c.Values, value, c.o.Places)
		}
		return c.loadLocked(ctx, nil)
	}
	if c.key, err = c.t.primaryOf(c.key[:0], i, c.it.Key(), value); err != nil {
		return false, err
	}
	if c.o.Lock.Locking {
		return c.loadLocked(ctx, c.it.Key())
	}
	c.buf, err = c.reader.Get(c.buf[:0], c.key)
	if errors.Is(err, kv.ErrNotFound) {
		return false, fmt.Errorf("rel: index %s of %s has an entry for no row, at %x: %w", i.Def.Name, c.t.Def.Name, c.it.Key(), kv.ErrCorrupt)
	}
	if err != nil {
		return false, err
	}
	return true, c.t.Decode(c.Values, c.buf, c.o.Places)
}

// loadLocked locks the row and reads its newest version. A row that has left the
// place where the iterator found it (entry, in a secondary index) is not shown.
func (c *Cursor) loadLocked(ctx context.Context, entry []byte) (bool, error) {
	value, skip, err := c.x.lockRow(ctx, c.key, c.o.Lock)
	if err != nil || skip || value == nil {
		return false, err
	}
	// All columns: a locked row is going to be changed.
	if err := c.t.Decode(c.Values, value, nil); err != nil {
		return false, err
	}
	if entry == nil {
		return true, nil
	}
	now, _, _ := c.t.appendEntry(c.buf[:0], nil, c.o.Index, c.Values, c.key)
	c.buf = now
	return bytes.Equal(now, entry), nil
}

// Close frees the cursor.
func (c *Cursor) Close() error {
	var err error
	if c.it != nil {
		err = c.it.Close()
	}
	if c.snapshot != nil {
		err = errors.Join(err, c.snapshot.Close())
	}
	return err
}

// closeOn closes what is open already when there was an error.
func (c *Cursor) closeOn(err error) error {
	if err == nil {
		return nil
	}
	return c.Close()
}

// Get reads a row by its key into dst, with its bytes in *buf: of the
// transaction's snapshot or, without a transaction, of the newest state.
func (s *Store) Get(x *Txn, t *Table, pk []byte, dst []row.Value, places []int, buf *[]byte) (bool, error) {
	var r kv.Reader = s.engine
	if x != nil {
		x.reads = true
		r = x.kv
	}
	b, err := r.Get((*buf)[:0], pk)
	if errors.Is(err, kv.ErrNotFound) {
		return false, nil
	}
	*buf = b
	if err != nil {
		return false, err
	}
	return true, t.Decode(dst, b, places)
}

// Scan is a plain scan, in a transaction or, if x is nil, of the newest state.
func (s *Store) Scan(ctx context.Context, x *Txn, t *Table, o ScanOptions) (*Cursor, error) {
	if x != nil {
		return x.Scan(ctx, t, o)
	}
	c := &Cursor{t: t, o: o, Values: make([]row.Value, len(t.Def.Columns)), reader: s.engine}
	// A row is found by an entry and by its key in one state.
	if !o.Index.primary {
		c.snapshot = s.engine.Snapshot()
		c.reader = c.snapshot
	}
	var err error
	c.it, err = c.reader.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: o.Start, End: o.End}})
	return c, errors.Join(err, c.closeOn(err))
}

// Count estimates the rows of a table, from its size on disk and a sample.
func (s *Store) Count(t *Table) (uint64, error) {
	start, end := t.Primary.All()
	it, err := s.engine.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: start, End: end}})
	if err != nil {
		return 0, err
	}
	defer it.Close()
	const sample = 100
	rows, size := uint64(0), uint64(0)
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		if err != nil {
			return 0, err
		}
		rows++
		size += uint64(len(it.Key()) + len(v))
		if rows == sample {
			total := s.engine.SizeBytes(kv.KeyRange{Start: start, End: end})
			return max(rows, total*rows/max(size, 1)), it.Error()
		}
	}
	return rows, it.Error()
}

// SizeBytes estimates what a table takes, its indexes apart.
func (s *Store) SizeBytes(t *Table) (rows, indexes uint64) {
	size := func(i *Index) uint64 {
		start, end := i.All()
		return s.engine.SizeBytes(kv.KeyRange{Start: start, End: end})
	}
	for _, i := range t.Indexes {
		indexes += size(i)
	}
	return size(t.Primary), indexes
}

// references are the foreign keys of other tables (or its own) to a table.
func references(v *catalog.View, parent catalog.TableName) (out []reference) {
	for _, def := range v.SQLTables {
		for i := range def.ForeignKeys {
			f := &def.ForeignKeys[i]
			if f.Parent == parent.Qualifier && f.ParentSchema == parent.Namespace {
				out = append(out, reference{def, f})
			}
		}
	}
	return out
}
