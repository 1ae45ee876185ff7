package wide

import (
	"io"
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/memkv"
	"github.com/basaltdb/basalt/internal/kv/pebblekv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

func variants() []variant {
	mem := func(t *testing.T) kv.Engine { return memkv.New(cell.Merger{}) }
	// Small memtables: histories reach several levels.
	pebble := func(t *testing.T) kv.Engine {
		db, err := pebblekv.Open(pebblekv.Options{
			Dir: "db", FS: vfs.NewMem(), Merger: cell.Merger{}, MemtableBytes: 64 << 10, CacheBytes: 1 << 20,
			Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
		})
		if err != nil {
			t.Fatal(err)
		}
		return db
	}
	return []variant{
		{name: "mem", engine: mem},
		{name: "rewritten", engine: mem, rewrite: true},
		{name: "spilled", engine: mem, rewrite: true, options: Options{SpillBytes: 1, SpillCells: 1, LargeValueBytes: 2}},
		{name: "stubs", engine: mem, options: Options{LargeValueBytes: 1}},
		{name: "pebble", engine: pebble},
		{name: "pebble-chains", engine: pebble, options: Options{ChainLength: 2, SpillBytes: 400, SpillCells: 6, LargeValueBytes: 40}},
	}
}

func appendRowPrefix(t *catalog.Table, row []byte) []byte {
	return keys.AppendRow(nil, t.DataID(), row)
}
