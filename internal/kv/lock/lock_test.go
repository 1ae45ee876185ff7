package lock

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

var ctx = context.Background()

func name(i int) []byte { return fmt.Appendf(nil, "row-%06d", i) }

// waitFor waits until n owners wait.
func waitFor(t *testing.T, tab *Table, n int64) {
	t.Helper()
	for range 5000 {
		if tab.Stats().Waiting == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%d waiting, want %d", tab.Stats().Waiting, n)
}

func idle(t *testing.T, tab *Table) {
	t.Helper()
	if s := tab.Stats(); s.Held != 0 || s.Waiting != 0 || tab.ranges.n.Load() != 0 || tab.ranges.waiters.Load() != 0 {
		t.Fatalf("not idle: %+v, ranges %d", s, tab.ranges.n.Load())
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

// Latches of many names in any order, duplicates included, exclude each other:
// unprotected counters add up.
func TestLatchesExclude(t *testing.T) {
	tab := NewTable()
	const names, workers, rounds = 300, 8, 400
	counters := make([]int, names)
	want := make([]int, names)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(w)))
			for range rounds {
				var ns [][]byte
				var ids []int
				for range 1 + rnd.IntN(40) {
					i := rnd.IntN(names)
					ids, ns = append(ids, i), append(ns, name(i))
				}
				l, err := tab.Latch(ctx, ns...)
				if err != nil {
					t.Error(err)
					return
				}
				for _, i := range ids {
					counters[i]++
				}
				l.Unlock()
				mu.Lock()
				for _, i := range ids {
					want[i]++
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for i := range counters {
		if counters[i] != want[i] {
			t.Fatalf("counter %d: %d, want %d", i, counters[i], want[i])
		}
	}
	idle(t, tab)
}

func TestPrepareSortsAndDeduplicates(t *testing.T) {
	tab := NewTable()
	var ns [][]byte
	for i := range 5000 {
		ns = append(ns, name(i%3000))
	}
	l, err := tab.Latch(ctx, ns...)
	must(t, err)
	if len(l.hashes) != 3000 || tab.Stats().Held != 3000 {
		t.Fatalf("%d hashes, %d held", len(l.hashes), tab.Stats().Held)
	}
	for i, h := range l.hashes {
		if tab.Hash(l.names[i]) != h || i > 0 && l.hashes[i-1] >= h {
			t.Fatalf("hash %d out of order or not its name's", i)
		}
	}
	l.Unlock()
	idle(t, tab)
}

func TestTryLatchAndDeadline(t *testing.T) {
	tab := NewTable()
	l, err := tab.Latch(ctx, name(1), name(2))
	must(t, err)
	if _, ok := tab.TryLatch(name(0), name(2), name(3)); ok {
		t.Fatal("TryLatch took a held name")
	}
	if n := tab.Stats().Held; n != 2 {
		t.Fatalf("%d held after a failed TryLatch", n)
	}
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	_, err = tab.Latch(short, name(0), name(2))
	wantErr(t, err, kv.ErrLockTimeout)
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = tab.Latch(gone, name(2))
	wantErr(t, err, context.Canceled)
	l.Unlock()
	l, ok := tab.TryLatch(name(0), name(2))
	if !ok {
		t.Fatal("TryLatch refused free names")
	}
	l.Unlock()
	idle(t, tab)
}

// Shared holders, an exclusive one behind them, a shared one behind that: in
// order of arrival.
func TestQueueIsFair(t *testing.T) {
	tab := NewTable()
	a, b, c, d := tab.NewTxn(), tab.NewTxn(), tab.NewTxn(), tab.NewTxn()
	must(t, a.Lock(ctx, kv.LockShared, kv.LockWait{}, name(1)))
	must(t, b.Lock(ctx, kv.LockShared, kv.LockWait{NoWait: true}, name(1)))
	order := make(chan string, 2)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := c.Lock(ctx, kv.LockExclusive, kv.LockWait{}, name(1)); err != nil {
			t.Error(err)
		}
		order <- "c"
		c.UnlockAll()
	})
	waitFor(t, tab, 1)
	wantErr(t, d.Lock(ctx, kv.LockShared, kv.LockWait{NoWait: true}, name(1)), kv.ErrLocked)
	wg.Go(func() {
		if err := d.Lock(ctx, kv.LockShared, kv.LockWait{}, name(1)); err != nil {
			t.Error(err)
		}
		order <- "d"
		d.UnlockAll()
	})
	waitFor(t, tab, 2)
	a.UnlockAll()
	waitFor(t, tab, 2)
	b.UnlockAll()
	wg.Wait()
	if x, y := <-order, <-order; x != "c" || y != "d" {
		t.Fatalf("order %s, %s", x, y)
	}
	idle(t, tab)
}

// When an exclusive waiter gives up, the shared ones behind it move up.
func TestTimeoutLetsOthersPass(t *testing.T) {
	tab := NewTable()
	a, b, c := tab.NewTxn(), tab.NewTxn(), tab.NewTxn()
	must(t, a.Lock(ctx, kv.LockShared, kv.LockWait{}, name(1)))
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := b.Lock(ctx, kv.LockExclusive, kv.LockWait{Timeout: 50 * time.Millisecond}, name(1)); !errors.Is(err, kv.ErrLockTimeout) {
			t.Error(err)
		}
	})
	waitFor(t, tab, 1)
	must(t, c.Lock(ctx, kv.LockShared, kv.LockWait{}, name(1)))
	wg.Wait()
	a.UnlockAll()
	b.UnlockAll()
	c.UnlockAll()
	idle(t, tab)
}

func TestUpgrade(t *testing.T) {
	tab := NewTable()
	a, b := tab.NewTxn(), tab.NewTxn()
	must(t, a.Lock(ctx, kv.LockShared, kv.LockWait{}, name(1)))
	must(t, a.Lock(ctx, kv.LockExclusive, kv.LockWait{}, name(1)))
	wantErr(t, b.Lock(ctx, kv.LockShared, kv.LockWait{NoWait: true}, name(1)), kv.ErrLocked)
	b.UnlockAll()
	a.UnlockAll()

	// Two upgraders: the second is the victim, the first goes on.
	must(t, a.Lock(ctx, kv.LockShared, kv.LockWait{}, name(1)))
	must(t, b.Lock(ctx, kv.LockShared, kv.LockWait{}, name(1)))
	done := make(chan error)
	go func() { done <- a.Lock(ctx, kv.LockExclusive, kv.LockWait{}, name(1)) }()
	waitFor(t, tab, 1)
	wantErr(t, b.Lock(ctx, kv.LockExclusive, kv.LockWait{}, name(1)), kv.ErrDeadlock)
	b.UnlockAll()
	must(t, <-done)
	a.UnlockAll()
	if n := tab.Stats().Deadlocks; n != 1 {
		t.Fatalf("%d deadlocks", n)
	}
	idle(t, tab)
}

// A ring of transactions deadlocks once, and the rest get through.
func TestDeadlockRing(t *testing.T) {
	tab := NewTable()
	const n = 7
	txns := make([]*Txn, n)
	for i := range txns {
		txns[i] = tab.NewTxn()
		must(t, txns[i].Lock(ctx, kv.LockExclusive, kv.LockWait{}, name(i)))
	}
	var wg sync.WaitGroup
	var victims sync.Map
	for i := range txns {
		wg.Go(func() {
			err := txns[i].Lock(ctx, kv.LockExclusive, kv.LockWait{}, name((i+1)%n))
			if errors.Is(err, kv.ErrDeadlock) {
				victims.Store(i, true)
			} else if err != nil {
				t.Error(err)
			}
			txns[i].UnlockAll()
		})
	}
	wg.Wait()
	count := 0
	victims.Range(func(_, _ any) bool { count++; return true })
	if count != 1 {
		t.Fatalf("%d victims", count)
	}
	idle(t, tab)
}

// A latch that closes a cycle is never its victim.
func TestLatchIsNoVictim(t *testing.T) {
	tab := NewTable()
	x, y := name(1), name(2)
	if tab.Hash(x) > tab.Hash(y) {
		x, y = y, x
	}
	// The latch takes x, waits for y; the transaction has y and wants x.
	for _, latchLast := range []bool{false, true} {
		a, blocker := tab.NewTxn(), tab.NewTxn()
		must(t, a.Lock(ctx, kv.LockExclusive, kv.LockWait{}, y))
		latched := make(chan error, 1)
		takeLatch := func() {
			l, err := tab.Latch(ctx, x, y)
			if err == nil {
				l.Unlock()
			}
			latched <- err
		}
		aDone := make(chan error, 1)
		takeX := func() {
			err := a.Lock(ctx, kv.LockExclusive, kv.LockWait{}, x)
			a.UnlockAll()
			aDone <- err
		}
		if latchLast {
			must(t, blocker.Lock(ctx, kv.LockExclusive, kv.LockWait{}, x))
			go takeLatch() // queues for x first, so gets it first
			waitFor(t, tab, 1)
			go takeX()
			waitFor(t, tab, 2)
			blocker.UnlockAll()
		} else {
			go takeLatch()
			waitFor(t, tab, 1)
			go takeX()
		}
		must(t, <-latched)
		wantErr(t, <-aDone, kv.ErrDeadlock)
		idle(t, tab)
	}
}

func TestRanges(t *testing.T) {
	tab := NewTable()
	r := kv.KeyRange{Start: name(10), End: name(20)}
	nowait := kv.LockWait{NoWait: true}
	a, b, c := tab.NewTxn(), tab.NewTxn(), tab.NewTxn()
	must(t, a.LockRange(ctx, kv.LockShared, kv.LockWait{}, r))
	must(t, b.LockRange(ctx, kv.LockShared, nowait, kv.KeyRange{Start: name(15)}))
	wantErr(t, b.LockRange(ctx, kv.LockExclusive, nowait, kv.KeyRange{Start: name(15), End: name(16)}), kv.ErrLocked)
	must(t, b.Lock(ctx, kv.LockShared, nowait, name(12)))
	wantErr(t, b.Lock(ctx, kv.LockExclusive, nowait, name(12)), kv.ErrLocked)
	b.UnlockAll()
	must(t, a.Lock(ctx, kv.LockExclusive, nowait, name(12))) // its own range
	must(t, c.Lock(ctx, kv.LockExclusive, nowait, name(20)))
	if _, ok := tab.TryLatch(name(9), name(10)); ok {
		t.Fatal("latch inside a range lock")
	}
	l, ok := tab.TryLatch(name(9), name(21))
	if !ok {
		t.Fatal("latch outside the range refused")
	}
	wantErr(t, a.LockRange(ctx, kv.LockShared, nowait, kv.KeyRange{Start: name(21), End: name(22)}), kv.ErrLocked)
	a.UnlockAll()

	// A range waits for a latch in it, and a latch for a range.
	got := make(chan error)
	go func() {
		got <- b.LockRange(ctx, kv.LockExclusive, kv.LockWait{}, kv.KeyRange{Start: name(21), End: name(30)})
	}()
	waitFor(t, tab, 1)
	l.Unlock()
	must(t, <-got)
	go func() {
		l, err := tab.Latch(ctx, name(25))
		if err == nil {
			l.Unlock()
		}
		got <- err
	}()
	waitFor(t, tab, 1)
	b.UnlockAll()
	must(t, <-got)
	c.UnlockAll()
	idle(t, tab)
}

func TestRangeDeadlockAndTimeout(t *testing.T) {
	tab := NewTable()
	a, b := tab.NewTxn(), tab.NewTxn()
	must(t, a.LockRange(ctx, kv.LockExclusive, kv.LockWait{}, kv.KeyRange{Start: name(1), End: name(5)}))
	must(t, b.Lock(ctx, kv.LockExclusive, kv.LockWait{}, name(7)))
	wantErr(t, b.LockRange(ctx, kv.LockShared, kv.LockWait{Timeout: 5 * time.Millisecond}, kv.KeyRange{Start: name(3)}), kv.ErrLockTimeout)
	done := make(chan error)
	go func() {
		err := b.Lock(ctx, kv.LockShared, kv.LockWait{}, name(3))
		b.UnlockAll()
		done <- err
	}()
	waitFor(t, tab, 1)
	wantErr(t, a.LockRange(ctx, kv.LockShared, kv.LockWait{}, kv.KeyRange{Start: name(6), End: name(8)}), kv.ErrDeadlock)
	a.UnlockAll()
	must(t, <-done)
	idle(t, tab)
}

// Random transactions with every kind of lock, and latches, over few names:
// exclusion holds (checked by counters that the race detector watches, too),
// nobody hangs, nothing stays behind.
func TestStorm(t *testing.T) {
	tab := NewTable()
	const names = 12
	var owners [names]struct {
		mu     sync.Mutex
		shared int
		excl   int
	}
	enter := func(i int, mode kv.LockMode) {
		o := &owners[i]
		o.mu.Lock()
		defer o.mu.Unlock()
		if mode == kv.LockExclusive {
			o.excl++
		} else {
			o.shared++
		}
		if o.excl > 1 || o.excl == 1 && o.shared > 0 {
			t.Errorf("name %d: %d exclusive, %d shared", i, o.excl, o.shared)
		}
	}
	leave := func(i int, mode kv.LockMode) {
		o := &owners[i]
		o.mu.Lock()
		defer o.mu.Unlock()
		if mode == kv.LockExclusive {
			o.excl--
		} else {
			o.shared--
		}
	}
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(7, uint64(w)))
			x := tab.NewTxn()
			for range 300 {
				if rnd.IntN(3) == 0 {
					i, j := rnd.IntN(names), rnd.IntN(names)
					l, err := tab.Latch(ctx, name(i), name(j))
					if err != nil {
						t.Error(err)
						return
					}
					enter(i, kv.LockExclusive)
					leave(i, kv.LockExclusive)
					l.Unlock()
					continue
				}
				mine := map[int]kv.LockMode{}
				for range 1 + rnd.IntN(4) {
					mode := kv.LockMode(rnd.IntN(2))
					lo, hi := rnd.IntN(names), 0
					var err error
					if rnd.IntN(4) == 0 {
						hi = lo + 1 + rnd.IntN(3)
						err = x.LockRange(ctx, mode, kv.LockWait{}, kv.KeyRange{Start: name(lo), End: name(hi)})
					} else {
						hi = lo + 1
						err = x.Lock(ctx, mode, kv.LockWait{}, name(lo))
					}
					if err != nil {
						if !errors.Is(err, kv.ErrDeadlock) {
							t.Error(err)
						}
						break
					}
					for i := lo; i < min(hi, names); i++ {
						old, had := mine[i]
						if had && (old == kv.LockExclusive || mode == kv.LockShared) {
							continue
						}
						if had {
							leave(i, old)
						}
						mine[i] = mode
						enter(i, mode)
					}
				}
				for i, m := range mine {
					leave(i, m)
				}
				x.UnlockAll()
			}
		})
	}
	wg.Wait()
	t.Logf("%d deadlocks", tab.Stats().Deadlocks)
	idle(t, tab)
}

func BenchmarkLatch1(b *testing.B) {
	tab := NewTable()
	names := [][]byte{name(1)}
	b.ReportAllocs()
	for b.Loop() {
		l, _ := tab.Latch(ctx, names...)
		l.Unlock()
	}
}

func BenchmarkLatch4000(b *testing.B) {
	tab := NewTable()
	var names [][]byte
	for i := range 4000 {
		names = append(names, fmt.Appendf(nil, "user%019d", i*7919))
	}
	b.ReportAllocs()
	for b.Loop() {
		l, _ := tab.Latch(ctx, names...)
		l.Unlock()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4000, "ns/name")
}

func BenchmarkTxnLock(b *testing.B) {
	tab := NewTable()
	x := tab.NewTxn()
	n := name(1)
	b.ReportAllocs()
	for b.Loop() {
		_ = x.Lock(ctx, kv.LockExclusive, kv.LockWait{}, n)
		x.UnlockAll()
	}
}
