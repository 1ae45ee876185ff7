package pebblekv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/kvtest"
)

func wantOpenError(t *testing.T, o Options, want error) {
	t.Helper()
	db, err := Open(o)
	if err == nil {
		_ = db.Close()
	}
	if !errors.Is(err, want) {
		t.Fatalf("Open: %v, want %v", err, want)
	}
}

func writeFile(t *testing.T, fs vfs.FS, path, text string) {
	t.Helper()
	f, err := fs.Create(path, vfs.WriteCategoryUnspecified)
	if err == nil {
		_, err = io.WriteString(f, text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestInUse(t *testing.T) {
	for _, fs := range []vfs.FS{vfs.NewMem(), nil} {
		o := testOptions(fs)
		o.Dir = filepath.Join(t.TempDir(), "a", "b")
		db := mustOpen(t, o)
		wantOpenError(t, o, kv.ErrInUse)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		// Everything is given up, after a failed Open, too.
		if err := mustOpen(t, o).Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFormat(t *testing.T) {
	fs := vfs.NewMem()
	o := testOptions(fs)
	read := func() string {
		f, found, err := readFormat(fs, o.Dir)
		if err != nil || !found {
			t.Fatalf("%v, found %v", err, found)
		}
		return f.String()
	}
	for _, mode := range []kv.SyncMode{kv.SyncDisk, kv.SyncOS, kv.SyncOS, kv.SyncDisk} {
		o.Sync = mode
		if err := mustOpen(t, o).Close(); err != nil {
			t.Fatal(err)
		}
		if got, want := read(), (format{formatVersion, mode}).String(); got != want {
			t.Fatalf("format %q, want %q", got, want)
		}
	}
	path := fs.PathJoin(o.Dir, formatFile)
	writeFile(t, fs, path, "basalt data 2\nwhatever\n")
	wantOpenError(t, o, kv.ErrNewerFormat)
	writeFile(t, fs, path, "")
	wantOpenError(t, o, kv.ErrCorrupt)
	if err := fs.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(o); err == nil || !strings.Contains(err.Error(), "not Basalt's") {
		t.Fatalf("a foreign database: %v", err)
	}
	writeFile(t, fs, path, format{version: formatVersion}.String())
	if err := mustOpen(t, o).Close(); err != nil {
		t.Fatal(err)
	}
	m, _, err := atomicfs.LocateMarker(fs, o.Dir, pebbleVersionMarker)
	if err == nil {
		err = m.Move("999999")
	}
	if err == nil {
		err = m.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	wantOpenError(t, o, kv.ErrNewerFormat)
}

func FuzzParseFormat(f *testing.F) {
	for _, s := range []string{"basalt data 1\nsync disk\n", "basalt data 1\nsync os\n", "basalt data 2\n", "basalt data -1\n", "", "\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, err := parseFormat(s)
		if err == nil {
			if y, err := parseFormat(x.String()); err != nil || y != x {
				t.Fatalf("%q: %+v, %+v, %v", s, x, y, err)
			}
		} else if !errors.Is(err, kv.ErrCorrupt) && !errors.Is(err, kv.ErrNewerFormat) {
			t.Fatalf("%q: %v", s, err)
		}
	})
}

type renamed struct{ kvtest.Merger }

func (renamed) Name() string { return "another" }

func TestOpenWithAnotherMerger(t *testing.T) {
	o := testOptions(vfs.NewMem())
	if err := mustOpen(t, o).Close(); err != nil {
		t.Fatal(err)
	}
	o.Merger = renamed{}
	if db, err := Open(o); err == nil {
		_ = db.Close()
		t.Fatal("opened with another merger")
	}
}

// diskFS has as much free space as a test wants.
type diskFS struct {
	vfs.FS
	free atomic.Uint64
}

func (fs *diskFS) GetDiskUsage(string) (vfs.DiskUsage, error) {
	return vfs.DiskUsage{AvailBytes: fs.free.Load()}, nil
}

func TestReserve(t *testing.T) {
	fs := &diskFS{FS: vfs.NewMem()}
	fs.free.Store(5 << 20)
	o := testOptions(fs)
	o.ReserveBytes, o.ReserveCheck = 10<<20, time.Millisecond
	db := mustOpen(t, o)
	defer func() { _ = db.Close() }()
	put := func() error {
		b := db.NewBatch()
		b.Put([]byte("k"), nil)
		_, err := db.Apply(b, kv.DurabilitySync, nil)
		return err
	}
	if err := put(); !errors.Is(err, kv.ErrUnavailable) || !errors.Is(db.Writable(), kv.ErrUnavailable) {
		t.Fatalf("disk full: Apply %v, Writable %v", err, db.Writable())
	}
	x, err := db.Begin(context.Background(), kv.TxnOptions{})
	if err == nil {
		err = x.Put([]byte("k"), nil)
	}
	if err == nil {
		err = x.Commit(context.Background())
	}
	if !errors.Is(err, kv.ErrUnavailable) {
		t.Fatalf("Commit: %v", err)
	}
	if _, err := db.Get(nil, []byte("k")); !errors.Is(err, kv.ErrNotFound) {
		t.Fatalf("Get: %v", err)
	}
	if err := db.DeleteRange(context.Background(), kv.KeyRange{Start: []byte("k")}); err != nil {
		t.Fatalf("DeleteRange: %v", err)
	}
	fs.free.Store(20 << 20)
	for i := 0; db.Writable() != nil; i++ {
		if i > 2000 {
			t.Fatal("writes do not come back")
		}
		time.Sleep(time.Millisecond)
	}
	if err := put(); err != nil {
		t.Fatal(err)
	}
}

// A log that cannot be synced ends the process, and no commit counts as synced.
func TestLogFailureEndsTheProcess(t *testing.T) {
	var broken atomic.Bool
	failed := errors.New("no such luck")
	fs := errorfs.Wrap(vfs.NewMem(), errorfs.InjectorFunc(func(op errorfs.Op) error {
		if broken.Load() && isLog(op.Path) && (op.Kind == errorfs.OpFileSync || op.Kind == errorfs.OpFileSyncData) {
			return failed
		}
		return nil
	}))
	o := testOptions(fs)
	code := make(chan int, 10)
	o.Exit = func(c int) { code <- c }
	db := mustOpen(t, o)
	b := db.NewBatch()
	put := func(k string) kv.Mark {
		b.Reset()
		b.Put([]byte(k), nil)
		m, err := db.Apply(b, kv.DurabilitySync, nil)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m1 := put("a")
	if err := db.WaitSynced(context.Background(), m1); err != nil {
		t.Fatal(err)
	}
	broken.Store(true)
	m2 := put("b")
	if err := db.WaitSynced(context.Background(), m2); !errors.Is(err, failed) {
		t.Fatalf("WaitSynced: %v", err)
	}
	if c := <-code; c != 1 {
		t.Fatalf("exit code %d", c)
	}
	if db.Synced() != m1 {
		t.Fatalf("Synced %d, want %d", db.Synced(), m1)
	}
	if err := db.WaitSynced(context.Background(), m2); !errors.Is(err, failed) {
		t.Fatalf("second WaitSynced: %v", err)
	}
}

// Damaged tables are named by kv.ErrCorrupt, and other reads go on.
func TestCorruption(t *testing.T) {
	fs := vfs.NewMem()
	o := testOptions(fs)
	db := mustOpen(t, o)
	b := db.NewBatch()
	for i := range 3000 {
		b.Put(fmt.Appendf(nil, "k%05d", i), fmt.Appendf(nil, "%0300d", i*7919))
	}
	if _, err := db.Apply(b, kv.DurabilityAsync, nil); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Flush(context.Background()), db.Compact(context.Background(), kv.KeyRange{}), db.Close()); err != nil {
		t.Fatal(err)
	}
	names, err := fs.List(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range names {
		if !strings.HasSuffix(n, ".sst") {
			continue
		}
		f, err := fs.OpenReadWrite(fs.PathJoin(o.Dir, n), vfs.WriteCategoryUnspecified)
		if err == nil {
			_, err = f.WriteAt([]byte("damage"), 100)
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	db = mustOpen(t, o)
	defer func() { _ = db.Close() }()
	if _, err := db.Get(nil, []byte("k00000")); !errors.Is(err, kv.ErrCorrupt) {
		t.Fatalf("Get: %v", err)
	}
	if _, err := db.Get(nil, []byte("k02999")); err != nil {
		t.Fatalf("Get of an undamaged block: %v", err)
	}
	it, err := db.NewIter(kv.IterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if it.First() || !errors.Is(it.Error(), kv.ErrCorrupt) {
		t.Fatalf("iterator: %v", it.Error())
	}
	_ = it.Close()

	// Operands that cannot be folded are damage, too.
	b = db.NewBatch()
	b.Merge([]byte("x"), []byte("!"))
	b.Merge([]byte("x"), []byte("2"))
	if _, err := db.Apply(b, kv.DurabilityAsync, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Get(nil, []byte("x")); !errors.Is(err, kv.ErrCorrupt) {
		t.Fatalf("Get of a damaged operand: %v", err)
	}
}
