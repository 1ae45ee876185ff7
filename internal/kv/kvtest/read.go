package kvtest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

func testGet(t *testing.T, e *env) {
	e.apply("put a 1", "put b 2", "del b", "put c 3")
	e.wantGet(e, "a", "1")
	e.wantGet(e, "b", "-")
	got, err := e.Get([]byte("x"), []byte("c"))
	e.check(err)
	if string(got) != "x3" {
		t.Fatalf("Get did not append: %q", got)
	}
	b := e.NewBatch()
	b.Put([]byte("empty"), nil)
	_, err = e.Apply(b, kv.DurabilityAsync, nil)
	e.check(err)
	e.wantGet(e, "empty", "")
	e.reopen()
	e.wantDump(e, "a=1 c=3 empty=")
}

// Order is byte order, whatever the engine thinks of rows.
func testOrder(t *testing.T, e *env) {
	in := []string{"", "\x00", "a", "a\x00", "a\x00\x00", "a\x00\x01", "a\x01", "ab", "b", "\x10\x01", "\x10\x01a\x00\x01", "\x10\x01a\x00\x01\x00", "\x10\x01a\x00\x02", "\x10\x01a\x00\xff\x00\x01", "\x10\x01aa\x00\x01\x05", "\xff", "\xff\xff"}
	b := e.NewBatch()
	for i := range in {
		// Any order but the sorted one.
		k := in[(i*7)%len(in)]
		if k != "" {
			b.Put([]byte(k), []byte(k))
		}
	}
	_, err := e.Apply(b, kv.DurabilitySync, nil)
	e.check(err)
	for range 2 {
		it, err := e.NewIter(kv.IterOptions{})
		e.check(err)
		var forward, backward [][]byte
		for ok := it.First(); ok; ok = it.Next() {
			if v, err := it.Value(); err != nil || !bytes.Equal(v, it.Key()) {
				t.Fatalf("%q has value %q, %v", it.Key(), v, err)
			}
			forward = append(forward, bytes.Clone(it.Key()))
		}
		for ok := it.Last(); ok; ok = it.Prev() {
			backward = append(backward, bytes.Clone(it.Key()))
		}
		if len(forward) != len(in)-1 || len(backward) != len(forward) {
			t.Fatalf("%d keys forward, %d backward", len(forward), len(backward))
		}
		for i := range forward {
			if i > 0 && bytes.Compare(forward[i-1], forward[i]) >= 0 {
				t.Fatalf("%q before %q", forward[i-1], forward[i])
			}
			if !bytes.Equal(forward[i], backward[len(forward)-1-i]) {
				t.Fatalf("position %d: %q forward, %q backward", i, forward[i], backward[len(forward)-1-i])
			}
		}
		e.check(it.Close())
		e.check(e.Flush(ctx))
		e.check(e.Compact(ctx, kv.KeyRange{}))
	}
}

func testBounds(t *testing.T, e *env) {
	e.apply("put a 1", "put b 2", "put c 3", "put d 4", "put e 5")
	it, err := e.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: []byte("b"), End: []byte("d")}})
	e.check(err)
	defer func() { e.check(it.Close()) }()
	step := func(what string, ok bool, want string) {
		t.Helper()
		if got := e.at(it); got != want || ok != (want != "-") || it.Valid() != ok {
			t.Fatalf("%s: at %s, ok %v, want %s", what, got, ok, want)
		}
	}
	step("First", it.First(), "b=2")
	step("Prev", it.Prev(), "-")
	step("Next", it.Next(), "b=2")
	step("Next", it.Next(), "c=3")
	step("Next", it.Next(), "-")
	step("Prev", it.Prev(), "c=3")
	step("Prev", it.Prev(), "b=2")
	step("Next", it.Next(), "c=3")
	step("Last", it.Last(), "c=3")
	step("SeekGE below", it.SeekGE([]byte("a")), "b=2")
	step("SeekGE inside", it.SeekGE([]byte("bb")), "c=3")
	step("SeekGE behind", it.SeekGE([]byte("cc")), "-")
	step("SeekLT above", it.SeekLT([]byte("z")), "c=3")
	step("SeekLT inside", it.SeekLT([]byte("c")), "b=2")
	step("SeekLT start", it.SeekLT([]byte("b")), "-")
	if got := e.dump(e, "c", ""); got != "c=3 d=4 e=5" {
		t.Fatalf("open end: %s", got)
	}
	if got := e.dump(e, "b", "b"); got != "" {
		t.Fatalf("empty range: %s", got)
	}
}

// rows makes wide rows with several keys each, one of them with rewritten keys.
func rows(e *env, n int) {
	b := e.NewBatch()
	for i := range n {
		row := keys.AppendRow(nil, 7, fmt.Appendf(nil, "r%03d\x00x", i))
		for f := range uint32(3) {
			k := keys.AppendPacked(bytes.Clone(row), f+1)
			b.Put(k, fmt.Appendf(nil, "%d.%d", i, f))
			b.Merge(k, []byte("+"))
		}
	}
	_, err := e.Apply(b, kv.DurabilitySync, nil)
	e.check(err)
}

func testNextPrefix(t *testing.T, e *env) {
	const n = 50
	rows(e, n)
	e.apply("put ya 1", "put yab 2")
	for round := range 3 {
		it, err := e.NewIter(kv.IterOptions{})
		e.check(err)
		i := 0
		for ok := it.First(); ok; ok = it.NextPrefix() {
			switch {
			case i < n:
				if got, want := e.at(it), fmt.Sprintf("=%d.0+", i); got[len(got)-len(want):] != want {
					t.Fatalf("round %d, row %d: %q", round, i, got)
				}
			case i == n && e.at(it) != "ya=1", i == n+1 && e.at(it) != "yab=2", i > n+1:
				t.Fatalf("round %d: %q", round, e.at(it))
			}
			if i%3 == 1 && i < n {
				it.Next() // leave from the middle of a row
			}
			i++
		}
		if i != n+2 {
			t.Fatalf("round %d: %d prefixes", round, i)
		}
		e.check(it.Close())
		if round == 0 {
			e.check(e.Flush(ctx))
		} else {
			e.reopen()
		}
	}
}

func testPrefixIterator(t *testing.T, e *env) {
	const n = 50
	rows(e, n)
	for round := range 2 {
		for i := range n + 1 { // the last row does not exist
			row := keys.AppendRow(nil, 7, fmt.Appendf(nil, "r%03d\x00x", i))
			end := keys.AppendRowEnd(nil, 7, fmt.Appendf(nil, "r%03d\x00x", i))
			it, err := e.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: row, End: end}, Prefix: true})
			e.check(err)
			count := 0
			for ok := it.SeekGE(row); ok; ok = it.Next() {
				if v, err := it.Value(); err != nil || string(v) != fmt.Sprintf("%d.%d+", i, count) {
					t.Fatalf("row %d: %q %v", i, v, err)
				}
				count++
			}
			e.check(it.Error())
			if want := 3; i < n && count != want || i == n && count != 0 {
				t.Fatalf("round %d, row %d: %d keys", round, i, count)
			}
			if i < n && (!it.SeekGE(keys.AppendPacked(bytes.Clone(row), 2)) || !it.Next() || it.Next()) {
				t.Fatalf("row %d: seek to the second key", i)
			}
			e.check(it.Close())
		}
		e.check(e.Flush(ctx))
	}
}

func testMerge(t *testing.T, e *env) {
	e.apply("merge a 1", "put b x", "merge b 1", "merge b 2")
	e.wantDump(e, "a=1 b=x12")
	e.apply("merge a 2", "del b", "merge b 3", "put c y")
	e.check(e.Flush(ctx))
	e.apply("merge a 3", "merge b 4", "merge c z")
	e.wantDump(e, "a=123 b=34 c=yz")
	it, err := e.NewIter(kv.IterOptions{})
	e.check(err)
	for _, want := range []string{"c=yz", "b=34", "a=123"} {
		if !it.Valid() {
			it.Last()
		}
		if got := e.at(it); got != want {
			t.Fatalf("backward: %s, want %s", got, want)
		}
		it.Prev()
	}
	e.check(it.Close())
	e.check(e.Compact(ctx, kv.KeyRange{}))
	e.wantDump(e, "a=123 b=34 c=yz")
	for i := range 300 {
		e.apply(fmt.Sprintf("merge long %d.", i))
		if i%100 == 50 {
			e.check(e.Flush(ctx))
		}
	}
	want := ""
	for i := range 300 {
		want += fmt.Sprintf("%d.", i)
	}
	e.wantGet(e, "long", want)
	e.reopen()
	e.wantGet(e, "long", want)
	e.apply("put long 0", "merge long 1")
	e.wantGet(e, "long", "01")
}

func testSnapshot(t *testing.T, e *env) {
	e.apply("put a 1", "put b 1", "merge c 1")
	s := e.Snapshot()
	it, err := s.NewIter(kv.IterOptions{})
	e.check(err)
	live, err := e.NewIter(kv.IterOptions{})
	e.check(err)
	e.apply("put a 2", "del b", "merge c 2", "put d 2")
	e.check(e.Flush(ctx))
	e.check(e.Compact(ctx, kv.KeyRange{}))
	e.wantDump(e, "a=2 c=12 d=2")
	e.wantDump(s, "a=1 b=1 c=1")
	e.wantGet(s, "b", "1")
	e.wantGet(s, "d", "-")
	for _, it := range []kv.Iterator{it, live} {
		if it.SeekGE([]byte("b")); e.at(it) != "b=1" {
			t.Fatalf("iterator moved with time: %s", e.at(it))
		}
		e.check(it.Close())
	}
	if n := e.Stats().OpenSnapshots; n != 1 {
		t.Fatalf("%d snapshots", n)
	}
	e.check(s.Close())
}

func testDeleteRange(t *testing.T, e *env) {
	e.apply("put a 1", "put b 1", "merge b 2", "put c 1", "put d 1")
	s := e.Snapshot()
	e.check(e.DeleteRange(ctx, kv.KeyRange{Start: []byte("b"), End: []byte("d")}))
	e.wantDump(e, "a=1 d=1")
	e.wantDump(s, "a=1 b=12 c=1 d=1")
	e.check(s.Close())
	e.apply("merge b 3")
	e.check(e.Compact(ctx, kv.KeyRange{}))
	e.wantDump(e, "a=1 b=3 d=1")
	e.check(e.DeleteRange(ctx, kv.KeyRange{Start: []byte("b")}))
	e.check(e.DeleteRange(ctx, kv.KeyRange{Start: []byte("x")}))
	e.reopen()
	e.wantDump(e, "a=1")
	if n := e.SizeBytes(kv.KeyRange{Start: []byte("b")}); n > 1<<20 {
		t.Fatalf("an empty range has %d bytes", n)
	}
}
