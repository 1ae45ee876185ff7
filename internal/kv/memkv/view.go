package memkv

import (
	"bytes"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/ordered"
)

// view is one state. It implements kv.Reader.
type view struct {
	data ordered.Map[[]byte]
}

func (v *view) Get(dst, key []byte) ([]byte, error) {
	value, ok := v.data.Get(key)
	if !ok {
		return dst, kv.ErrNotFound
	}
	return append(dst, value...), nil
}

func (v *view) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	return &iter{
		c:     v.data.Cursor(),
		r:     kv.KeyRange{Start: bytes.Clone(o.Start), End: bytes.Clone(o.End)},
		byRow: o.Prefix,
	}, nil
}

// snapshot implements kv.Snapshot.
type snapshot struct {
	view
	db     *DB
	err    error // the engine was closed already
	closed bool
}

func (s *snapshot) Get(dst, key []byte) ([]byte, error) {
	if s.err != nil {
		return dst, s.err
	}
	return s.view.Get(dst, key)
}

func (s *snapshot) NewIter(o kv.IterOptions) (kv.Iterator, error) {
	if s.err != nil {
		return nil, s.err
	}
	return s.view.NewIter(o)
}

// Mark is 0: everything is synced.
func (s *snapshot) Mark() kv.Mark { return 0 }

func (s *snapshot) Close() error {
	if !s.closed {
		s.closed = true
		s.db.snapshots.Add(-1)
	}
	return nil
}

// iter implements kv.Iterator.
type iter struct {
	c     ordered.Cursor[[]byte]
	r     kv.KeyRange
	byRow bool
	row   []byte // byRow: the row that was sought
	valid bool
	pos   end // where it is when not valid
}

type end int8

const (
	nowhere end = iota
	before
	behind
)

// check takes a position, or leaves the range at the given end.
func (it *iter) check(ok bool, leaving end) bool {
	if ok {
		k := it.c.Key()
		ok = bytes.Compare(it.r.Start, k) <= 0 &&
			(it.r.End == nil || bytes.Compare(k, it.r.End) < 0) &&
			(!it.byRow || bytes.Equal(k[:keys.Split(k)], it.row))
	}
	it.valid = ok
	if !ok {
		it.pos = leaving
	}
	return ok
}

func (it *iter) First() bool { return it.check(it.c.SeekGE(it.r.Start), behind) }

func (it *iter) Last() bool {
	if it.r.End == nil {
		return it.check(it.c.Last(), before)
	}
	return it.check(it.c.SeekLT(it.r.End), before)
}

func (it *iter) SeekGE(key []byte) bool {
	if it.byRow {
		it.row = append(it.row[:0], key[:keys.Split(key)]...)
	}
	if bytes.Compare(key, it.r.Start) < 0 {
		key = it.r.Start
	}
	return it.check(it.c.SeekGE(key), behind)
}

func (it *iter) SeekLT(key []byte) bool {
	if it.r.End != nil && bytes.Compare(key, it.r.End) > 0 {
		key = it.r.End
	}
	return it.check(it.c.SeekLT(key), before)
}

func (it *iter) Next() bool {
	if it.valid {
		return it.check(it.c.Next(), behind)
	}
	return it.pos == before && it.First()
}

func (it *iter) Prev() bool {
	if it.valid {
		return it.check(it.c.Prev(), before)
	}
	return it.pos == behind && it.Last()
}

func (it *iter) NextPrefix() bool {
	if !it.valid {
		return it.Next()
	}
	row := it.c.Key()[:keys.Split(it.c.Key())]
	for it.Next() {
		if k := it.c.Key(); !bytes.Equal(k[:keys.Split(k)], row) {
			return true
		}
	}
	return false
}

func (it *iter) Valid() bool            { return it.valid }
func (it *iter) Key() []byte            { return it.c.Key() }
func (it *iter) Value() ([]byte, error) { return it.c.Value(), nil }
func (it *iter) Error() error           { return nil }
func (it *iter) Close() error           { return nil }
