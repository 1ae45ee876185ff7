package memkv

import "bytes"

type opKind uint8

const (
	opPut opKind = iota
	opDelete
	opMerge
)

type op struct {
	kind       opKind
	key, value []byte
}

// batch implements kv.Batch.
type batch struct {
	ops   []op
	bytes int
}

func (b *batch) add(k opKind, key, value []byte) {
	b.ops = append(b.ops, op{k, bytes.Clone(key), bytes.Clone(value)})
	b.bytes += len(key) + len(value)
}

func (b *batch) Put(key, value []byte)     { b.add(opPut, key, value) }
func (b *batch) Delete(key []byte)         { b.add(opDelete, key, nil) }
func (b *batch) Merge(key, operand []byte) { b.add(opMerge, key, operand) }
func (b *batch) Len() int                  { return b.bytes }
func (b *batch) Count() int                { return len(b.ops) }

// Reset leaves the keys and values to what was made of them by Apply.
func (b *batch) Reset() {
	clear(b.ops)
	b.ops, b.bytes = b.ops[:0], 0
}
