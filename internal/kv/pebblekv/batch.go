package pebblekv

import (
	"github.com/cockroachdb/pebble/v2"

	"github.com/basaltdb/basalt/internal/kv"
)

// batch implements kv.Batch. Its Pebble batch is taken away by a synced Apply,
// which must keep it until the log has it; the next write gets another. Pebble's
// batch methods only fail on batches that are closed.
type batch struct {
	db *pebble.DB
	b  *pebble.Batch // nil: empty
}

var _ kv.Batch = (*batch)(nil)

func (b *batch) writable() *pebble.Batch {
	if b.b == nil {
		b.b = b.db.NewBatch()
	}
	return b.b
}

func (b *batch) Put(key, value []byte)     { _ = b.writable().Set(key, value, nil) }
func (b *batch) Delete(key []byte)         { _ = b.writable().Delete(key, nil) }
func (b *batch) Merge(key, operand []byte) { _ = b.writable().Merge(key, operand, nil) }

func (b *batch) Len() int {
	if b.b == nil {
		return 0
	}
	return b.b.Len()
}

func (b *batch) Count() int {
	if b.b == nil {
		return 0
	}
	return int(b.b.Count())
}

func (b *batch) Reset() {
	if b.b != nil {
		b.b.Reset()
	}
}
