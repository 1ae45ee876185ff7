package wide

// The model: all cells of a row in a map, and a reader that knows nothing of
// parts, operands, keys or iterators. Random histories run on the store, with
// flushes, compactions, row rewrites and spills at random moments, and every
// read must equal the model's. The seed of a failure is printed; run it again
// with -model.seed.

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

var (
	modelSeed = flag.Uint64("model.seed", 0, "run one seed only")
	modelRuns = flag.Int("model.runs", 12, "histories for each variant")
	modelOps  = flag.Int("model.ops", 400, "operations in a history")
)

type modelCell struct {
	family, qualifier string
	ts                int64
	typ               cell.Type
}

type modelRow map[modelCell]string

type model struct {
	versions map[string]int // by family
	rows     map[string]modelRow
}

func (m *model) write(row string, c modelCell, value string) {
	if m.rows[row] == nil {
		m.rows[row] = modelRow{}
	}
	m.rows[row][c] = value
}

// sorted returns the row's cells in HBase's order.
func (r modelRow) sorted() []modelCell {
	var out []modelCell
	for c := range r {
		out = append(out, c)
	}
	sort.Slice(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if a.family != b.family {
			return a.family < b.family
		}
		if a.qualifier != b.qualifier {
			return a.qualifier < b.qualifier
		}
		return cell.CompareVersion(a.ts, a.typ, b.ts, b.typ) < 0
	})
	return out
}

// hidden tells whether a marker at or after from hides the put.
func (r modelRow) hidden(p modelCell, from int64) bool {
	for c := range r {
		if c.family != p.family || c.ts < from {
			continue
		}
		switch c.typ {
		case cell.DeleteFamily:
			if p.ts <= c.ts {
				return true
			}
		case cell.DeleteFamilyVersion:
			if p.ts == c.ts {
				return true
			}
		case cell.DeleteColumn:
			if p.qualifier == c.qualifier && p.ts <= c.ts {
				return true
			}
		case cell.Delete:
			if p.qualifier == c.qualifier && p.ts == c.ts {
				return true
			}
		}
	}
	return false
}

// read returns what a reader sees of a row.
func (m *model) read(row string, q *Query) []string {
	r := m.rows[row]
	var out []string
	count := map[string]int{}
	for _, c := range r.sorted() {
		if !wanted(q, c) || c.ts < q.TimeRange.Min || c.ts >= q.TimeRange.Max {
			continue
		}
		column := c.family + ":" + c.qualifier
		if q.Raw {
			if c.typ == cell.Put {
				count[column]++
			}
			// Which markers a rewrite has dropped, since others cover them, is not
			// the model's business.
			if count[column] > q.MaxVersions || c.typ != cell.Put {
				continue
			}
		} else {
			if c.typ != cell.Put || r.hidden(c, q.TimeRange.Min) {
				continue
			}
			count[column]++
			if count[column] > min(q.MaxVersions, m.versions[c.family]) {
				continue
			}
		}
		out = append(out, m.text(row, c, r[c]))
	}
	return out
}

func (m *model) text(row string, c modelCell, value string) string {
	return cellText([]byte(row), []byte(c.family), []byte(c.qualifier), c.ts, []byte(value))
}

func cellText(row, family, qualifier []byte, ts int64, value []byte) string {
	v := string(value)
	if len(v) > 4 {
		v = fmt.Sprintf("%d*%s", len(v), v[:1])
	}
	return fmt.Sprintf("%q %s:%q@%d %s", row, family, qualifier, ts, v)
}

func wanted(q *Query, c modelCell) bool {
	if len(q.Columns) == 0 {
		return true
	}
	for _, w := range q.Columns {
		if string(w.Family) != c.family {
			continue
		}
		if w.Qualifiers == nil {
			return true
		}
		for _, k := range w.Qualifiers {
			if string(k) == c.qualifier {
				return true
			}
		}
	}
	return false
}

// major drops what a major compaction drops.
func (m *model) major() {
	for name, r := range m.rows {
		kept := modelRow{}
		count := map[string]int{}
		for _, c := range r.sorted() {
			column := c.family + ":" + c.qualifier
			if c.typ != cell.Put || r.hidden(c, 0) {
				continue
			}
			if count[column]++; count[column] <= m.versions[c.family] {
				kept[c] = r[c]
			}
		}
		m.rows[name] = kept
	}
}

func (m *model) scan(sc *Scan) []string {
	var names []string
	for n := range m.rows {
		names = append(names, n)
	}
	sort.Strings(names)
	if sc.Reversed {
		for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
			names[i], names[j] = names[j], names[i]
		}
	}
	var out []string
	for _, n := range names {
		d, e := bytes.Compare([]byte(n), sc.Start), bytes.Compare([]byte(n), sc.Stop)
		if sc.Reversed {
			d, e = -d, -e
		}
		if len(sc.Start) > 0 && (d < 0 || d == 0 && !sc.IncludeStart) {
			continue
		}
		if len(sc.Stop) > 0 && (e > 0 || e == 0 && !sc.IncludeStop) {
			continue
		}
		out = append(out, m.read(n, &sc.Query)...)
	}
	return out
}

// lines collects emitted cells as text.
type lines struct{ out []string }

func (l *lines) Cell(c *cell.Cell) {
	if c.Type == cell.Put {
		l.out = append(l.out, cellText(c.Row, c.Family, c.Qualifier, c.Timestamp, c.Value))
	}
}
func (l *lines) EndResult(bool) {}

var modelRowKeys = []string{"a", "a\x00", "a\x00\xff", "a\x01", "b", "\x00", "\xff", "\xff\xff", "c"}
var modelColumns = []string{"", "q", "q\x00", "qq", "\xff", "z"}

type history struct {
	*scriptRun
	rnd   *rand.Rand
	m     *model
	held  []heldScan
	steps []string
}

// heldScan is a scanner opened earlier and what it must show.
type heldScan struct {
	s    *Scanner
	want []string
	got  lines
}

func (h *history) pick(from []string) string { return from[h.rnd.IntN(len(from))] }

func (h *history) value() string {
	// Both sides of every threshold of the variants, also at equal timestamps.
	n := [...]int{0, 1, 2, 3, 8, 40, 200, 5000}[h.rnd.IntN(8)]
	return strings.Repeat(string(rune('a'+h.rnd.IntN(26))), n)
}

func (h *history) mutation() (*Mutation, func()) {
	row := h.pick(modelRowKeys)
	m := &Mutation{Row: []byte(row), Kind: KindPut, Timestamp: cell.Latest, TimeRange: AllTime}
	if h.rnd.IntN(3) == 0 {
		m.Kind = KindDelete
	}
	type written struct {
		c modelCell
		v string
	}
	var ws []written
	for range 1 + h.rnd.IntN(4) {
		c := modelCell{family: h.pick([]string{"f", "g"}), qualifier: h.pick(modelColumns), ts: int64(1 + h.rnd.IntN(6)), typ: cell.Put}
		v := ""
		if m.Kind == KindDelete {
			c.typ = [...]cell.Type{cell.Delete, cell.DeleteColumn, cell.DeleteFamily, cell.DeleteFamilyVersion}[h.rnd.IntN(4)]
			if c.typ == cell.DeleteFamily || c.typ == cell.DeleteFamilyVersion {
				c.qualifier = ""
			}
		} else {
			v = h.value()
		}
		ws = append(ws, written{c, v})
		m.Cells = append(m.Cells, cell.Cell{Family: []byte(c.family), Qualifier: []byte(c.qualifier), Timestamp: c.ts, Type: c.typ, Value: []byte(v)})
	}
	return m, func() {
		for _, w := range ws {
			h.m.write(row, w.c, w.v)
		}
	}
}

func (h *history) query() Query {
	q := Query{TimeRange: AllTime, StoreLimit: -1, MaxVersions: 1 + h.rnd.IntN(4), Raw: h.rnd.IntN(4) == 0}
	if h.rnd.IntN(3) == 0 {
		q.TimeRange = TimeRange{int64(h.rnd.IntN(5)), int64(3 + h.rnd.IntN(5))}
	}
	if h.rnd.IntN(3) == 0 && !q.Raw {
		for _, f := range []string{"f", "g"}[h.rnd.IntN(2):] {
			c := Column{Family: []byte(f)}
			if h.rnd.IntN(2) == 0 {
				for range 1 + h.rnd.IntN(3) {
					c.Qualifiers = append(c.Qualifiers, []byte(h.pick(modelColumns)))
				}
			}
			q.Columns = append(q.Columns, c)
		}
	}
	return q
}

func (h *history) newScan() *Scan {
	sc := &Scan{Query: h.query(), Reversed: h.rnd.IntN(2) == 0, IncludeStart: h.rnd.IntN(2) == 0, IncludeStop: h.rnd.IntN(2) == 0}
	if h.rnd.IntN(2) == 0 {
		sc.Start = []byte(h.pick(modelRowKeys))
	}
	if h.rnd.IntN(2) == 0 {
		sc.Stop = []byte(h.pick(modelRowKeys))
	}
	if h.rnd.IntN(3) == 0 {
		sc.Batch = 1 + h.rnd.IntN(3)
	}
	return sc
}

// drain reads a scanner on with random limits; all: to its end.
func (h *history) drain(s *heldScan, all bool) (over bool, err error) {
	for i := 0; all || i < 2; i++ {
		if i > 10000 {
			return false, fmt.Errorf("the scan does not end")
		}
		lim := Limits{}
		switch h.rnd.IntN(3) {
		case 0:
			lim.Results = 1 + h.rnd.IntN(3)
		case 1:
			lim.Bytes, lim.Partials = int64(1+h.rnd.IntN(500)), h.rnd.IntN(2) == 0
		}
		p, err := s.s.Next(context.Background(), &lim, &s.got)
		if err != nil {
			return false, err
		}
		if p.Done {
			return true, nil
		}
	}
	return false, nil
}

func (h *history) equal(what string, got, want []string) {
	h.t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		h.t.Fatalf("%s:\n got:\n  %s\nwant:\n  %s\nlast steps:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "),
			strings.Join(h.steps[max(0, len(h.steps)-25):], "\n  "))
	}
}

func (h *history) step() {
	ctx := context.Background()
	note := func(f string, a ...any) { h.steps = append(h.steps, fmt.Sprintf(f, a...)) }
	check := func(err error) {
		h.t.Helper()
		if err != nil {
			h.t.Fatalf("%v after\n  %s", err, strings.Join(h.steps[max(0, len(h.steps)-25):], "\n  "))
		}
	}
	switch k := h.rnd.IntN(100); {
	case k < 45:
		m, apply := h.mutation()
		for i := range m.Cells {
			note("mutate %q %s", m.Row, &m.Cells[i])
		}
		_, err := h.s.Mutate(ctx, h.region, m, nil)
		check(err)
		apply()
	case k < 50:
		var ms []*Mutation
		var applies []func()
		for range 1 + h.rnd.IntN(5) {
			m, apply := h.mutation()
			ms, applies = append(ms, m), append(applies, apply)
		}
		note("batch of %d", len(ms))
		errs := make([]error, len(ms))
		h.s.MutateBatch(ctx, h.region, ms, errs)
		for i := range errs {
			check(errs[i])
			applies[i]()
		}
	case k < 65:
		g := Get{Row: []byte(h.pick(modelRowKeys)), Query: h.query()}
		g.Raw = false
		note("get %q", g.Row)
		var got lines
		_, err := h.s.Get(ctx, h.region, &g, &got)
		check(err)
		h.equal(fmt.Sprintf("get %+v", g), got.out, h.m.read(string(g.Row), &g.Query))
	case k < 75:
		sc := h.newScan()
		note("scan")
		s, err := h.s.OpenScanner(h.region, sc)
		check(err)
		hs := heldScan{s: s, want: h.m.scan(sc)}
		_, err = h.drain(&hs, true)
		check(err)
		s.Close()
		h.equal(fmt.Sprintf("scan %+v", sc), hs.got.out, hs.want)
	case k < 80 && len(h.held) < 4:
		sc := h.newScan()
		note("hold a scan")
		s, err := h.s.OpenScanner(h.region, sc)
		check(err)
		h.held = append(h.held, heldScan{s: s, want: h.m.scan(sc)})
	case k < 84 && len(h.held) > 0:
		i := h.rnd.IntN(len(h.held))
		note("read on in held scan %d", i)
		over, err := h.drain(&h.held[i], h.rnd.IntN(2) == 0)
		check(err)
		if over {
			h.equal("held scan", h.held[i].got.out, h.held[i].want)
			h.held[i].s.Close()
			h.held = append(h.held[:i], h.held[i+1:]...)
		}
	case k < 92:
		row := h.pick(modelRowKeys)
		note("rewrite %q", row)
		h.rewriteRow([]byte(row))
	case k < 96:
		note("flush")
		check(h.engine.Flush(ctx))
	case k < 98:
		note("major")
		check(h.s.MajorCompact(ctx, h.region, nil))
		h.m.major()
	default:
		note("clock")
		h.now.Add(int64(h.rnd.IntN(100_000)))
	}
}

func TestModel(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			for i := range *modelRuns {
				seed := uint64(i) + 1
				if *modelSeed != 0 {
					seed = *modelSeed
				}
				t.Run(fmt.Sprint(seed), func(t *testing.T) {
					runHistory(t, v, seed)
				})
				if *modelSeed != 0 {
					break
				}
			}
		})
	}
}

func runHistory(t *testing.T, v variant, seed uint64) {
	h := &history{scriptRun: newScriptRun(t, v), rnd: rand.New(rand.NewPCG(seed, 1))}
	versions := 1 + h.rnd.IntN(3)
	h.run(fmt.Sprintf("table f versions=%d, g versions=2", versions))
	h.table.Durability = catalog.SkipWAL
	h.m = &model{versions: map[string]int{"f": versions, "g": 2}, rows: map[string]modelRow{}}
	for range *modelOps {
		h.step()
	}
	for i := range h.held {
		if _, err := h.drain(&h.held[i], true); err != nil {
			t.Fatal(err)
		}
		h.equal("held scan", h.held[i].got.out, h.held[i].want)
		h.held[i].s.Close()
	}
}
