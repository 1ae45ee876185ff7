package pebblekv

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/kvtest"
)

func newTestRNG(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// What Pebble demands of Split and ImmediateSuccessor, on keys of every kind.
func TestComparer(t *testing.T) {
	var all [][]byte
	alphabet := []byte{0, 1, 2, 0xff, 0x10}
	for n := range 5 {
		for i := range 625 {
			k := make([]byte, n)
			for j, x := 0, i; j < n; j, x = j+1, x/5 {
				k[j] = alphabet[x%5]
			}
			all = append(all, append([]byte{keys.SpaceWide, 1}, k...), k)
		}
	}
	split := func(k []byte) []byte { return k[:keys.Split(k)] }
	prefixes := map[string]bool{}
	for _, a := range all {
		p := split(a)
		if !bytes.Equal(split(p), p) {
			t.Fatalf("prefix %x of %x is not its own prefix", p, a)
		}
		prefixes[string(p)] = true
		for _, b := range all[:300] {
			if c := bytes.Compare(a, b); c <= 0 && bytes.Compare(p, split(b)) > 0 {
				t.Fatalf("%x <= %x, but prefix %x > %x", a, b, p, split(b))
			}
		}
	}
	for p := range prefixes {
		next := appendRowSuccessor([]byte("dst"), []byte(p))[3:]
		if !bytes.Equal(split(next), next) || string(next) <= p {
			t.Fatalf("successor %x of %x", next, p)
		}
		for q := range prefixes {
			if q > p && q < string(next) {
				t.Fatalf("%x lies between %x and its successor %x", q, p, next)
			}
		}
	}
}

// The same operands in both directions and any grouping fold to the same.
func TestMergerAdapter(t *testing.T) {
	m := mergerOf(kvtest.Merger{})
	fold := func(newer bool, values ...string) string {
		f, err := m.Merge([]byte("k"), []byte(values[0]))
		for _, v := range values[1:] {
			if err == nil && newer {
				err = f.MergeNewer([]byte(v))
			} else if err == nil {
				err = f.MergeOlder([]byte(v))
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		v, c, err := f.Finish(newer)
		if err != nil {
			t.Fatal(err)
		}
		s := string(v)
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		return s
	}
	for range 3 {
		for _, got := range []string{
			fold(true, "a", "b", "c"),
			fold(false, "c", "b", "a"),
			fold(true, fold(false, "b", "a"), "c"),
			fold(false, fold(true, "b", "c"), fold(true, "a")),
		} {
			if got != "abc" {
				t.Fatalf("folded %q", got)
			}
		}
	}
	f, _ := m.Merge([]byte("k"), []byte("!"))
	_ = f.MergeNewer(nil)
	if _, _, err := f.Finish(true); !errors.Is(err, kv.ErrCorrupt) {
		t.Fatalf("damaged operand: %v", err)
	}
}

func TestWaitSynced(t *testing.T) {
	db := mustOpen(t, testOptions(vfs.NewMem()))
	defer func() { _ = db.Close() }()
	if err := db.WaitSynced(context.Background(), 1); err == nil {
		t.Fatal("waited for a mark that was never given")
	}
	// A ticket without its commit keeps leader and followers waiting; a
	// follower's context ends its wait, and the lead is handed on.
	s := db.syncer
	t1 := s.begin()
	leader := make(chan error)
	go func() { leader <- s.wait(context.Background(), t1) }()
	for {
		s.mu.Lock()
		leading := s.leading
		s.mu.Unlock()
		if leading {
			break
		}
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Millisecond)
	defer cancel()
	if err := s.wait(ctx, t1); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("follower: %v", err)
	}
	t2 := s.begin()
	follower := make(chan error)
	go func() { follower <- s.wait(context.Background(), t2) }()
	for s.least.Load() != t2 {
		time.Sleep(time.Millisecond)
	}
	s.add(t2, noCommit, 0)
	s.add(t1, noCommit, 0)
	for _, c := range []chan error{leader, follower} {
		if err := <-c; err != nil {
			t.Fatal(err)
		}
	}
	if s.newest() != 0 || s.leading || s.bytes.Load() != 0 {
		t.Fatalf("newest %d, leading %v, bytes %d", s.newest(), s.leading, s.bytes.Load())
	}
}

// Commits that nobody waits for do not pile up.
func TestUnwaitedCommitsAreBounded(t *testing.T) {
	db := mustOpen(t, testOptions(vfs.NewMem()))
	defer func() { _ = db.Close() }()
	b := db.NewBatch()
	v := make([]byte, 1<<20)
	for i := range 200 {
		b.Reset()
		b.Put(fmt.Appendf(nil, "k%d", i), v)
		if _, err := db.Apply(b, kv.DurabilitySync, nil); err != nil {
			t.Fatal(err)
		}
		if n := db.syncer.bytes.Load(); n > maxUnsyncedBytes+2<<20 {
			t.Fatalf("%d bytes kept", n)
		}
	}
}

func TestStats(t *testing.T) {
	db := mustOpen(t, testOptions(vfs.NewMem()))
	defer func() { _ = db.Close() }()
	b := db.NewBatch()
	for i := range 100 {
		b.Reset()
		b.Put(fmt.Appendf(nil, "k%d", i), make([]byte, 1000))
		m, err := db.Apply(b, kv.DurabilitySync, nil)
		if err == nil {
			err = db.WaitSynced(context.Background(), m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Get(nil, []byte("k7")); err != nil {
		t.Fatal(err)
	}
	s := db.Stats()
	if s.Flushes == 0 || s.LogSyncs < 50 || s.LogBytesWritten < 100_000 || s.DiskBytes == 0 || s.MemtableBytes == 0 || s.CacheHits+s.CacheMisses == 0 || s.LogSyncDurationP99 < s.LogSyncDurationP50 {
		t.Fatalf("%+v", s)
	}
	if n := db.SizeBytes(kv.KeyRange{}); n == 0 {
		t.Fatal("SizeBytes 0")
	}
}

func TestHistogram(t *testing.T) {
	var h histogram
	if h.quantile(0.5) != 0 {
		t.Fatal("quantile of nothing")
	}
	for range 98 {
		h.observe(100 * time.Microsecond)
	}
	h.observe(0)
	h.observe(time.Hour * 1000)
	if h.count() != 100 || h.quantile(0) != time.Microsecond || h.quantile(0.5) != 128*time.Microsecond || h.quantile(0.99) != 128*time.Microsecond || h.quantile(1) < time.Minute {
		t.Fatalf("count %d, %v %v %v", h.count(), h.quantile(0), h.quantile(0.5), h.quantile(1))
	}
}
