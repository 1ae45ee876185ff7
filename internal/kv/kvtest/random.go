package kvtest

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

// model is what an engine should hold.
type model map[string]string

func (m model) put(k, v string)   { m[k] = v }
func (m model) del(k string)      { delete(m, k) }
func (m model) merge(k, v string) { m[k] += v }

// randomKey is one of few keys: rows with the bytes 00, 01 and FF, with several
// keys each, and plain keys.
func randomKey(rnd *rand.Rand) []byte {
	if rnd.IntN(8) == 0 {
		return fmt.Appendf(nil, "p%d", rnd.IntN(20))
	}
	alphabet := []byte{0, 1, 0xff, 'a'}
	row := make([]byte, rnd.IntN(3))
	for i := range row {
		row[i] = alphabet[rnd.IntN(len(alphabet))]
	}
	k := keys.AppendRow(nil, uint64(1+rnd.IntN(2)), row)
	if rnd.IntN(3) == 0 {
		return keys.AppendCell(k, uint32(1+rnd.IntN(2)), []byte("q"), int64(rnd.IntN(3)), 4)
	}
	return keys.AppendPacked(k, uint32(1+rnd.IntN(2)))
}

// compare walks an iterator at random and compares it with the model.
func (e *env) compare(rnd *rand.Rand, r kv.Reader, m model) {
	e.t.Helper()
	var o kv.IterOptions
	switch rnd.IntN(3) {
	case 0:
		o.Start, o.End = randomKey(rnd), randomKey(rnd)
		if bytes.Compare(o.Start, o.End) > 0 {
			o.Start, o.End = o.End, o.Start
		}
	case 1:
		o.Start = randomKey(rnd)
	}
	var in []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if k >= string(o.Start) && (o.End == nil || k < string(o.End)) {
			in = append(in, k)
		}
	}
	it, err := r.NewIter(o)
	e.check(err)
	defer func() { e.check(it.Close()) }()
	var trace []string
	pos := -2 // index in in; -1 before, len behind, -2 nowhere
	for range 25 {
		var ok bool
		k := randomKey(rnd)
		at, _ := slices.BinarySearch(in, string(k))
		op := rnd.IntN(8)
		if pos == -2 {
			op = rnd.IntN(4)
		}
		switch op {
		case 0:
			trace, ok, pos = append(trace, "First"), it.First(), 0
		case 1:
			trace, ok, pos = append(trace, "Last"), it.Last(), len(in)-1
		case 2:
			trace, ok, pos = append(trace, fmt.Sprintf("SeekGE %x", k)), it.SeekGE(k), at
		case 3:
			trace, ok, pos = append(trace, fmt.Sprintf("SeekLT %x", k)), it.SeekLT(k), at-1
		case 4, 5:
			trace, ok, pos = append(trace, "Next"), it.Next(), min(pos+1, len(in))
		case 6:
			trace, ok, pos = append(trace, "Prev"), it.Prev(), max(pos-1, -1)
		case 7:
			if pos < 0 || pos >= len(in) {
				continue
			}
			row := in[pos][:keys.Split([]byte(in[pos]))]
			trace, ok = append(trace, "NextPrefix"), it.NextPrefix()
			for pos < len(in) && in[pos][:keys.Split([]byte(in[pos]))] == row {
				pos++
			}
		}
		e.check(it.Error())
		if want := pos >= 0 && pos < len(in); ok != want || it.Valid() != want {
			e.t.Fatalf("[%x, %x): %s: ok %v, want %v", o.Start, o.End, strings.Join(trace, ", "), ok, want)
		}
		if !ok {
			continue
		}
		v, err := it.Value()
		e.check(err)
		if string(it.Key()) != in[pos] || string(v) != m[in[pos]] {
			e.t.Fatalf("[%x, %x): %s: at %x=%q, want %x=%q", o.Start, o.End, strings.Join(trace, ", "), it.Key(), v, in[pos], m[in[pos]])
		}
	}
	for range 10 {
		k := randomKey(rnd)
		want, ok := m[string(k)]
		if !ok {
			want = "-"
		}
		if got := e.get(r, string(k)); got != want {
			e.t.Fatalf("Get %x: %q, want %q", k, got, want)
		}
	}
	// A row by its prefix.
	k := randomKey(rnd)
	row := k[:keys.Split(k)]
	p, err := r.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{Start: row}, Prefix: true})
	e.check(err)
	var got []string
	for ok := p.SeekGE(row); ok; ok = p.Next() {
		got = append(got, string(p.Key()))
	}
	e.check(p.Close())
	var want []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if k[:keys.Split([]byte(k))] == string(row) {
			want = append(want, k)
		}
	}
	if !slices.Equal(got, want) {
		e.t.Fatalf("row %x: %q, want %q", row, got, want)
	}
}

// testRandom runs random operations on an engine and on a plain map, with held
// snapshots, transactions, flushes, compactions and reopening.
func testRandom(t *testing.T, e *env) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	m := model{}
	type held struct {
		s kv.Snapshot
		m model
	}
	var snapshots []held
	drop := func() {
		for _, h := range snapshots {
			e.check(h.s.Close())
		}
		snapshots = nil
	}
	n := 0
	value := func() string { n++; return fmt.Sprintf("%d.", n) }
	for range 1500 {
		switch rnd.IntN(12) {
		case 0, 1, 2, 3:
			b := e.NewBatch()
			for range 1 + rnd.IntN(5) {
				k := randomKey(rnd)
				switch v := value(); rnd.IntN(4) {
				case 0:
					b.Put(k, []byte(v))
					m.put(string(k), v)
				case 1:
					b.Delete(k)
					m.del(string(k))
				default:
					b.Merge(k, []byte(v))
					m.merge(string(k), v)
				}
			}
			_, err := e.Apply(b, kv.Durability(rnd.IntN(2)), nil)
			e.check(err)
		case 4, 5:
			e.compare(rnd, e, m)
		case 6:
			snapshots = append(snapshots, held{e.Snapshot(), maps.Clone(m)})
			if len(snapshots) > 4 {
				e.check(snapshots[0].s.Close())
				snapshots = snapshots[1:]
			}
		case 7:
			if len(snapshots) > 0 {
				h := snapshots[rnd.IntN(len(snapshots))]
				e.compare(rnd, h.s, h.m)
			}
		case 8, 9:
			m = e.randomTxn(rnd, m, value)
		case 10:
			switch rnd.IntN(6) {
			case 0:
				a, b := randomKey(rnd), randomKey(rnd)
				if bytes.Compare(a, b) < 0 && rnd.IntN(4) == 0 {
					e.check(e.DeleteRange(ctx, kv.KeyRange{Start: a, End: b}))
					maps.DeleteFunc(m, func(k, _ string) bool { return k >= string(a) && k < string(b) })
				}
			case 1:
				e.check(e.Compact(ctx, kv.KeyRange{}))
			case 2:
				drop()
				e.reopen()
			default:
				e.check(e.Flush(ctx))
			}
		}
	}
	e.compare(rnd, e, m)
	drop()
}

// randomTxn runs a transaction over m and returns what is committed.
func (e *env) randomTxn(rnd *rand.Rand, m model, value func() string) model {
	e.t.Helper()
	x := e.begin()
	own := maps.Clone(m)
	type savepoint struct {
		s   kv.Savepoint
		own model
	}
	var saves []savepoint
	for range rnd.IntN(25) {
		k := randomKey(rnd)
		switch v := value(); rnd.IntN(7) {
		case 0, 1:
			e.check(x.Put(k, []byte(v)))
			own.put(string(k), v)
		case 2:
			e.check(x.Delete(k))
			own.del(string(k))
		case 3, 4:
			e.check(x.Merge(k, []byte(v)))
			own.merge(string(k), v)
		case 5:
			if len(saves) > 0 && rnd.IntN(2) == 0 {
				i := rnd.IntN(len(saves))
				e.check(x.RollbackTo(saves[i].s))
				own = maps.Clone(saves[i].own)
				saves = saves[:i+1]
			} else {
				saves = append(saves, savepoint{x.Savepoint(), maps.Clone(own)})
			}
		default:
			e.compare(rnd, x, own)
		}
	}
	e.compare(rnd, x, own)
	if rnd.IntN(4) == 0 {
		x.Rollback()
		return m
	}
	e.check(x.Commit(ctx))
	return own
}
