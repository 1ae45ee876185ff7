package pebblekv

import (
	"log/slog"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"github.com/basaltdb/basalt/internal/kv"
)

// Stats implements kv.Engine.
func (db *DB) Stats() kv.Stats {
	if db.closed.Load() {
		return kv.Stats{}
	}
	m := db.p.Metrics()
	l := db.locks.Stats()
	return kv.Stats{
		CacheHits:           m.BlockCache.Hits,
		CacheMisses:         m.BlockCache.Misses,
		CacheBytes:          m.BlockCache.Size,
		MemtableBytes:       int64(m.MemTable.Size),
		DiskBytes:           m.DiskSpaceUsage(),
		Compactions:         m.Compact.Count,
		Flushes:             m.Flush.Count,
		CompactionDebtBytes: m.Compact.EstimatedDebt,
		LogBytesWritten:     m.WAL.BytesWritten,
		LogSyncs:            db.log.syncs.count(),
		LogSyncDurationP50:  db.log.syncs.quantile(0.50),
		LogSyncDurationP99:  db.log.syncs.quantile(0.99),
		WriteStalls:         db.events.stalls.Load(),
		WriteStallDuration:  time.Duration(db.events.stalled.Load()),
		OpenSnapshots:       int64(m.Snapshots.Count),
		LocksHeld:           l.Held,
		LocksWaiting:        l.Waiting,
		Deadlocks:           l.Deadlocks,
	}
}

// histogram counts durations in powers of two of a microsecond. The first
// bucket holds what is below one.
type histogram [32]atomic.Int64

func (h *histogram) observe(d time.Duration) {
	h[min(bits.Len64(uint64(d.Microseconds())), len(h)-1)].Add(1)
}

func (h *histogram) count() (n int64) {
	for i := range h {
		n += h[i].Load()
	}
	return n
}

// quantile is the upper end of the bucket that has the quantile.
func (h *histogram) quantile(q float64) time.Duration {
	n := h.count()
	if n == 0 {
		return 0
	}
	rank := int64(q*float64(n-1)) + 1
	for i := range h {
		if rank -= h[i].Load(); rank <= 0 {
			return time.Microsecond << i
		}
	}
	return time.Microsecond << len(h)
}

// events is what Pebble reports by itself and an operator should know.
type events struct {
	log          *slog.Logger
	stalls       atomic.Int64
	stalled      atomic.Int64 // nanoseconds, of the stalls that ended
	stalledSince atomic.Int64 // nanoseconds since start
	start        time.Time
}

func (e *events) listener() *pebble.EventListener {
	return &pebble.EventListener{
		BackgroundError: func(err error) {
			e.log.Error("flush or compaction failed, will be tried again", "err", err)
		},
		DataCorruption: func(i pebble.DataCorruptionInfo) {
			e.log.Error("stored data is corrupt", "path", i.Path, "err", i.Details)
		},
		FormatUpgrade: func(v pebble.FormatMajorVersion) {
			e.log.Debug("storage format", "version", uint64(v))
		},
		WriteStallBegin: func(i pebble.WriteStallBeginInfo) {
			e.stalls.Add(1)
			e.stalledSince.Store(int64(time.Since(e.start)))
			e.log.Warn("writes stall", "reason", i.Reason)
		},
		WriteStallEnd: func() {
			e.stalled.Add(int64(time.Since(e.start)) - e.stalledSince.Load())
		},
		DiskSlow: func(i pebble.DiskSlowInfo) {
			e.log.Warn("disk is slow", "path", i.Path, "op", i.OpType.String(), "duration", i.Duration)
		},
	}
}
