package pebblekv

import (
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/basaltdb/basalt/internal/kv"
)

// Options of Open. Dir and Merger are required; the zero value of everything
// else is a good default.
type Options struct {
	// Dir is the data directory. It is created if it does not exist.
	Dir string
	// Merger folds merge operands. Its name is stored: a directory opens only
	// with the merger it was made with.
	Merger kv.Merger
	// Sync says how deep a DurabilitySync commit is written. Default: SyncDisk.
	Sync kv.SyncMode
	// CacheBytes of the cache of uncompressed blocks. Default: 256 MiB.
	CacheBytes int64
	// MemtableBytes of one memtable; up to four are in memory, more while
	// iterators pin them. Default: 64 MiB.
	MemtableBytes int64
	// MaxOpenFiles is a soft limit on open table files. Default: 4096.
	MaxOpenFiles int
	// Compactions that may run at the same time. Default: half of the
	// processors, at least one.
	Compactions int
	// TxnBytes bounds the write buffer of a transaction. Default: 256 MiB.
	TxnBytes int64
	// ReserveBytes of free space on the disk below which writes are refused.
	// 0: no reserve.
	ReserveBytes uint64
	// ReserveCheck is how often the free space is looked at. Default: 1 s.
	ReserveCheck time.Duration
	// AsyncDelay bounds how long a DurabilityAsync commit stays out of the log.
	// Default: 50 ms.
	AsyncDelay time.Duration
	// Logger gets what an operator should know. Default: slog.Default().
	Logger *slog.Logger
	// FS is the file system. Default: the machine's. Tests pass others.
	FS vfs.FS
	// Exit ends the process when the log or the manifest cannot be written.
	// Default: os.Exit. It should not return.
	Exit func(code int)
}

func (o *Options) setDefaults() {
	if o.CacheBytes == 0 {
		o.CacheBytes = 256 << 20
	}
	if o.MemtableBytes == 0 {
		o.MemtableBytes = 64 << 20
	}
	if o.MaxOpenFiles == 0 {
		o.MaxOpenFiles = 4096
	}
	if o.Compactions == 0 {
		o.Compactions = max(1, runtime.GOMAXPROCS(0)/2)
	}
	if o.TxnBytes == 0 {
		o.TxnBytes = 256 << 20
	}
	if o.ReserveCheck == 0 {
		o.ReserveCheck = time.Second
	}
	if o.AsyncDelay == 0 {
		o.AsyncDelay = 50 * time.Millisecond
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Exit == nil {
		o.Exit = os.Exit
	}
}

// Block sizes suit packed rows of a few kilobytes: smaller blocks compress
// badly and cost more seeks, larger ones more on every cache miss.
const (
	blockBytes      = 32 << 10
	indexBlockBytes = 256 << 10
	bloomBitsPerRow = 10
)

// pebbleOptions are the options of the tree, without cache, file system, lock
// and logging.
func (o *Options) pebbleOptions() *pebble.Options {
	p := &pebble.Options{
		Comparer:                    comparer,
		Merger:                      mergerOf(o.Merger),
		FormatMajorVersion:          pebble.FormatNewest,
		MemTableSize:                uint64(o.MemtableBytes),
		MemTableStopWritesThreshold: 4,
		L0CompactionThreshold:       2,
		L0StopWritesThreshold:       20,
		MaxOpenFiles:                o.MaxOpenFiles,
		CompactionConcurrencyRange:  func() (lower, upper int) { return 1, o.Compactions },
		// So that dropped tables give their space back without more writes.
		FlushDelayDeleteRange: 10 * time.Second,
	}
	if o.Sync == kv.SyncOS {
		// The operating system should not gather a whole log before it writes:
		// the log is synced when it is closed, and commits wait for that.
		p.WALBytesPerSync = 1 << 20
	}
	for i := range p.Levels {
		l := &p.Levels[i]
		l.BlockSize = blockBytes
		l.IndexBlockSize = indexBlockBytes
		// The last level has most of the data, and most of what is asked for.
		if i < len(p.Levels)-1 {
			l.FilterPolicy = bloom.FilterPolicy(bloomBitsPerRow)
		}
	}
	p.ApplyCompressionSettings(func() pebble.DBCompressionSettings { return pebble.DBCompressionFastest })
	// By default every value but the one of a prefix's first key moves away from
	// its key. That suits versions of one value; here a prefix is a row whose
	// values are read together.
	p.Experimental.SpanPolicyFunc = func([]byte) (pebble.SpanPolicy, []byte, error) {
		return pebble.SpanPolicy{DisableValueSeparationBySuffix: true}, nil, nil
	}
	return p
}
