package pebblekv

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

// iter implements kv.Iterator.
type iter struct {
	p      *pebble.Iterator // nil: closed
	o      pebble.IterOptions
	prefix bool
	// inRow: the upper bound lies inside a row, where Pebble refuses NextPrefix.
	inRow bool
	key   []byte // scratch
}

var iterPool = sync.Pool{New: func() any { return new(iter) }}

// newIter opens an iterator. NoCache has no counterpart in Pebble, whose cache
// resists scans by itself: a block that was read once is the first to go.
func newIter(r pebble.Reader, o kv.IterOptions) (kv.Iterator, error) {
	it := iterPool.Get().(*iter)
	it.o = pebble.IterOptions{LowerBound: o.Start, UpperBound: o.End}
	if len(o.Start) == 0 {
		it.o.LowerBound = nil
	}
	p, err := r.NewIter(&it.o) // copies the bounds
	it.o = pebble.IterOptions{}
	if err != nil {
		iterPool.Put(it)
		return nil, mapErr(err)
	}
	it.p, it.prefix = p, o.Prefix
	it.inRow = keys.Split(o.End) < len(o.End)
	return it, nil
}

func (it *iter) First() bool { return it.p.First() }
func (it *iter) Last() bool  { return it.p.Last() }

func (it *iter) SeekGE(key []byte) bool {
	if it.prefix {
		return it.p.SeekPrefixGE(key)
	}
	return it.p.SeekGE(key)
}

func (it *iter) SeekLT(key []byte) bool { return it.p.SeekLT(key) }
func (it *iter) Next() bool             { return it.p.Next() }
func (it *iter) Prev() bool             { return it.p.Prev() }
func (it *iter) Valid() bool            { return it.p.Valid() }
func (it *iter) Key() []byte            { return it.p.Key() }

func (it *iter) NextPrefix() bool {
	if !it.inRow || !it.p.Valid() {
		return it.p.NextPrefix()
	}
	k := it.p.Key()
	it.key = appendRowSuccessor(it.key[:0], k[:keys.Split(k)])
	return it.p.SeekGE(it.key)
}

func (it *iter) Value() ([]byte, error) {
	v, err := it.p.ValueAndErr()
	if err != nil {
		return nil, mapErr(err)
	}
	return v, nil
}

func (it *iter) Error() error { return mapErr(it.p.Error()) }

func (it *iter) Close() error {
	if it.p == nil {
		return nil
	}
	err := it.p.Close()
	it.p = nil
	iterPool.Put(it)
	return mapErr(err)
}

// appendValue appends what Pebble's Get returned.
func appendValue(dst, value []byte, c io.Closer, err error) ([]byte, error) {
	if err != nil {
		return dst, mapErr(err)
	}
	dst = append(dst, value...)
	return dst, mapErr(c.Close())
}

// mapErr turns the errors of Pebble that callers act on into those of kv.
func mapErr(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pebble.ErrNotFound):
		return kv.ErrNotFound
	case errors.Is(err, kv.ErrCorrupt):
		return err
	case pebble.IsCorruptionError(err):
		return fmt.Errorf("%w: %w", kv.ErrCorrupt, err)
	case errors.Is(err, pebble.ErrClosed):
		return kv.ErrClosed
	}
	return fmt.Errorf("pebblekv: %w", err)
}
