package kvtest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

// Batches are seen whole or not at all.
func testBatchAtomic(t *testing.T, e *env) {
	const keys, rounds = 20, 200
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(done)
		b := e.NewBatch()
		for i := range rounds {
			b.Reset()
			for k := range keys {
				b.Put(fmt.Appendf(nil, "k%02d", k), strconv.AppendInt(nil, int64(i), 10))
			}
			d := kv.DurabilitySync
			if i%2 == 0 {
				d = kv.DurabilityAsync
			}
			if _, err := e.Apply(b, d, nil); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for running := true; running; {
		select {
		case <-done:
			running = false
		default:
		}
		it, err := e.NewIter(kv.IterOptions{})
		e.check(err)
		first, n := "", 0
		for ok := it.First(); ok; ok = it.Next() {
			v, err := it.Value()
			e.check(err)
			if n == 0 {
				first = string(v)
			}
			if string(v) != first {
				t.Fatalf("torn batch: %s and %s", first, v)
			}
			n++
		}
		if n != 0 && n != keys {
			t.Fatalf("torn batch: %d keys", n)
		}
		e.check(it.Close())
	}
	wg.Wait()
}

func testBatchReuse(t *testing.T, e *env) {
	b := e.NewBatch()
	if b.Count() != 0 {
		t.Fatalf("Count of an empty batch: %d", b.Count())
	}
	_, err := e.Apply(b, kv.DurabilitySync, nil) // empty: nothing happens
	e.check(err)
	k, v := []byte("k"), []byte("v")
	for i, d := range []kv.Durability{kv.DurabilitySync, kv.DurabilityAsync, kv.DurabilitySync} {
		b.Reset()
		k[0], v[0] = byte('a'+i), byte('0'+i)
		b.Put(k, v)
		k[0], v[0] = 'x', 'x' // copied
		if b.Count() != 1 || b.Len() < 2 {
			t.Fatalf("Count %d, Len %d", b.Count(), b.Len())
		}
		_, err := e.Apply(b, d, nil)
		e.check(err)
	}
	b.Reset()
	b.Put([]byte("dropped"), nil)
	b.Reset()
	_, err = e.Apply(b, kv.DurabilitySync, nil)
	e.check(err)
	e.wantDump(e, "a=0 b=1 c=2")
}

func testMarks(t *testing.T, e *env) {
	b := e.NewBatch()
	var last kv.Mark
	for i := range 100 {
		l, err := e.Latch(ctx, []byte("row"))
		e.check(err)
		b.Reset()
		b.Put([]byte("row"), strconv.AppendInt(nil, int64(i), 10))
		m, err := e.Apply(b, kv.DurabilitySync, l)
		e.check(err)
		l.Unlock()
		if m <= last {
			t.Fatalf("mark %d after %d", m, last)
		}
		last = m
		if r := e.ReadMark([]byte("row")); r < m && e.Synced() < m {
			t.Fatalf("ReadMark %d, the row's commit is %d, synced %d", r, m, e.Synced())
		}
		if a := e.Applied(); a < m && e.Synced() < m {
			t.Fatalf("Applied %d after commit %d", a, m)
		}
		s := e.Snapshot()
		if a := s.Mark(); a < m && e.Synced() < m {
			t.Fatalf("Snapshot's mark %d after commit %d", a, m)
		}
		e.check(s.Close())
	}
	e.check(e.WaitSynced(ctx, last))
	if e.Synced() < last {
		t.Fatalf("Synced %d after waiting for %d", e.Synced(), last)
	}
	if r, a := e.ReadMark([]byte("row")), e.Applied(); r != 0 || a != 0 {
		t.Fatalf("all is synced, yet ReadMark %d, Applied %d", r, a)
	}
	e.check(e.WaitSynced(ctx, 0))
	b.Reset()
	b.Put([]byte("row"), []byte("async"))
	if m, err := e.Apply(b, kv.DurabilityAsync, nil); err != nil || m != 0 {
		t.Fatalf("async Apply: mark %d, %v", m, err)
	}
	// Many that nobody waits for, then many who wait.
	for range 10000 {
		b.Reset()
		b.Merge([]byte("m"), []byte("."))
		if last, _ = e.Apply(b, kv.DurabilitySync, nil); last == 0 {
			t.Fatal("mark 0")
		}
		if last%1000 == 0 {
			b.Reset()
			b.Delete([]byte("m"))
			_, err := e.Apply(b, kv.DurabilityAsync, nil)
			e.check(err)
		}
	}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			if err := e.WaitSynced(ctx, last-kv.Mark(i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// Unlogged read-modify-writes under latches of several rows add up.
func testLatchedCounters(t *testing.T, e *env) {
	const rows, workers, rounds = 10, 8, 100
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(3, uint64(w)))
			b := e.NewBatch()
			for i := range rounds {
				r1, r2 := fmt.Sprintf("r%d", rnd.IntN(rows)), fmt.Sprintf("r%d", rnd.IntN(rows))
				var l kv.Latch
				var err error
				if i%5 == 0 {
					for ok := false; !ok; {
						if l, ok = e.TryLatch([]byte(r1), []byte(r2)); !ok {
							time.Sleep(10 * time.Microsecond)
						}
					}
				} else if l, err = e.Latch(ctx, []byte(r1), []byte(r2)); err != nil {
					t.Error(err)
					return
				}
				b.Reset()
				for _, r := range []string{r1, r2} {
					if r == r2 && r1 == r2 && b.Count() > 0 {
						continue
					}
					n := 0
					if v, err := e.Get(nil, []byte(r)); err == nil {
						n, _ = strconv.Atoi(string(v))
					} else if !errors.Is(err, kv.ErrNotFound) {
						t.Error(err)
					}
					if r1 == r2 {
						n++
					}
					b.Put([]byte(r), strconv.AppendInt(nil, int64(n+1), 10))
				}
				m, err := e.Apply(b, kv.DurabilitySync, l)
				l.Unlock()
				if err == nil && i%10 == 0 {
					err = e.WaitSynced(ctx, m)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for r := range rows {
		n, _ := strconv.Atoi(e.get(e, fmt.Sprintf("r%d", r)))
		sum += n
	}
	if want := 2 * workers * rounds; sum != want {
		t.Fatalf("counted %d, want %d", sum, want)
	}
}

// A reader that saw a value gets a mark at least as new as the value's commit,
// even if that commit's Apply has not returned yet.
func testReadMarkCoversReads(t *testing.T, e *env) {
	const rounds = 400
	marks := make([]kv.Mark, rounds+1) // of the commit that wrote i
	type seen struct {
		value int
		mark  kv.Mark
	}
	var wg sync.WaitGroup
	done := make(chan struct{})
	reads := make([][]seen, 3)
	for r := range reads {
		wg.Go(func() {
			for {
				var m kv.Mark
				var v []byte
				var err error
				switch r {
				case 0:
					v, err = e.Get(nil, []byte("row"))
					m = e.ReadMark([]byte("row"))
				case 1:
					v, err = e.Get(nil, []byte("row"))
					m = e.Applied()
				default:
					s := e.Snapshot()
					v, err = s.Get(nil, []byte("row"))
					m = s.Mark()
					_ = s.Close()
				}
				synced := e.Synced()
				if err == nil {
					n, _ := strconv.Atoi(string(v))
					reads[r] = append(reads[r], seen{n, max(m, synced)})
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	b := e.NewBatch()
	for i := 1; i <= rounds; i++ {
		l, err := e.Latch(ctx, []byte("row"))
		e.check(err)
		b.Reset()
		b.Put([]byte("row"), strconv.AppendInt(nil, int64(i), 10))
		marks[i], err = e.Apply(b, kv.DurabilitySync, l)
		e.check(err)
		l.Unlock()
		if i%50 == 0 {
			e.check(e.WaitSynced(ctx, marks[i]))
		}
	}
	close(done)
	wg.Wait()
	for r := range reads {
		for _, s := range reads[r] {
			if s.mark < marks[s.value] {
				t.Fatalf("reader %d saw value %d of mark %d, was told %d", r, s.value, marks[s.value], s.mark)
			}
		}
	}
}

func testClosed(t *testing.T, e *env) {
	e.apply("put a 1")
	s := e.Snapshot()
	e.check(s.Close())
	engine := e.Engine
	e.check(engine.Close())
	e.Engine = nil
	_, err := engine.Get(nil, []byte("a"))
	e.wantErr(err, kv.ErrClosed)
	_, err = engine.NewIter(kv.IterOptions{})
	e.wantErr(err, kv.ErrClosed)
	_, err = engine.Snapshot().Get(nil, []byte("a"))
	e.wantErr(err, kv.ErrClosed)
	e.wantErr(engine.Writable(), kv.ErrClosed)
	e.wantErr(engine.DeleteRange(ctx, kv.KeyRange{}), kv.ErrClosed)
	e.wantErr(engine.Close(), kv.ErrClosed)
}
