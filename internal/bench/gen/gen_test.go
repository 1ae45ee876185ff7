// Shows that keys, values and draws are those of YCSB and sysbench, by test
// vectors and by the shares that the distributions promise.
package gen

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func TestKeys(t *testing.T) {
	f := func(k KeySpace, n int64, want string) {
		t.Helper()
		if got := k.Key(n); got != want {
			t.Errorf("record %d: %s, want %s", n, got, want)
		}
	}
	user := KeySpace{Prefix: "user", Padding: 1}
	f(user, 0, "user6284781860667377211")
	f(user, 1, "user8517097267634966620")
	f(user, 2, "user1820151046732198393")
	f(user, 3, "user4052466453699787802")
	f(user, 1000, "user5952875239596136740")
	f(user, 999999, "user2744965632448235251")
	f(KeySpace{Prefix: "user", Hash: HashGoYCSB}, 1, "user6284782960179005422")
	f(KeySpace{Prefix: "user", Ordered: true, Padding: 8}, 42, "user00000042")
	f(KeySpace{Prefix: "", Ordered: true, Padding: 1}, 42, "42")
}

func TestSplitsAreEven(t *testing.T) {
	k := KeySpace{Prefix: "user", Padding: 1}
	cuts, err := k.Splits(8, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(cuts, " "); got != "user2038 user3075 user4113 user5151 user6188 user7226 user8263" {
		t.Error(got)
	}
	const n = 400_000
	var regions [8]int
	for i := range int64(n) {
		at, _ := slices.BinarySearch(cuts, k.Key(i))
		regions[at]++
	}
	for i, c := range regions {
		if share := 100 * float64(c) / n; math.Abs(share-12.5) > 0.2 {
			t.Errorf("region %d has %.2f %%", i, share)
		}
	}
	if _, err := k.Splits(101, 0); err == nil {
		t.Error("101 regions were cut")
	}
	ordered := KeySpace{Prefix: "user", Ordered: true, Padding: 1}
	if _, err := ordered.Splits(12, 100); err == nil {
		t.Error("cuts without order")
	}
}

func TestScrambledHead(t *testing.T) {
	const n, draws = 1_000_000, 2_000_000
	s, r := NewScrambled(0, n), Rand(1, 0)
	head := FNV64(0) % n
	hits := 0
	for range draws {
		if s.Next(r) == head {
			hits++
		}
	}
	if share := 100 * float64(hits) / draws; math.Abs(share-3.78) > 0.05 {
		t.Errorf("rank 0 gets %.3f %%, want 3.78", share)
	}
}

func TestZeta(t *testing.T) {
	// The sum one by one is the definition.
	exact := func(n int64) float64 {
		var sum, carry float64
		for i := int64(1); i <= n; i++ {
			y := math.Pow(float64(i), -Theta) - carry
			s := sum + y
			carry = (s - sum) - y
			sum = s
		}
		return sum
	}
	for _, n := range []int64{1, 2, 1000, exactTerms, exactTerms + 1, 1_500_000} {
		if got, want := Zeta(n, Theta), exact(n); math.Abs(got-want)/want > 1e-12 {
			t.Errorf("zeta(%d) = %.15f, want %.15f", n, got, want)
		}
	}
	// YCSB's constant was summed naively over 10^10 terms, so its last digits are
	// rounding.
	if got := Zeta(10_000_000_000, Theta); math.Abs(got-scrambledZeta) > 1e-7 {
		t.Errorf("zeta of YCSB's item count %.12f", got)
	}
}

func TestChoosersStayInRange(t *testing.T) {
	for _, name := range Distributions {
		acks := NewAcks(1000)
		c, err := Distribution{Name: name, Count: 1000, NewKeys: 500, HotSet: 0.2, HotOps: 0.8, Percentile: 95, Frac: 0.8571428571}.Chooser(acks)
		if err != nil {
			t.Fatal(err)
		}
		r := Rand(7, 3)
		for i := range 5000 {
			if i%100 == 0 {
				acks.Done(acks.Next(), i%300 != 0)
			}
			n := c.Next(r)
			if n < 0 || n > acks.Last() || acks.hole(n) {
				t.Fatalf("%s drew %d of records up to %d", name, n, acks.Last())
			}
		}
	}
	if _, err := (Distribution{Name: "zipf", Count: 1}).Chooser(NewAcks(0)); err == nil {
		t.Error("an unknown distribution was taken")
	}
}

func TestSharesOfDistributions(t *testing.T) {
	const draws = 200_000
	share := func(g Ints, in func(int64) bool) float64 {
		r, hits := Rand(5, 5), 0
		for range draws {
			if in(g.Next(r)) {
				hits++
			}
		}
		return float64(hits) / draws
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.01 {
			t.Errorf("%s: %.3f, want %.3f", what, got, want)
		}
	}
	near("hotspot", share(HotSpot{0, 999, 0.2, 0.8}, func(n int64) bool { return n < 200 }), 0.8)
	near("exponential", share(NewExponential(95, 1000), func(n int64) bool { return n < 1000 }), 0.95)
	ids := func(kind string) Ints {
		g, err := SysbenchIDs(kind, 10_000)
		if err != nil {
			t.Fatal(err)
		}
		near(kind+" in range", share(g, func(n int64) bool { return n >= 1 && n <= 10_000 }), 1)
		return g
	}
	middle := func(n int64) bool { return n > 4950 && n <= 5050 }
	near("special", share(ids("special"), middle), 0.75+0.25*share(ids("gaussian"), middle))
	near("pareto", share(ids("pareto"), func(n int64) bool { return n <= 2000 }), 0.8)
	near("uniform", share(ids("uniform"), func(n int64) bool { return n <= 2500 }), 0.25)
	var total, first float64
	for i := 1; i <= 10_000; i++ {
		w := math.Pow(float64(i), -0.8)
		if total += w; i == 1 {
			first = w
		}
	}
	near("zipfian", share(ids("zipfian"), func(n int64) bool { return n == 1 }), first/total)
	if _, err := SysbenchIDs("unifrom", 1); err == nil {
		t.Error("an unknown type was taken")
	}
}

func TestSameSeedSameSequence(t *testing.T) {
	draw := func(seed, worker uint64) (all []int64) {
		s, r := NewScrambled(0, 1000), Rand(seed, worker)
		for range 50 {
			all = append(all, s.Next(r))
		}
		return all
	}
	if !slices.Equal(draw(1, 2), draw(1, 2)) {
		t.Error("one seed, two sequences")
	}
	if slices.Equal(draw(1, 2), draw(1, 3)) || slices.Equal(draw(1, 2), draw(2, 2)) {
		t.Error("seed or worker does not matter")
	}
}

func TestIntegrityValue(t *testing.T) {
	if h := JavaHash([]byte("zzzzzz")); h != -685785664 {
		t.Error(h)
	}
	if h := JavaHash([]byte("hello")); h != 99162322 {
		t.Error(h)
	}
	key := []byte("user6284781860667377211")
	v := AppendIntegrity(nil, key, "field0", 100)
	if len(v) != 100 || !strings.HasPrefix(string(v), "user6284781860667377211:field0:") {
		t.Errorf("%s", v)
	}
	// 20 bytes are only the key's beginning: why it cannot tell columns apart.
	if a, b := AppendIntegrity(nil, key, "f0", 20), AppendIntegrity(nil, key, "f1", 20); string(a) != string(b) {
		t.Errorf("%s, %s", a, b)
	}
}

func TestStrongValue(t *testing.T) {
	key := []byte("user1")
	for _, size := range []int{16, 20, 27, 28, 40, 100} {
		v := AppendStrong(nil, key, "f1", 7, 99, size)
		if len(v) != size {
			t.Fatalf("size %d: %d", size, len(v))
		}
		w, s, known, err := CheckStrong(v, key, "f1")
		if err != nil || known != (size >= StrongMin) || known && (w != 7 || s != 99) {
			t.Errorf("size %d: %d %d %v %v", size, w, s, known, err)
		}
		if _, _, _, err := CheckStrong(v, key, "f2"); err == nil {
			t.Errorf("size %d: another column's value passed", size)
		}
		if _, _, _, err := CheckStrong(v, []byte("user2"), "f1"); err == nil {
			t.Errorf("size %d: another row's value passed", size)
		}
		v[len(v)-1] ^= 1
		if _, _, _, err := CheckStrong(v, key, "f1"); err == nil {
			t.Errorf("size %d: a torn value passed", size)
		}
	}
	if _, _, _, err := CheckStrong([]byte("short"), key, "f1"); err == nil {
		t.Error("a short value passed")
	}
}

func TestValues(t *testing.T) {
	r := Rand(3, 0)
	seen := map[byte]bool{}
	for range 200 {
		for _, c := range (&Values{Length: Constant(100)}).Append(nil, r) {
			if c < 0x20 || c > 0x7F {
				t.Fatalf("character %#x", c)
			}
			seen[c] = true
		}
	}
	if len(seen) != 96 {
		t.Errorf("%d different characters, want 96", len(seen))
	}
	for _, c := range (&Values{Length: Constant(100), Letters: true}).Append(nil, r) {
		if !strings.ContainsRune(letters, rune(c)) {
			t.Errorf("character %q", c)
		}
	}
	v := Values{Length: Constant(100), Ratio: 4}
	if a, b := v.Append(nil, r), v.Append(nil, r); string(a[25:]) != string(b[25:]) || string(a[:25]) == string(b[:25]) {
		t.Error("values of ratio 4 do not share three quarters")
	}
	h, err := ReadHistogram(strings.NewReader("BlockSize\t10\n0\t1\n4\t3\n"))
	if err != nil {
		t.Fatal(err)
	}
	n := map[int64]int{}
	for range 4000 {
		n[h.Next(r)]++
	}
	if len(n) != 2 || n[10] < 900 || n[10] > 1100 {
		t.Error(n)
	}
	if g := AppendGroups(nil, r, 10); len(g) != 119 || strings.Count(string(g), "-") != 9 {
		t.Errorf("%s", g)
	}
}

func FuzzReadHistogram(f *testing.F) {
	f.Add("BlockSize\t10\n0\t1\n")
	f.Fuzz(func(t *testing.T, s string) {
		if h, err := ReadHistogram(strings.NewReader(s)); err == nil {
			h.Next(Rand(1, 1))
		}
	})
}

func FuzzCheckStrong(f *testing.F) {
	f.Add([]byte("0123456789abcdef0123456789abcdef"))
	f.Fuzz(func(t *testing.T, v []byte) { _, _, _, _ = CheckStrong(v, []byte("k"), "f") })
}
