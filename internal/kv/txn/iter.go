package txn

import (
	"bytes"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/ordered"
)

// NewIter returns an iterator over the snapshot and the writes so far; later
// writes do not show in it.
func (x *txn) NewIter(o kv.IterOptions) (kv.Iterator, error) { return x.iter(x.snapshot, o) }

// iter lays the own writes over an iterator of r.
func (x *txn) iter(r kv.Reader, o kv.IterOptions) (kv.Iterator, error) {
	if err := x.usable(); err != nil {
		return nil, err
	}
	base, err := r.NewIter(o)
	if err != nil || x.writes.Len() == 0 {
		return base, err
	}
	frozen := x.writes.Clone()
	return &iter{
		base:   base,
		own:    frozen.Cursor(),
		merger: x.m.Merger,
		r:      kv.KeyRange{Start: bytes.Clone(o.Start), End: bytes.Clone(o.End)},
		byRow:  o.Prefix,
	}, nil
}

type position uint8

const (
	nowhere position = iota
	at               // at a key
	before           // before the first key
	behind           // behind the last key
)

// iter lays own writes over a stored state. Going forward, both sides stand at
// or behind the current key; going backward, at or before it.
type iter struct {
	base   kv.Iterator
	own    ordered.Cursor[pending]
	merger kv.Merger
	r      kv.KeyRange
	byRow  bool
	row    []byte // byRow: the row that was sought

	pos      position
	backward bool
	// Which side is inside the bounds, and which has the current key.
	baseOK, ownOK bool
	onBase, onOwn bool

	value []byte
	key   []byte // scratch
}

// ownIn is whether the own side, found valid, is inside the bounds.
func (it *iter) ownIn(valid bool) bool {
	if !valid {
		return false
	}
	k := it.own.Key()
	return bytes.Compare(it.r.Start, k) <= 0 &&
		(it.r.End == nil || bytes.Compare(k, it.r.End) < 0) &&
		(!it.byRow || bytes.Equal(k[:keys.Split(k)], it.row))
}

func (it *iter) First() bool {
	it.baseOK = it.base.First()
	it.ownOK = it.ownIn(it.own.SeekGE(it.r.Start))
	return it.settleForward()
}

func (it *iter) Last() bool {
	it.baseOK = it.base.Last()
	if it.r.End == nil {
		it.ownOK = it.ownIn(it.own.Last())
	} else {
		it.ownOK = it.ownIn(it.own.SeekLT(it.r.End))
	}
	return it.settleBackward()
}

func (it *iter) SeekGE(key []byte) bool {
	if it.byRow {
		it.row = append(it.row[:0], key[:keys.Split(key)]...)
	}
	it.baseOK = it.base.SeekGE(key)
	if bytes.Compare(key, it.r.Start) < 0 {
		key = it.r.Start
	}
	it.ownOK = it.ownIn(it.own.SeekGE(key))
	return it.settleForward()
}

func (it *iter) SeekLT(key []byte) bool {
	it.baseOK = it.base.SeekLT(key)
	if it.r.End != nil && bytes.Compare(key, it.r.End) > 0 {
		key = it.r.End
	}
	it.ownOK = it.ownIn(it.own.SeekLT(key))
	return it.settleBackward()
}

// hidden: the current key is deleted by an own write.
func (it *iter) hidden() bool {
	if !it.onOwn {
		return false
	}
	p := it.own.Value()
	return p.base == baseDelete && len(p.ops) == 0
}

func (it *iter) settleForward() bool {
	it.backward = false
	for it.baseOK || it.ownOK {
		c := 0
		if it.baseOK && it.ownOK {
			c = bytes.Compare(it.base.Key(), it.own.Key())
		}
		it.onBase, it.onOwn = it.baseOK && c <= 0, it.ownOK && c >= 0
		if !it.hidden() {
			it.pos = at
			return true
		}
		it.stepForward()
	}
	it.pos, it.onBase, it.onOwn = behind, false, false
	return false
}

func (it *iter) stepForward() {
	if it.onBase {
		it.baseOK = it.base.Next()
	}
	if it.onOwn {
		it.ownOK = it.ownIn(it.own.Next())
	}
}

func (it *iter) settleBackward() bool {
	it.backward = true
	for it.baseOK || it.ownOK {
		c := 0
		if it.baseOK && it.ownOK {
			c = bytes.Compare(it.base.Key(), it.own.Key())
		}
		it.onBase, it.onOwn = it.baseOK && c >= 0, it.ownOK && c <= 0
		if !it.hidden() {
			it.pos = at
			return true
		}
		it.stepBackward()
	}
	it.pos, it.onBase, it.onOwn = before, false, false
	return false
}

func (it *iter) stepBackward() {
	if it.onBase {
		it.baseOK = it.base.Prev()
	}
	if it.onOwn {
		it.ownOK = it.ownIn(it.own.Prev())
	}
}

func (it *iter) Next() bool {
	switch it.pos {
	case at:
	case before:
		return it.First()
	default:
		return false
	}
	if it.backward {
		it.turn()
	}
	it.stepForward()
	return it.settleForward()
}

// turn changes from backward to forward at the current key.
func (it *iter) turn() {
	it.key = append(it.key[:0], it.Key()...)
	it.SeekGE(it.key)
}

func (it *iter) Prev() bool {
	switch it.pos {
	case at:
	case behind:
		return it.Last()
	default:
		return false
	}
	if !it.backward {
		it.key = append(it.key[:0], it.Key()...)
		return it.SeekLT(it.key)
	}
	it.stepBackward()
	return it.settleBackward()
}

func (it *iter) NextPrefix() bool {
	if it.pos != at {
		return it.Next()
	}
	if it.backward {
		it.turn()
	}
	k := it.Key()
	row := append(it.key[:0], k[:keys.Split(k)]...)
	it.key = row
	inRow := func(k []byte) bool { return bytes.Equal(k[:keys.Split(k)], row) }
	if it.baseOK && inRow(it.base.Key()) {
		it.baseOK = it.base.NextPrefix()
	}
	for it.ownOK && inRow(it.own.Key()) {
		it.ownOK = it.ownIn(it.own.Next())
	}
	return it.settleForward()
}

func (it *iter) Valid() bool { return it.pos == at }

func (it *iter) Key() []byte {
	if it.onOwn {
		return it.own.Key()
	}
	return it.base.Key()
}

func (it *iter) Value() ([]byte, error) {
	if !it.onOwn {
		return it.base.Value()
	}
	p := it.own.Value()
	if p.base == basePut && len(p.ops) == 0 {
		return p.value, nil
	}
	var stored []byte
	if it.onBase {
		var err error
		if stored, err = it.base.Value(); err != nil {
			return nil, err
		}
	}
	var err error
	it.value, err = p.read(it.value[:0], it.merger, stored, it.onBase)
	return it.value, err
}

func (it *iter) Error() error { return it.base.Error() }

func (it *iter) Close() error { return it.base.Close() }
