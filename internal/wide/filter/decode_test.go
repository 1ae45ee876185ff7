package filter

import (
	"errors"
	"math/rand/v2"
	"testing"
	"time"
)

// FuzzDecode decodes anything; what decodes is run over a small world, must end
// and must keep to the rules that the reader checks.
func FuzzDecode(f *testing.F) {
	rng := rand.New(rand.NewPCG(1, 1))
	add := func(expr string) {
		tree, err := pack(expr)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(tree.class, tree.bytes, rng.IntN(2) == 0)
	}
	for range 100 {
		add(randomTree(rng, 2))
	}
	for _, expr := range []string{`value("=", regex("a(?=b)|[a-c&&[^b]]+", 2))`, `value("<", decimal("1.5"))`,
		`value("<", long(3))`, `value("=", bit("xor", "1"))`, `row("=", component("b", 1))`, `random(50)`} {
		add(expr)
	}
	cells := world(rng, 10)
	f.Fuzz(func(t *testing.T, class string, serialized []byte, reversed bool) {
		filter, err := Decode(classPrefix+class, serialized, Limits{RegexTimeout: 10 * time.Millisecond})
		if err != nil {
			var unknown *UnknownError
			var malformed *MalformedError
			if !errors.As(err, &unknown) && !errors.As(err, &malformed) {
				t.Fatalf("another error: %v", err)
			}
			return
		}
		r := newReader(cells, filter, reversed)
		r.scan()
		for _, rule := range r.trace {
			t.Error(rule)
		}
	})
}

func FuzzDecodeComparator(f *testing.F) {
	for _, expr := range []string{`bin("x")`, `binprefix("x")`, `component("x", 3)`, `long(1)`, `decimal("1.5")`,
		`bit("and", "x")`, `null()`, `substring("AbC")`, `regex("a+")`} {
		tree, err := pack(expr)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(tree.class, tree.bytes, []byte("value"))
	}
	f.Fuzz(func(t *testing.T, class string, serialized, value []byte) {
		if len(serialized) > 1000 || len(value) > 1000 {
			return
		}
		k, err := DecodeComparator(classPrefix+class, serialized, Limits{RegexTimeout: 10 * time.Millisecond})
		if err != nil {
			return
		}
		k.Compare(value)
		if _, err := ComparatorValue(classPrefix+class, serialized); err != nil {
			t.Errorf("a comparator without a value: %v", err)
		}
	})
}
