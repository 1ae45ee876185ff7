package pebblekv

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

func benchDB(b *testing.B, mode kv.SyncMode) *DB {
	o := testOptions(nil)
	o.Dir, o.Sync = b.TempDir(), mode
	o.CacheBytes, o.MemtableBytes = 256<<20, 64<<20
	db := mustOpen(b, o)
	b.Cleanup(func() { _ = db.Close() })
	return db
}

const benchRows = 20000

func benchRow(dst []byte, i int) []byte {
	return keys.AppendRow(dst, 1, fmt.Appendf(nil, "user%019d", i*7919))
}

func fill(b *testing.B, db *DB) {
	batch := db.NewBatch()
	for i := range benchRows {
		batch.Put(keys.AppendPacked(benchRow(nil, i), 1), make([]byte, 1000))
		if batch.Count() == 1000 {
			if _, err := db.Apply(batch, kv.DurabilityAsync, nil); err != nil {
				b.Fatal(err)
			}
			batch.Reset()
		}
	}
	if err := db.Compact(context.Background(), kv.KeyRange{}); err != nil {
		b.Fatal(err)
	}
}

// A row as wide reads it: an iterator bound to the row's prefix.
func BenchmarkGetByPrefix(b *testing.B) {
	db := benchDB(b, kv.SyncOS)
	fill(b, db)
	b.ReportAllocs()
	var start, end, value []byte
	i := 0
	for b.Loop() {
		start = benchRow(start[:0], i%benchRows)
		end = append(end[:0], start...)
		end[len(end)-1]++
		i += 7
		it, err := db.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: start, End: end}, Prefix: true})
		if err != nil || !it.SeekGE(start) {
			b.Fatal(err)
		}
		v, _ := it.Value()
		value = append(value[:0], v...)
		_ = it.Close()
	}
}

func BenchmarkGet(b *testing.B) {
	db := benchDB(b, kv.SyncOS)
	fill(b, db)
	b.ReportAllocs()
	var key, value []byte
	i := 0
	for b.Loop() {
		key = keys.AppendPacked(benchRow(key[:0], i%benchRows), 1)
		i += 7
		var err error
		if value, err = db.Get(value[:0], key); err != nil {
			b.Fatal(err)
		}
	}
}

// One merge of 100 bytes under its latch, as a Put of one cell.
func benchmarkApply(b *testing.B, mode kv.SyncMode, d kv.Durability, waitEvery int) {
	db := benchDB(b, mode)
	batch := db.NewBatch()
	operand := bytes.Repeat([]byte("x"), 100)
	var key []byte
	names := [][]byte{nil}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		names[0] = benchRow(names[0][:0], i)
		key = keys.AppendPacked(append(key[:0], names[0]...), 1)
		i++
		batch.Reset()
		batch.Merge(key, operand)
		l, err := db.Latch(context.Background(), names...)
		if err != nil {
			b.Fatal(err)
		}
		m, err := db.Apply(batch, d, l)
		l.Unlock()
		if err == nil && i%waitEvery == 0 {
			err = db.WaitSynced(context.Background(), m)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApplyAsync(b *testing.B)    { benchmarkApply(b, kv.SyncOS, kv.DurabilityAsync, 1) }
func BenchmarkApplyOS(b *testing.B)       { benchmarkApply(b, kv.SyncOS, kv.DurabilitySync, 1) }
func BenchmarkApplyOSBy16(b *testing.B)   { benchmarkApply(b, kv.SyncOS, kv.DurabilitySync, 16) }
func BenchmarkApplyDisk(b *testing.B)     { benchmarkApply(b, kv.SyncDisk, kv.DurabilitySync, 1) }
func BenchmarkApplyDiskBy64(b *testing.B) { benchmarkApply(b, kv.SyncDisk, kv.DurabilitySync, 64) }

func BenchmarkReadMark(b *testing.B) {
	db := benchDB(b, kv.SyncOS)
	name := benchRow(nil, 1)
	for b.Loop() {
		_ = db.ReadMark(name)
	}
}

func BenchmarkTxnUpdate(b *testing.B) {
	db := benchDB(b, kv.SyncOS)
	fill(b, db)
	b.ReportAllocs()
	i := 0
	ctx := context.Background()
	for b.Loop() {
		row := benchRow(nil, i%benchRows)
		i += 7
		x, err := db.Begin(ctx, kv.TxnOptions{Durability: kv.DurabilityAsync})
		if err == nil {
			_, err = x.Lock(ctx, kv.LockExclusive, kv.LockWait{}, row)
		}
		if err == nil {
			err = x.Put(keys.AppendPacked(row, 1), row)
		}
		if err == nil {
			err = x.Commit(ctx)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}
