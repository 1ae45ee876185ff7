package pebblekv

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/basaltdb/basalt/internal/kv"
)

// Power failures in the middle of concurrent writes, with unsynced data dropped
// or kept at random: every commit up to Synced() is there after a restart, every
// batch is whole, and what a reader was allowed to show is there, too.
func TestCrash(t *testing.T) {
	for round := range 6 {
		t.Run(strconv.Itoa(round), func(t *testing.T) {
			fs := vfs.NewCrashableMem()
			db := mustOpen(t, testOptions(fs))
			const writers = 4
			var mu sync.Mutex
			last := map[int]kv.Mark{} // writer*1e6+i -> mark of its i-th commit
			stop := make(chan struct{})
			var wg sync.WaitGroup
			for w := range writers {
				wg.Go(func() {
					b := db.NewBatch()
					row := fmt.Appendf(nil, "w%d", w)
					for i := 1; ; i++ {
						select {
						case <-stop:
							return
						default:
						}
						b.Reset()
						n := binary.BigEndian.AppendUint32(nil, uint32(i))
						b.Put(row, n)
						b.Put(append([]byte("twin-"), row...), n)
						b.Put(fmt.Appendf(nil, "%s-%06d", row, i), make([]byte, 100+i%1000))
						l, err := db.Latch(context.Background(), row)
						if err != nil {
							t.Error(err)
							return
						}
						m, err := db.Apply(b, kv.DurabilitySync, l)
						l.Unlock()
						if err == nil && i%(w+2) == 0 {
							err = db.WaitSynced(context.Background(), m)
						}
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						last[w*1e6+i] = m
						mu.Unlock()
					}
				})
			}
			// A reader that shows only what its marks allow.
			shown := make([]uint32, writers)
			wg.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					for w := range writers {
						row := fmt.Appendf(nil, "w%d", w)
						v, err := db.Get(nil, row)
						if errors.Is(err, kv.ErrNotFound) {
							continue
						}
						if err == nil {
							err = db.WaitSynced(context.Background(), db.ReadMark(row))
						}
						if err != nil {
							t.Error(err)
							return
						}
						mu.Lock()
						shown[w] = binary.BigEndian.Uint32(v)
						mu.Unlock()
					}
				}
			})
			time.Sleep(time.Duration(30+20*round) * time.Millisecond)
			// Marks are entered after Apply: what is missing here is merely not
			// checked.
			mu.Lock()
			synced := db.Synced()
			min := make([]uint32, writers)
			copy(min, shown)
			for k, m := range last {
				if w, i := k/1e6, uint32(k%1e6); m <= synced && i > min[w] {
					min[w] = i
				}
			}
			mu.Unlock()
			crashed := fs.CrashClone(vfs.CrashCloneCfg{
				UnsyncedDataPercent: []int{0, 0, 50}[round%3],
				RNG:                 newTestRNG(uint64(round)),
			})
			close(stop)
			wg.Wait()
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}

			db = mustOpen(t, testOptions(crashed))
			for w := range writers {
				row := fmt.Appendf(nil, "w%d", w)
				var n uint32
				v, err := db.Get(nil, row)
				if err == nil {
					n = binary.BigEndian.Uint32(v)
				} else if !errors.Is(err, kv.ErrNotFound) {
					t.Fatal(err)
				}
				if n < min[w] {
					t.Errorf("writer %d: commit %d is there, %d was synced or shown", w, n, min[w])
				}
				twin, err := db.Get(nil, append([]byte("twin-"), row...))
				if n > 0 && (err != nil || string(twin) != string(v)) {
					t.Errorf("writer %d: half a batch: %x and %x, %v", w, v, twin, err)
				}
				for i := uint32(1); i <= n; i++ {
					if _, err := db.Get(nil, fmt.Appendf(nil, "%s-%06d", row, i)); err != nil {
						t.Fatalf("writer %d: commit %d of %d is missing: %v", w, i, n, err)
					}
				}
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The death of the process under SyncOS loses nothing synced: the file system,
// unsynced data included, is as it was.
func TestProcessDeathUnderSyncOS(t *testing.T) {
	fs := vfs.NewCrashableMem()
	o := testOptions(fs)
	o.Sync = kv.SyncOS
	db := mustOpen(t, o)
	b := db.NewBatch()
	for i := range 2000 {
		b.Reset()
		b.Put(fmt.Appendf(nil, "k%05d", i), make([]byte, 300))
		m, err := db.Apply(b, kv.DurabilitySync, nil)
		if err == nil {
			err = db.WaitSynced(context.Background(), m)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	killed := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 100, RNG: newTestRNG(1)})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	o.FS = killed
	db = mustOpen(t, o)
	for i := range 2000 {
		if _, err := db.Get(nil, fmt.Appendf(nil, "k%05d", i)); err != nil {
			t.Fatalf("commit %d: %v", i, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// A power failure under SyncOS may lose the newest commits and leave holes in
// the newest log. The directory opens all the same, with a prefix of the
// history, in either mode.
func TestPowerFailureUnderSyncOS(t *testing.T) {
	cut := 0
	for round := range 20 {
		fs := vfs.NewCrashableMem()
		o := testOptions(fs)
		o.Sync = kv.SyncOS
		db := mustOpen(t, o)
		b := db.NewBatch()
		const commits = 500
		rnd := rand.New(rand.NewPCG(uint64(round), 9))
		for i := range commits {
			b.Reset()
			v := make([]byte, 200+rnd.IntN(2000))
			for j := range v {
				v[j] = byte(rnd.Uint32())
			}
			b.Put(fmt.Appendf(nil, "k%05d", i), v)
			m, err := db.Apply(b, kv.DurabilitySync, nil)
			if err == nil && i%10 == 0 {
				err = db.WaitSynced(context.Background(), m)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		crashed := fs.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 90, RNG: newTestRNG(uint64(round))})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		o.FS = crashed
		o.Sync = kv.SyncMode(round % 2)
		db, err := Open(o)
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		n := 0
		for ; n < commits; n++ {
			if _, err := db.Get(nil, fmt.Appendf(nil, "k%05d", n)); err != nil {
				break
			}
		}
		if n < commits {
			cut++
		}
		for i := n; i < commits; i++ {
			if _, err := db.Get(nil, fmt.Appendf(nil, "k%05d", i)); err == nil {
				t.Fatalf("round %d: commit %d is there, %d is not", round, i, n)
			}
		}
		b = db.NewBatch()
		b.Put([]byte("after"), nil)
		m, err := db.Apply(b, kv.DurabilitySync, nil)
		if err == nil {
			err = db.WaitSynced(context.Background(), m)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = mustOpen(t, o)
		if _, err := db.Get(nil, []byte("after")); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d of 20 rounds lost commits", cut)
}

// A DurabilityAsync commit gets into the log soon, though nobody waits.
func TestAsyncIsLoggedSoon(t *testing.T) {
	fs := vfs.NewCrashableMem()
	o := testOptions(fs)
	o.AsyncDelay = time.Millisecond
	db := mustOpen(t, o)
	defer func() { _ = db.Close() }()
	for i := range 3 {
		b := db.NewBatch()
		b.Put(fmt.Appendf(nil, "k%d", i), nil)
		if _, err := db.Apply(b, kv.DurabilityAsync, nil); err != nil {
			t.Fatal(err)
		}
		there := false
		for range 200 {
			time.Sleep(5 * time.Millisecond)
			o.FS = fs.CrashClone(vfs.CrashCloneCfg{})
			copied := mustOpen(t, o)
			_, err := copied.Get(nil, fmt.Appendf(nil, "k%d", i))
			_ = copied.Close()
			if there = err == nil; there {
				break
			}
		}
		if !there {
			t.Fatalf("commit %d is not in the log", i)
		}
	}
}

// DeleteRange and Commit are durable when they return.
func TestDurableWhenReturned(t *testing.T) {
	fs := vfs.NewCrashableMem()
	db := mustOpen(t, testOptions(fs))
	x, err := db.Begin(context.Background(), kv.TxnOptions{})
	if err == nil {
		err = errors.Join(x.Put([]byte("a"), nil), x.Put([]byte("b"), nil), x.Commit(context.Background()))
	}
	if err == nil {
		err = db.DeleteRange(context.Background(), kv.KeyRange{Start: []byte("b")})
	}
	if err != nil {
		t.Fatal(err)
	}
	crashed := fs.CrashClone(vfs.CrashCloneCfg{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = mustOpen(t, testOptions(crashed))
	if _, err := db.Get(nil, []byte("a")); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Get(nil, []byte("b")); !errors.Is(err, kv.ErrNotFound) {
		t.Fatalf("deleted range is back: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
