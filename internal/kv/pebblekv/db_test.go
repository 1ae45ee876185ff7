package pebblekv

import (
	"log/slog"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/kvtest"
)

// testOptions are small: several levels with little data.
func testOptions(fs vfs.FS) Options {
	return Options{
		Dir: "data", FS: fs, Merger: kvtest.Merger{},
		CacheBytes: 1 << 20, MemtableBytes: 256 << 10,
		Logger: slog.New(slog.DiscardHandler),
	}
}

func mustOpen(t testing.TB, o Options) *DB {
	t.Helper()
	db, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func TestSuite(t *testing.T) {
	for _, mode := range []kv.SyncMode{kv.SyncDisk, kv.SyncOS} {
		t.Run([]string{"disk", "os"}[mode], func(t *testing.T) {
			options := func(fs vfs.FS) Options {
				o := testOptions(fs)
				o.Sync = mode
				return o
			}
			kvtest.Run(t, kvtest.Harness{
				Open: func(t *testing.T) kv.Engine { return mustOpen(t, options(vfs.NewMem())) },
				Reopen: func(t *testing.T, e kv.Engine) kv.Engine {
					fs := e.(*DB).o.FS
					if err := e.Close(); err != nil {
						t.Fatal(err)
					}
					return mustOpen(t, options(fs))
				},
			})
		})
	}
}
