package pebblekv

import (
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/cockroachdb/pebble/v2"

	"github.com/basaltdb/basalt/internal/kv"
)

// keepMergeBytes bounds the memory that a pooled fold keeps.
const keepMergeBytes = 1 << 20

// fold collects the operands of one key and folds them when all are known.
// Pebble gives them newest first when it reads forward and oldest first when it
// reads backward or replays; all of one key in the same direction. Whether the
// oldest operand is among them makes no difference to a kv.Merger.
type fold struct {
	m       kv.Merger
	pool    *sync.Pool
	key     []byte
	data    []byte // the operands, in the order they came
	ends    []int  // of each in data
	ordered bool   // oldest first
	parts   [][]byte
	out     []byte
}

func mergerOf(m kv.Merger) *pebble.Merger {
	pool := new(sync.Pool)
	pool.New = func() any { return &fold{m: m, pool: pool} }
	return &pebble.Merger{
		Name: m.Name(),
		Merge: func(key, value []byte) (pebble.ValueMerger, error) {
			f := pool.Get().(*fold)
			f.key = append(f.key[:0], key...)
			f.data, f.ends, f.ordered = f.data[:0], f.ends[:0], false
			f.add(value)
			return f, nil
		},
	}
}

func (f *fold) add(value []byte) {
	f.data = append(f.data, value...)
	f.ends = append(f.ends, len(f.data))
}

// MergeNewer implements pebble.ValueMerger.
func (f *fold) MergeNewer(value []byte) error {
	f.ordered = true
	f.add(value)
	return nil
}

// MergeOlder implements pebble.ValueMerger.
func (f *fold) MergeOlder(value []byte) error {
	f.add(value)
	return nil
}

// Finish implements pebble.ValueMerger. The result lives until Close.
func (f *fold) Finish(bool) ([]byte, io.Closer, error) {
	if len(f.ends) == 1 {
		return f.data, f, nil
	}
	f.parts = f.parts[:0]
	start := 0
	for _, end := range f.ends {
		f.parts = append(f.parts, f.data[start:end:end])
		start = end
	}
	if !f.ordered {
		slices.Reverse(f.parts)
	}
	var err error
	f.out, err = f.m.Fold(f.out[:0], f.parts)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: merging key %x: %w", kv.ErrCorrupt, f.key, err)
	}
	return f.out, f, nil
}

// Close implements io.Closer: the result is not used any more.
func (f *fold) Close() error {
	if cap(f.data) > keepMergeBytes {
		f.data = nil
	}
	if cap(f.out) > keepMergeBytes {
		f.out = nil
	}
	clear(f.parts)
	f.pool.Put(f)
	return nil
}
