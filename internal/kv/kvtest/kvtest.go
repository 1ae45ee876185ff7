package kvtest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/kv"
)

// Merger concatenates: enough to see that every operand counts once and in
// order. Operands that contain "!" cannot be folded.
type Merger struct{}

// Name implements kv.Merger.
func (Merger) Name() string { return "kvtest.concatenate" }

// Fold implements kv.Merger.
func (Merger) Fold(dst []byte, values [][]byte) ([]byte, error) {
	for _, v := range values {
		if strings.Contains(string(v), "!") {
			return dst, errors.New("kvtest: damaged operand")
		}
		dst = append(dst, v...)
	}
	return dst, nil
}

// Harness makes engines.
type Harness struct {
	// Open returns a new, empty engine with Merger. The suite closes it.
	Open func(t *testing.T) kv.Engine
	// Reopen, if not nil, closes an engine and opens its data again.
	Reopen func(t *testing.T, e kv.Engine) kv.Engine
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	for _, c := range []struct {
		name string
		f    func(*testing.T, *env)
	}{
		{"Get", testGet},
		{"Order", testOrder},
		{"Bounds", testBounds},
		{"NextPrefix", testNextPrefix},
		{"PrefixIterator", testPrefixIterator},
		{"BatchAtomic", testBatchAtomic},
		{"BatchReuse", testBatchReuse},
		{"Merge", testMerge},
		{"Snapshot", testSnapshot},
		{"DeleteRange", testDeleteRange},
		{"Marks", testMarks},
		{"LatchedCounters", testLatchedCounters},
		{"ReadMarkCoversReads", testReadMarkCoversReads},
		{"TxnReadsOwnWrites", testTxnReadsOwnWrites},
		{"TxnMerge", testTxnMerge},
		{"TxnIterator", testTxnIterator},
		{"TxnSavepoint", testTxnSavepoint},
		{"TxnLocks", testTxnLocks},
		{"TxnNewest", testTxnNewest},
		{"TxnDeadlock", testTxnDeadlock},
		{"TxnRangeLock", testTxnRangeLock},
		{"TxnLatch", testTxnLatch},
		{"TxnNoLostUpdate", testTxnNoLostUpdate},
		{"TxnOver", testTxnOver},
		{"TxnRefresh", testTxnRefresh},
		{"Random", testRandom},
		{"Closed", testClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &env{t: t, h: h, Engine: h.Open(t)}
			c.f(t, e)
			if e.Engine != nil {
				if s := e.Stats(); s.LocksHeld != 0 || s.LocksWaiting != 0 || s.OpenSnapshots != 0 {
					t.Errorf("left behind: %d locks held, %d waiting, %d snapshots", s.LocksHeld, s.LocksWaiting, s.OpenSnapshots)
				}
				if err := e.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			}
		})
	}
}

var ctx = context.Background()

// env is an engine with shorthands that end the test on an error.
type env struct {
	kv.Engine
	t *testing.T
	h Harness
}

func (e *env) reopen() {
	if e.h.Reopen != nil {
		e.Engine = e.h.Reopen(e.t, e.Engine)
	}
}

func (e *env) check(err error) {
	e.t.Helper()
	if err != nil {
		e.t.Fatal(err)
	}
}

func (e *env) wantErr(err, want error) {
	e.t.Helper()
	if !errors.Is(err, want) {
		e.t.Fatalf("error %v, want %v", err, want)
	}
}

// apply runs "put k v", "del k" and "merge k v" as one synced batch.
func (e *env) apply(ops ...string) {
	e.t.Helper()
	b := e.NewBatch()
	addOps(b, ops)
	m, err := e.Engine.Apply(b, kv.DurabilitySync, nil)
	e.check(err)
	e.check(e.WaitSynced(ctx, m))
}

func addOps(b kv.Batch, ops []string) {
	for _, op := range ops {
		f := strings.Fields(op)
		switch f[0] {
		case "put":
			b.Put([]byte(f[1]), []byte(f[2]))
		case "del":
			b.Delete([]byte(f[1]))
		case "merge":
			b.Merge([]byte(f[1]), []byte(f[2]))
		default:
			panic(op)
		}
	}
}

func (e *env) txnApply(x kv.Txn, ops ...string) {
	e.t.Helper()
	for _, op := range ops {
		f := strings.Fields(op)
		switch f[0] {
		case "put":
			e.check(x.Put([]byte(f[1]), []byte(f[2])))
		case "del":
			e.check(x.Delete([]byte(f[1])))
		case "merge":
			e.check(x.Merge([]byte(f[1]), []byte(f[2])))
		default:
			panic(op)
		}
	}
}

func (e *env) begin() kv.Txn {
	e.t.Helper()
	x, err := e.Begin(ctx, kv.TxnOptions{})
	e.check(err)
	return x
}

// get is the value of a key, or "-".
func (e *env) get(r kv.Reader, key string) string {
	e.t.Helper()
	v, err := r.Get(nil, []byte(key))
	if errors.Is(err, kv.ErrNotFound) {
		return "-"
	}
	e.check(err)
	return string(v)
}

func (e *env) wantGet(r kv.Reader, key, want string) {
	e.t.Helper()
	if got := e.get(r, key); got != want {
		e.t.Fatalf("%q is %q, want %q", key, got, want)
	}
}

// dump is all of a range, as "k=v k=v".
func (e *env) dump(r kv.Reader, start, end string) string {
	e.t.Helper()
	o := kv.IterOptions{KeyRange: kv.KeyRange{Start: []byte(start)}}
	if end != "" {
		o.End = []byte(end)
	}
	it, err := r.NewIter(o)
	e.check(err)
	var s []string
	for ok := it.First(); ok; ok = it.Next() {
		s = append(s, e.at(it))
	}
	e.check(it.Error())
	e.check(it.Close())
	return strings.Join(s, " ")
}

// at is where an iterator is, as "k=v", or "-".
func (e *env) at(it kv.Iterator) string {
	e.t.Helper()
	if !it.Valid() {
		return "-"
	}
	v, err := it.Value()
	e.check(err)
	return fmt.Sprintf("%s=%s", it.Key(), v)
}

func (e *env) wantDump(r kv.Reader, want string) {
	e.t.Helper()
	if got := e.dump(r, "", ""); got != want {
		e.t.Fatalf("holds\n  %s, want\n  %s", got, want)
	}
}

// waiting waits until n requests for locks are waiting.
func (e *env) waiting(n int64) {
	e.t.Helper()
	for range 5000 {
		if e.Stats().LocksWaiting == n {
			return
		}
		time.Sleep(time.Millisecond)
	}
	e.t.Fatalf("%d wait for locks, want %d", e.Stats().LocksWaiting, n)
}
