package hbase

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/wide/cell"

	"github.com/basaltdb/basalt/internal/wide"
)

// blockPut is a put whose cells go to the cell block.
func blockPut(block *[]byte, row, family string, values ...string) message {
	for i, v := range values {
		*block = appendKV(*block, cell.Cell{
			Row: []byte(row), Family: []byte(family), Qualifier: fmt.Append(nil, "q", i), Value: []byte(v), Timestamp: cell.Latest, Type: cell.Put,
		})
	}
	return message{}.str(1, row).num(2, 2).num(8, uint64(len(values)))
}

func action(index uint64, field int, m message) message {
	return message{}.num(1, index).bytes(field, m)
}

// roe is a ResultOrException.
type roe struct {
	index  uint64
	result fields // nil: none
	class  string
	text   string
}

type regionResult struct {
	roes      []roe
	class     string
	processed *bool
}

func (f *fixture) multi(param message, block []byte) (results []regionResult, resp fields, cells []byte) {
	f.t.Helper()
	resp, cells = f.ok("Multi", param, block)
	for _, rar := range resp[1] {
		p := parse(f.t, rar.bytes)
		var r regionResult
		for _, one := range p[1] {
			q := parse(f.t, one.bytes)
			e := roe{index: q.num(1)}
			if q.has(2) {
				e.result = q.msg(f.t, 2)
			}
			if q.has(3) {
				x := q.msg(f.t, 3)
				e.class, e.text = simple(string(x.bytes(1))), string(x.bytes(2))
			}
			r.roes = append(r.roes, e)
		}
		if p.has(2) {
			r.class = simple(string(p.msg(f.t, 2).bytes(1)))
		}
		if p.has(3) {
			b := p.flag(3)
			r.processed = &b
		}
		results = append(results, r)
	}
	return results, resp, cells
}

func simple(class string) string { return class[strings.LastIndexByte(class, '.')+1:] }

// Case B14: one bad action does not spoil the others, and each has its own
// error, in the order of the request.
func TestMultiMixed(t *testing.T) {
	f := newFixture(t, Limits{})
	f.create("u", nil)
	f.put("old", "q0", "x")
	f.put("text", "q0", "abc")
	var block []byte
	param := message{}.
		bytes(1, message{}.bytes(1, f.region("t", "")).
			bytes(3, action(1, 2, blockPut(&block, "good", "f", "1", "2"))).
			bytes(3, action(2, 2, blockPut(&block, "bad", "nofamily", "1", "2", "3"))).
			bytes(3, action(3, 3, getProto("missing"))).
			bytes(3, action(4, 3, getProto("text"))).
			bytes(3, action(5, 2, message{}.str(1, "old").num(2, 3))).
			bytes(3, action(6, 2, increment("text", "q0", 1)))).
		bytes(1, message{}.bytes(1, specifier([]byte("gone,,1.0123456789abcdef0123456789abcdef."))).
			bytes(3, action(7, 2, blockPut(&block, "lost", "f", "1", "2", "3", "4")))).
		bytes(1, message{}.bytes(1, f.region("u", "")).
			bytes(3, action(8, 2, blockPut(&block, "last", "f", "z"))))
	results, resp, cells := f.multi(param, block)
	if len(results) != 3 || resp.has(2) {
		t.Fatalf("%d region results (processed there: %v), want 3", len(results), resp.has(2))
	}
	want := []string{"1 ok", "2 NoSuchColumnFamilyException", "3 ok", "4 ok", "5 ok", "6 DoNotRetryIOException"}
	var got []string
	for _, r := range results[0].roes {
		s := fmt.Sprintf("%d %s", r.index, r.class)
		if r.result != nil {
			s += "ok"
		}
		got = append(got, s)
	}
	if !reflect.DeepEqual(got, want) || results[0].processed != nil || results[0].class != "" {
		t.Errorf("first region: %q, want %q", got, want)
	}
	if !strings.Contains(results[0].roes[5].text, "Field is not a long") {
		t.Errorf("text of the increment's error: %q", results[0].roes[5].text)
	}
	if results[1].class != "NotServingRegionException" || len(results[1].roes) != 0 {
		t.Errorf("unknown region: %+v, want an exception alone", results[1])
	}
	if len(results[2].roes) != 1 || results[2].roes[0].result == nil {
		t.Errorf("third region: %+v", results[2])
	}
	if got, _ := takeKVs(t, cells, int(results[0].roes[3].result.num(2))); !reflect.DeepEqual(show(got), []string{"text/f:q0=abc"}) {
		t.Errorf("cells of the get: %v", show(got))
	}
	if got := f.row("good"); !reflect.DeepEqual(got, []string{"good/f:q0=1", "good/f:q1=2"}) {
		t.Errorf("good: %v", got)
	}
	for _, row := range []string{"bad", "lost", "old"} {
		if got := f.row(row); len(got) != 0 {
			t.Errorf("%s: %v", row, got)
		}
	}
	get, block2 := f.ok("Get", message{}.bytes(1, f.region("u", "")).bytes(2, getProto("last")), nil)
	if got, _ := takeKVs(t, block2, int(get.msg(t, 1).num(2))); !reflect.DeepEqual(show(got), []string{"last/f:q0=z"}) {
		t.Errorf("cells after the failed ones: %v", show(got))
	}
}

// Puts are applied before the next increment, but after the gets in between.
func TestMultiOrder(t *testing.T) {
	f := newFixture(t, Limits{})
	one := []byte{0, 0, 0, 0, 0, 0, 0, 1}
	put := message{}.str(1, "r").num(2, 2).bytes(3, message{}.str(1, "f").bytes(2, message{}.str(1, "n").bytes(2, one)))
	param := message{}.bytes(1, message{}.bytes(1, f.region("t", "")).
		bytes(3, action(0, 2, put)).
		bytes(3, action(1, 3, getProto("r"))).
		bytes(3, action(2, 2, increment("r", "n", 1))).
		bytes(3, action(3, 3, getProto("r"))))
	results, _, cells := f.multi(param, nil)
	var counts []uint64
	for _, r := range results[0].roes {
		counts = append(counts, r.result.num(2))
	}
	if want := []uint64{0, 0, 1, 1}; !reflect.DeepEqual(counts, want) {
		t.Fatalf("cells per action: %v, want %v", counts, want)
	}
	got, rest := takeKVs(t, cells, 2)
	if got[0].Value[7] != 2 || got[1].Value[7] != 2 || len(rest) > 0 {
		t.Errorf("cells: %v, %d bytes left", show(got), len(rest))
	}
}

// gohbase numbers actions from 1, asynchbase wants them to ascend, the Node
// client sends no numbers.
func TestMultiIndexes(t *testing.T) {
	f := newFixture(t, Limits{})
	indexes := func(actions ...message) (got []uint64) {
		ra := message{}.bytes(1, f.region("t", ""))
		for _, a := range actions {
			ra = ra.bytes(3, a)
		}
		results, _, _ := f.multi(message{}.bytes(1, ra), nil)
		for _, r := range results[0].roes {
			got = append(got, r.index)
		}
		return got
	}
	put := func(row string) message { return putProto(row, "f", "q", "v") }
	if got := indexes(action(1, 2, put("a")), action(2, 3, getProto("a")), action(3, 2, put("b"))); !reflect.DeepEqual(got, []uint64{1, 2, 3}) {
		t.Errorf("echoed %v", got)
	}
	if got := indexes(action(4, 2, put("a")), action(7, 2, appendTo("b", "q", "x")), action(9, 2, put("c"))); !reflect.DeepEqual(got, []uint64{4, 7, 9}) {
		t.Errorf("echoed %v", got)
	}
	if got := indexes(message{}.bytes(2, put("a")), message{}.bytes(3, getProto("a"))); !reflect.DeepEqual(got, []uint64{0, 1}) {
		t.Errorf("numbered %v", got)
	}
}

// A client without a codec has all cells inline.
func TestMultiInline(t *testing.T) {
	f := newFixture(t, Limits{})
	f.put("a", "q", "1")
	f.put("b", "q", "2")
	f.client = plainClient()
	results, _, cells := f.multi(message{}.bytes(1, message{}.bytes(1, f.region("t", "")).
		bytes(3, message{}.bytes(3, getProto("a"))).
		bytes(3, message{}.bytes(2, appendTo("b", "q", "3"))).
		bytes(3, message{}.bytes(3, getProto("c")))), nil)
	var got []string
	for _, r := range results[0].roes {
		got = append(got, fmt.Sprint(show(inlineCells(t, r.result))))
	}
	if want := []string{"[a/f:q=1]", "[b/f:q=23]", "[]"}; !reflect.DeepEqual(got, want) || len(cells) > 0 {
		t.Errorf("%v and %d bytes of cells, want %v", got, len(cells), want)
	}
}

func TestMultiAtomic(t *testing.T) {
	f := newFixture(t, Limits{})
	var block []byte
	ra := message{}.bytes(1, f.region("t", "")).flag(2, true).
		bytes(3, message{}.bytes(2, blockPut(&block, "r", "f", "1"))).
		bytes(3, message{}.bytes(2, increment("r", "n", 4)))
	results, resp, _ := f.multi(message{}.bytes(1, ra), block)
	r := results[0]
	if r.processed == nil || !*r.processed || !resp.flag(2) || len(r.roes) != 2 || r.roes[1].result == nil {
		t.Fatalf("row mutations: %+v", r)
	}
	if got := inlineCells(t, r.roes[0].result); len(got) != 1 || got[0].Value[7] != 4 {
		t.Errorf("merged result: %v", show(got))
	}
	if got := f.row("r"); len(got) != 2 {
		t.Errorf("row: %v", got)
	}

	// One bad mutation fails all, and the cells of both are passed over.
	block = nil
	param := message{}.
		bytes(1, message{}.bytes(1, f.region("t", "")).flag(2, true).
			bytes(3, message{}.bytes(2, blockPut(&block, "s", "x", "1", "2"))).
			bytes(3, message{}.bytes(2, blockPut(&block, "s", "f", "1", "2")))).
		bytes(1, message{}.bytes(1, f.region("t", "")).
			bytes(3, message{}.bytes(2, blockPut(&block, "good", "f", "9"))))
	results, _, _ = f.multi(param, block)
	if results[0].class != "NoSuchColumnFamilyException" || len(results[0].roes) != 0 || results[0].processed != nil {
		t.Errorf("failed row mutations: %+v", results[0])
	}
	if got := f.row("s"); len(got) != 0 {
		t.Errorf("row of the failed ones: %v", got)
	}
	if got := f.row("good"); !reflect.DeepEqual(got, []string{"good/f:q0=9"}) {
		t.Errorf("row of the next region action: %v", got)
	}
}

func TestMultiConditional(t *testing.T) {
	f := newFixture(t, Limits{})
	f.put("r", "a", "5")
	run := func(cond message, mutations ...message) (regionResult, fields) {
		ra := message{}.bytes(1, f.region("t", "")).flag(2, true)
		for _, m := range mutations {
			ra = ra.bytes(3, message{}.bytes(2, m))
		}
		results, resp, _ := f.multi(message{}.bytes(1, ra.bytes(4, cond)), nil)
		return results[0], resp
	}
	r, resp := run(condition("r", "a", 2, "5"), putProto("r", "f", "b", "1"), increment("r", "n", 2))
	if r.processed == nil || !*r.processed || resp.has(2) || len(r.roes) != 2 || r.roes[1].result != nil {
		t.Errorf("condition that holds: %+v, processed in the answer: %v", r, resp.has(2))
	}
	if got := inlineCells(t, r.roes[0].result); len(got) != 1 || got[0].Value[7] != 2 {
		t.Errorf("result: %v", show(got))
	}
	r, _ = run(condition("r", "a", 2, "6"), putProto("r", "f", "b", "2"))
	if r.processed == nil || *r.processed || len(r.roes) != 1 || r.roes[0].result != nil {
		t.Errorf("condition that does not hold: %+v", r)
	}
	if got := f.row("r"); !strings.Contains(strings.Join(got, " "), "r/f:b=1") {
		t.Errorf("row: %v", got)
	}
	r, _ = run(condition("r", "a", 2, "5"), putProto("s", "f", "b", "2"))
	if r.class != "DoNotRetryIOException" || len(r.roes) != 0 {
		t.Errorf("condition on another row: %+v", r)
	}

	// Clients before 2.4 send the condition beside the region actions.
	old := message{}.bytes(1, message{}.bytes(1, f.region("t", "")).flag(2, true).
		bytes(3, message{}.bytes(2, putProto("r", "f", "c", "1"))).
		bytes(3, message{}.bytes(2, putProto("r", "f", "d", "1")))).bytes(3, condition("r", "a", 2, "5"))
	results, resp, _ := f.multi(old, nil)
	if !resp.flag(2) || len(results) != 1 || len(results[0].roes) != 2 || results[0].processed != nil {
		t.Errorf("old form: processed %v, %+v", resp.flag(2), results)
	}
}

// Past the bound on an answer the remaining actions are left to another call,
// if the client knows how to go on.
func TestMultiTooLarge(t *testing.T) {
	f := newFixture(t, Limits{MaxResultBytes: 2000, MaxReplyBytes: 6000})
	big := strings.Repeat("v", 1000)
	f.put("r", "q", big)
	ra := message{}.bytes(1, f.region("t", ""))
	var block []byte
	for i := range 10 {
		ra = ra.bytes(3, action(uint64(i), 3, getProto("r")))
	}
	ra = ra.bytes(3, action(10, 2, blockPut(&block, "cut", "f", "1")))
	param := message{}.bytes(1, ra)
	count := func() (classes map[string]int) {
		classes = map[string]int{}
		results, _, _ := f.multi(param, block)
		for _, r := range results[0].roes {
			classes[r.class]++
		}
		return classes
	}
	if got := count(); got[""] != 2 || got["MultiActionResultTooLarge"] != 9 {
		t.Errorf("with 2.6: %v", got)
	}
	if got := f.row("cut"); len(got) != 0 {
		t.Errorf("an action that was cut happened: %v", got)
	}
	f.client = goClient()
	if got := count(); got[""] != 6 || got["RegionTooBusyException"] != 5 {
		t.Errorf("without a version: %v", got)
	}
}

func TestMultiLimits(t *testing.T) {
	f := newFixture(t, Limits{MaxMultiActions: 3})
	ra := message{}.bytes(1, f.region("t", ""))
	for range 4 {
		ra = ra.bytes(3, message{}.bytes(3, getProto("r")))
	}
	f.fails("DoNotRetryIOException", "Multi", message{}.bytes(1, ra), nil)
}

// Failures in the middle of a cell block: whatever action fails for whatever
// reason, all others get their own cells.
func TestCellBlockFailures(t *testing.T) {
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 1))
	for round := range 200 {
		f := newFixtureWith(t, Limits{}, wide.Options{MaxCellBytes: 200})
		var block []byte
		var param message
		want := map[string]int{}
		n := 0
		for range 1 + rnd.IntN(3) {
			region := f.region("t", "")
			lost := rnd.IntN(5) == 0
			if lost {
				region = specifier([]byte("gone"))
			}
			ra := message{}.bytes(1, region)
			atomic := rnd.IntN(4) == 0
			row := fmt.Sprintf("row%d", n)
			ok := !lost
			cells := 0
			if atomic {
				ra = ra.flag(2, true)
			}
			for range 1 + rnd.IntN(4) {
				if !atomic {
					row = fmt.Sprintf("row%d", n)
					n++
					ok, cells = !lost, 0
				}
				values := make([]string, 1+rnd.IntN(4))
				family := "f"
				switch rnd.IntN(6) {
				case 0:
					family, ok = "x", false
				case 1:
					values[rnd.IntN(len(values))] = strings.Repeat("v", 200)
					ok = false
				}
				before := len(block)
				m := blockPut(&block, row, family, values...)
				if rnd.IntN(6) == 0 {
					// A cell of another row, first or later.
					block[before+14+rnd.IntN(3)] = '#'
					m = message{}.str(1, row).num(2, 2).num(8, uint64(len(values)))
					ok = false
				}
				cells = max(cells, len(values))
				ra = ra.bytes(3, message{}.bytes(2, m))
				want[row] = 0
				if ok {
					want[row] = cells
				}
			}
			n++
			param = param.bytes(1, ra)
		}
		block = append(block, "leftover"...)
		f.multi(param, block)
		for row, cells := range want {
			if got := f.row(row); len(got) != cells {
				t.Fatalf("seed %d round %d: %s has %d cells, want %d: %v", seed, round, row, len(got), cells, got)
			}
		}
	}
}
