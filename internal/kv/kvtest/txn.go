package kvtest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

func testTxnReadsOwnWrites(t *testing.T, e *env) {
	e.apply("put a 1", "put b 1", "put c 1")
	x := e.begin()
	e.apply("put c 2", "put z 2")
	e.txnApply(x, "put a 9", "del b", "put d 9")
	e.wantDump(x, "a=9 c=1 d=9")
	e.wantGet(x, "b", "-")
	e.wantGet(x, "c", "1")
	e.wantGet(x, "d", "9")
	e.wantDump(e, "a=1 b=1 c=2 z=2")
	e.check(x.Commit(ctx))
	e.wantDump(e, "a=9 c=2 d=9 z=2")

	x = e.begin()
	e.txnApply(x, "put a 0", "del z")
	x.Rollback()
	e.wantDump(e, "a=9 c=2 d=9 z=2")
	e.reopen()
	e.wantDump(e, "a=9 c=2 d=9 z=2")
}

// A merge reads over what the transaction sees, and is committed over what is
// newest.
func testTxnMerge(t *testing.T, e *env) {
	e.apply("put a 1", "put b 1", "put c 1")
	x := e.begin()
	e.apply("merge a 2", "put b 2")
	e.txnApply(x, "merge a x", "merge a y", "merge b x", "put c 3", "merge c x", "del d", "merge d x", "merge n x")
	e.wantDump(x, "a=1xy b=1x c=3x d=x n=x")
	e.wantGet(x, "a", "1xy")
	e.wantGet(x, "c", "3x")
	e.wantGet(x, "n", "x")
	for i := range 30 {
		e.txnApply(x, fmt.Sprintf("merge m %d.", i))
	}
	e.check(x.Commit(ctx))
	m := ""
	for i := range 30 {
		m += fmt.Sprintf("%d.", i)
	}
	e.wantDump(e, "a=12xy b=2x c=3x d=x m="+m+" n=x")

	// After Lock, the merge is over the value that Lock returned.
	x = e.begin()
	e.apply("put a 5")
	v, err := x.Lock(ctx, kv.LockExclusive, kv.LockWait{}, []byte("a"), []byte("nothing"))
	e.check(err)
	if string(v[0]) != "5" || v[1] != nil {
		t.Fatalf("Lock returned %q", v)
	}
	e.wantGet(x, "a", "12xy")
	e.txnApply(x, "merge a !")
	if _, err := x.Get(nil, []byte("a")); err == nil {
		t.Fatal("a damaged operand was folded")
	}
	x.Rollback()
}

func testTxnIterator(t *testing.T, e *env) {
	e.apply("put b 1", "put d 1", "put f 1", "put h 1")
	x := e.begin()
	e.txnApply(x, "put a 2", "put d 2", "del f", "put g 2", "merge h 2", "put i 2")
	it, err := x.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: []byte("b"), End: []byte("i")}})
	e.check(err)
	e.txnApply(x, "put c 3", "del g") // not seen by it
	step := func(what string, ok bool, want string) {
		t.Helper()
		if got := e.at(it); got != want || ok != (want != "-") {
			t.Fatalf("%s: at %s, ok %v, want %s", what, got, ok, want)
		}
	}
	step("First", it.First(), "b=1")
	step("Prev", it.Prev(), "-")
	step("Next", it.Next(), "b=1")
	step("Next", it.Next(), "d=2")
	step("Next", it.Next(), "g=2")
	step("Prev", it.Prev(), "d=2")
	step("Next", it.Next(), "g=2")
	step("Next", it.Next(), "h=12")
	step("Next", it.Next(), "-")
	step("Prev", it.Prev(), "h=12")
	step("Prev", it.Prev(), "g=2")
	step("Prev", it.Prev(), "d=2")
	step("Last", it.Last(), "h=12")
	step("SeekGE", it.SeekGE([]byte("e")), "g=2")
	step("SeekGE", it.SeekGE([]byte("a")), "b=1")
	step("NextPrefix", it.NextPrefix(), "d=2")
	step("SeekLT", it.SeekLT([]byte("g")), "d=2")
	step("NextPrefix", it.NextPrefix(), "g=2")
	step("SeekLT", it.SeekLT([]byte("z")), "h=12")
	step("SeekGE", it.SeekGE([]byte("hh")), "-")
	e.check(it.Close())
	e.wantDump(x, "a=2 b=1 c=3 d=2 h=12 i=2")

	// Rows: the own keys of a row and the stored ones are one row.
	row := func(i int) []byte { return keys.AppendRow(nil, 1, []byte{byte('a' + i)}) }
	e.check(x.Put(keys.AppendPacked(row(0), 1), []byte("own")))
	x.Rollback()
	b := e.NewBatch()
	b.Put(keys.AppendPacked(row(0), 2), []byte("a2"))
	b.Put(keys.AppendPacked(row(1), 1), []byte("b1"))
	_, err = e.Apply(b, kv.DurabilityAsync, nil)
	e.check(err)
	x = e.begin()
	e.check(x.Put(keys.AppendPacked(row(0), 1), []byte("a1")))
	e.check(x.Put(keys.AppendPacked(row(0), 3), []byte("a3")))
	e.check(x.Put(keys.AppendPacked(row(2), 1), []byte("c1")))
	values := func(o kv.IterOptions, next func(kv.Iterator) bool) (s string) {
		it, err := x.NewIter(o)
		e.check(err)
		for ok := it.SeekGE(o.Start); ok; ok = next(it) {
			v, err := it.Value()
			e.check(err)
			s += string(v) + " "
		}
		e.check(it.Close())
		return s
	}
	wide := kv.KeyRange{Start: keys.AppendData(nil, 1), End: keys.AppendDataEnd(nil, 1)}
	if got := values(kv.IterOptions{KeyRange: wide}, kv.Iterator.Next); got != "a1 a2 a3 b1 c1 " {
		t.Fatalf("Next: %s", got)
	}
	if got := values(kv.IterOptions{KeyRange: wide}, kv.Iterator.NextPrefix); got != "a1 b1 c1 " {
		t.Fatalf("NextPrefix: %s", got)
	}
	o := kv.IterOptions{KeyRange: kv.KeyRange{Start: row(0), End: keys.AppendRowEnd(nil, 1, []byte("a"))}, Prefix: true}
	if got := values(o, kv.Iterator.Next); got != "a1 a2 a3 " {
		t.Fatalf("Prefix: %s", got)
	}
	x.Rollback()
}

func testTxnSavepoint(t *testing.T, e *env) {
	e.apply("put a 1", "put b 1")
	x := e.begin()
	e.txnApply(x, "put a 2", "merge c 2")
	s1 := x.Savepoint()
	e.txnApply(x, "put a 3", "del b", "merge c 3", "put d 3")
	s2 := x.Savepoint()
	e.txnApply(x, "put d 4", "put b 4", "del a")
	e.wantDump(x, "b=4 c=23 d=4")
	e.check(x.RollbackTo(s2))
	e.wantDump(x, "a=3 c=23 d=3")
	e.txnApply(x, "put e 5")
	e.check(x.RollbackTo(s2))
	e.wantDump(x, "a=3 c=23 d=3")
	e.check(x.RollbackTo(s1))
	e.wantDump(x, "a=2 b=1 c=2")
	if err := x.RollbackTo(s2 + 100); err == nil {
		t.Fatal("unknown savepoint accepted")
	}
	// Locks stay.
	if _, ok := e.TryLatch([]byte("d")); ok {
		t.Fatal("rollback to a savepoint gave a lock up")
	}
	e.check(x.Commit(ctx))
	e.wantDump(e, "a=2 b=1 c=2")
}

func testTxnLocks(t *testing.T, e *env) {
	a, b := e.begin(), e.begin()
	nowait := kv.LockWait{NoWait: true}
	lock := func(x kv.Txn, mode kv.LockMode, w kv.LockWait, names ...string) error {
		var ns [][]byte
		for _, n := range names {
			ns = append(ns, []byte(n))
		}
		_, err := x.Lock(ctx, mode, w, ns...)
		return err
	}
	e.check(lock(a, kv.LockShared, nowait, "x", "y"))
	e.check(lock(b, kv.LockShared, nowait, "x"))
	e.check(lock(a, kv.LockExclusive, nowait, "y")) // upgrade, alone
	e.check(lock(a, kv.LockExclusive, nowait, "y"))
	e.wantErr(lock(b, kv.LockShared, nowait, "y"), kv.ErrLocked)
	e.check(lock(b, kv.LockShared, nowait, "z")) // the refusal left b as it was
	b.Rollback()

	b = e.begin()
	start := time.Now()
	e.wantErr(lock(b, kv.LockShared, kv.LockWait{Timeout: 20 * time.Millisecond}, "y"), kv.ErrLockTimeout)
	if d := time.Since(start); d < 15*time.Millisecond {
		t.Fatalf("gave up after %v", d)
	}
	e.txnApply(b, "put v 1") // and so did the timeout
	if _, ok := e.TryLatch([]byte("v")); ok {
		t.Fatal("no lock was taken after a timeout")
	}
	b.Rollback()

	b = e.begin()
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	_, err := b.Lock(short, kv.LockExclusive, kv.LockWait{}, []byte("x"))
	cancel()
	e.wantErr(err, kv.ErrLockTimeout)
	b.Rollback()

	// A write takes its row's lock by itself.
	e.txnApply(a, "put w 1")
	if _, ok := e.TryLatch([]byte("w")); ok {
		t.Fatal("a written row is not locked")
	}
	got := make(chan error)
	go func() {
		b, err := e.Begin(ctx, kv.TxnOptions{})
		if err == nil {
			err = b.Put([]byte("w"), []byte("2"))
		}
		if err == nil {
			err = b.Commit(ctx)
		}
		got <- err
	}()
	e.waiting(1)
	e.check(a.Commit(ctx))
	e.check(<-got)
	e.wantGet(e, "w", "2")

	ro, err := e.Begin(ctx, kv.TxnOptions{ReadOnly: true})
	e.check(err)
	e.wantErr(ro.Put([]byte("a"), nil), kv.ErrUnsupported)
	ro.Rollback()
}

// Newest shows what others committed since the transaction began, under its own
// writes; its plain reads do not.
func testTxnNewest(t *testing.T, e *env) {
	e.apply("put a 1", "put b 1", "put c 1")
	x := e.begin()
	e.txnApply(x, "put a 2", "del b")
	y := e.begin()
	e.txnApply(y, "put c 3", "put d 3")
	e.check(y.Commit(ctx))
	get := func(r kv.Reader, key string) string {
		v, err := r.Get(nil, []byte(key))
		if err != nil {
			return "-"
		}
		return string(v)
	}
	for _, c := range []struct{ key, snapshot, newest string }{
		{"a", "2", "2"}, {"b", "-", "-"}, {"c", "1", "3"}, {"d", "-", "3"},
	} {
		if s, n := get(x, c.key), get(x.Newest(), c.key); s != c.snapshot || n != c.newest {
			t.Errorf("%s: snapshot %s, newest %s, want %s, %s", c.key, s, n, c.snapshot, c.newest)
		}
	}
	it, err := x.Newest().NewIter(kv.IterOptions{})
	e.check(err)
	var got string
	for ok := it.First(); ok; ok = it.Next() {
		v, err := it.Value()
		e.check(err)
		got += string(it.Key()) + "=" + string(v) + " "
	}
	e.check(it.Close())
	if got != "a=2 c=3 d=3 " {
		t.Errorf("newest: %s", got)
	}
	x.Rollback()
	if _, err := x.Newest().Get(nil, []byte("a")); !errors.Is(err, kv.ErrTxnOver) {
		t.Errorf("after the end: %v", err)
	}
}

func testTxnDeadlock(t *testing.T, e *env) {
	a, b := e.begin(), e.begin()
	e.txnApply(a, "put a 1")
	e.txnApply(b, "put b 2")
	got := make(chan error)
	go func() {
		_, err := a.Lock(ctx, kv.LockShared, kv.LockWait{}, []byte("b"))
		got <- err
	}()
	e.waiting(1)
	e.wantErr(b.Merge([]byte("a"), []byte("2")), kv.ErrDeadlock)
	e.wantErr(b.Commit(ctx), kv.ErrTxnOver)
	b.Rollback()
	e.check(<-got)
	e.check(a.Commit(ctx))
	e.wantDump(e, "a=1")
	if n := e.Stats().Deadlocks; n != 1 {
		t.Fatalf("%d deadlocks counted", n)
	}
}

func testTxnRangeLock(t *testing.T, e *env) {
	nowait := kv.LockWait{NoWait: true}
	a, b := e.begin(), e.begin()
	r := kv.KeyRange{Start: []byte("b"), End: []byte("d")}
	err := a.LockRange(ctx, kv.LockShared, nowait, r)
	if errors.Is(err, kv.ErrUnsupported) {
		a.Rollback()
		b.Rollback()
		t.Skip("no range locks")
	}
	e.check(err)
	e.check(b.LockRange(ctx, kv.LockShared, nowait, r))
	_, err = b.Lock(ctx, kv.LockShared, nowait, []byte("c"))
	e.check(err)
	b.Rollback()
	if _, ok := e.TryLatch([]byte("c")); ok {
		t.Fatal("latch in a locked range")
	}
	l, ok := e.TryLatch([]byte("a"), []byte("d"))
	if !ok {
		t.Fatal("latch around a locked range refused")
	}
	l.Unlock()
	// A phantom must wait.
	got := make(chan error)
	go func() {
		x, err := e.Begin(ctx, kv.TxnOptions{})
		if err == nil {
			err = x.Put([]byte("cc"), []byte("phantom"))
		}
		if err == nil {
			err = x.Commit(ctx)
		}
		got <- err
	}()
	e.waiting(1)
	e.check(a.Refresh())
	e.wantDump(a, "")
	e.txnApply(a, "put bb own")
	e.check(a.Commit(ctx))
	e.check(<-got)
	e.wantDump(e, "bb=own cc=phantom")
}

// A blind, latched merge against a locked row: it waits, so the transaction's
// read-modify-write loses nothing.
func testTxnLatch(t *testing.T, e *env) {
	e.apply("put r 1")
	x := e.begin()
	v, err := x.Lock(ctx, kv.LockExclusive, kv.LockWait{}, []byte("r"))
	e.check(err)
	got := make(chan error)
	go func() {
		l, err := e.Latch(ctx, []byte("other"), []byte("r"))
		if err != nil {
			got <- err
			return
		}
		b := e.NewBatch()
		b.Merge([]byte("r"), []byte("blind"))
		_, err = e.Apply(b, kv.DurabilitySync, l)
		l.Unlock()
		got <- err
	}()
	e.waiting(1)
	e.check(x.Put([]byte("r"), append(v[0], "txn"...)))
	e.check(x.Commit(ctx))
	e.check(<-got)
	e.wantGet(e, "r", "1txnblind")

	// And the reverse.
	l, err := e.Latch(ctx, []byte("r"))
	e.check(err)
	x = e.begin()
	go func() {
		v, err := x.Lock(ctx, kv.LockExclusive, kv.LockWait{}, []byte("r"))
		if err == nil {
			err = x.Put([]byte("r"), append(v[0], "2"...))
		}
		if err == nil {
			err = x.Commit(ctx)
		}
		got <- err
	}()
	e.waiting(1)
	b := e.NewBatch()
	b.Merge([]byte("r"), []byte("1"))
	_, err = e.Apply(b, kv.DurabilitySync, l)
	e.check(err)
	l.Unlock()
	e.check(<-got)
	e.wantGet(e, "r", "1txnblind12")
	if m := e.ReadMark([]byte("r")); m != 0 && m > e.Applied() {
		t.Fatalf("ReadMark %d, Applied %d", m, e.Applied())
	}
}

// Increments by transactions and by latched operations add up; deadlocks are
// retried.
func testTxnNoLostUpdate(t *testing.T, e *env) {
	const workers, rounds = 6, 60
	names := []string{"n0", "n1", "n2"}
	inc := func(v []byte) []byte {
		n, _ := strconv.Atoi(string(v))
		return strconv.AppendInt(nil, int64(n+1), 10)
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range rounds {
				n1, n2 := []byte(names[(w+i)%3]), []byte(names[(w*i+1)%3])
				if w%3 == 0 {
					l, err := e.Latch(ctx, n1)
					if err != nil {
						t.Error(err)
						return
					}
					v, _ := e.Get(nil, n1)
					b := e.NewBatch()
					b.Put(n1, inc(v))
					if _, err := e.Apply(b, kv.DurabilitySync, l); err != nil {
						t.Error(err)
					}
					l.Unlock()
					continue
				}
				for {
					x, err := e.Begin(ctx, kv.TxnOptions{Durability: kv.DurabilityAsync})
					if err != nil {
						t.Error(err)
						return
					}
					for _, n := range [][]byte{n1, n2} {
						mode := kv.LockExclusive
						if i%4 == 0 { // upgraded by the write: may deadlock
							mode = kv.LockShared
						}
						var v [][]byte
						if v, err = x.Lock(ctx, mode, kv.LockWait{}, n); err != nil {
							break
						}
						old := v[0]
						if string(n1) == string(n2) {
							if own, err := x.Get(nil, n); err == nil && string(own) > "" {
								if nOwn, _ := strconv.Atoi(string(own)); nOwn > atoi(old) {
									old = own
								}
							}
						}
						if err = x.Put(n, inc(old)); err != nil {
							break
						}
					}
					if err == nil {
						err = x.Commit(ctx)
					}
					x.Rollback()
					if err == nil {
						break
					}
					if !errors.Is(err, kv.ErrDeadlock) {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, n := range names {
		sum += atoi([]byte(e.get(e, n)))
	}
	want := 0
	for w := range workers {
		for range rounds {
			if want++; w%3 != 0 {
				want++
			}
		}
	}
	if sum != want {
		t.Fatalf("counted %d, want %d", sum, want)
	}
}

func atoi(b []byte) int {
	n, _ := strconv.Atoi(string(b))
	return n
}

func testTxnOver(t *testing.T, e *env) {
	x := e.begin()
	e.txnApply(x, "put a 1")
	e.check(x.Commit(ctx))
	x.Rollback() // nothing
	e.wantErr(x.Commit(ctx), kv.ErrTxnOver)
	e.wantErr(x.Put([]byte("a"), nil), kv.ErrTxnOver)
	_, err := x.Get(nil, []byte("a"))
	e.wantErr(err, kv.ErrTxnOver)
	_, err = x.NewIter(kv.IterOptions{})
	e.wantErr(err, kv.ErrTxnOver)
	e.wantErr(x.RollbackTo(0), kv.ErrTxnOver)
	e.wantDump(e, "a=1")
	gone, cancel := context.WithCancel(ctx)
	x = e.begin()
	e.txnApply(x, "put a 2")
	cancel()
	e.wantErr(x.Commit(gone), context.Canceled)
	x.Rollback()
	e.wantDump(e, "a=1")
}

func testTxnRefresh(t *testing.T, e *env) {
	e.apply("put a 1")
	x := e.begin()
	e.txnApply(x, "put b own")
	e.apply("put a 2", "put c 2")
	e.wantDump(x, "a=1 b=own")
	e.check(x.Refresh())
	e.wantDump(x, "a=2 b=own c=2")
	x.Rollback()
}
