package ordered

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Random changes and clones against a plain map: every clone keeps what it had,
// and cursors walk it in order both ways.
func TestAgainstPlainMap(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 1))
	type version struct {
		m    Map[int]
		want map[string]int
	}
	var live Map[int]
	want := map[string]int{}
	var old []version
	check := func(m *Map[int], want map[string]int) {
		t.Helper()
		keys := slices.Sorted(maps.Keys(want))
		if m.Len() != len(keys) {
			t.Fatalf("Len %d, want %d", m.Len(), len(keys))
		}
		c := m.Cursor()
		for _, k := range keys {
			if !c.Next() || string(c.Key()) != k || c.Value() != want[k] {
				t.Fatalf("forward at %q: valid %v", k, c.Valid())
			}
		}
		if c.Next() || c.Valid() || c.Next() {
			t.Fatal("entry behind the last")
		}
		for _, k := range slices.Backward(keys) {
			if !c.Prev() || string(c.Key()) != k {
				t.Fatalf("backward at %q", k)
			}
		}
		if c.Prev() || c.Valid() || c.Prev() {
			t.Fatal("entry before the first")
		}
		for range 20 {
			k := fmt.Sprint(rnd.IntN(6000))
			i, ok := slices.BinarySearch(keys, k)
			if v, found := m.Get([]byte(k)); found != ok || v != want[k] {
				t.Fatalf("Get %q: %d %v", k, v, found)
			}
			if got := c.SeekGE([]byte(k)); got != (i < len(keys)) || got && string(c.Key()) != keys[i] {
				t.Fatalf("SeekGE %q", k)
			}
			if got := c.SeekLT([]byte(k)); got != (i > 0) || got && string(c.Key()) != keys[i-1] {
				t.Fatalf("SeekLT %q", k)
			}
		}
	}
	for i := range 20000 {
		k := fmt.Sprint(rnd.IntN(5000))
		switch rnd.IntN(5) {
		case 0, 1, 2:
			live.Set([]byte(k), i)
			want[k] = i
		case 3:
			_, ok := want[k]
			if live.Delete([]byte(k)) != ok {
				t.Fatalf("Delete %q", k)
			}
			delete(want, k)
		default:
			if rnd.IntN(200) == 0 {
				old = append(old, version{live.Clone(), maps.Clone(want)})
			}
			if len(old) > 0 && rnd.IntN(400) == 0 { // go on from a clone
				v := &old[rnd.IntN(len(old))]
				live, want = v.m.Clone(), maps.Clone(v.want)
			}
		}
	}
	check(&live, want)
	for i := range old {
		check(&old[i].m, old[i].want)
	}
}
