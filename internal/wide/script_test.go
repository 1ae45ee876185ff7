package wide

// Golden scripts: one verb per line, the answers below. They say what HBase
// semantics mean here; every script runs on the model engine and on Pebble, and
// each with rows left alone, rewritten after every write, and spilled early, and
// all must answer alike.
//
//	table f [versions=3 min-versions=1 ttl=10 keep=true|ttl nvb=true], g ...
//	put ROW f:q=value@ts f:q2=value [ttl=ms] [skip-wal]
//	delete ROW [version|column f:q@ts] [family|family-version f@ts] [row@ts]
//	increment ROW f:q=5 [nonce=7]      append ROW f:q=abc
//	check ROW f:q OP value ; put|delete ...
//	get ROW [f f:q ...] [versions=n range=a:b family-range=f:a:b limit=n offset=n]
//	fill ROW f count            columns q000, q001, ... with their number as value
//	scan [f f:q ...] [from=a to=b from-exclusive to-inclusive reversed raw versions=n range=a:b
//	      batch=n results=n rows=n bytes=n]
//	clock ms | flush | major
import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// variant is one way to run a script; the answers may not depend on it.
type variant struct {
	name    string
	engine  func(t *testing.T) kv.Engine
	options Options
	rewrite bool // rewrite the row after every write
}

type scriptRun struct {
	t      *testing.T
	v      variant
	engine kv.Engine
	s      *Store
	now    atomic.Int64
	table  *catalog.Table
	region *catalog.Region
	nextID uint64
}

func newScriptRun(t *testing.T, v variant) *scriptRun {
	r := &scriptRun{t: t, v: v, engine: v.engine(t), nextID: 1}
	r.now.Store(1000)
	o := v.options
	o.Clock = r.now.Load
	s, err := New(r.engine, o)
	if err != nil {
		t.Fatal(err)
	}
	r.s = s
	t.Cleanup(func() {
		s.Close()
		if err := r.engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func TestScripts(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
				r := newScriptRun(t, v)
				datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
					var b strings.Builder
					if d.Cmd != "run" {
						t.Fatalf("%s: a block starts with run", d.Pos)
					}
					for _, l := range strings.Split(d.Input, "\n") {
						if l = strings.TrimSpace(l); l != "" {
							b.WriteString(r.run(l))
						}
					}
					if b.Len() == 0 {
						return "ok\n"
					}
					return b.String()
				})
			})
		})
	}
}

func (r *scriptRun) run(line string) string {
	cond, rest, guarded := strings.Cut(line, ";")
	words := strings.Fields(line)
	switch words[0] {
	case "table":
		return r.createTable(strings.TrimPrefix(line, "table"))
	case "clock":
		n, _ := strconv.ParseInt(words[1], 10, 64)
		r.now.Store(n)
		return ""
	case "flush":
		return errText(r.engine.Flush(context.Background()))
	case "major":
		return errText(r.s.MajorCompact(context.Background(), r.region, nil))
	case "get":
		return r.get(words[1], words[2:])
	case "scan":
		return r.scan(words[1:])
	case "check":
		if !guarded {
			return "check wants: condition ; mutation\n"
		}
		return r.mutate(strings.Fields(rest), parseCondition(strings.Fields(cond)[1:]))
	case "fill":
		n, _ := strconv.Atoi(words[3])
		put := []string{"put", words[1]}
		for i := range n {
			put = append(put, fmt.Sprintf("%s:q%03d=%d", words[2], i, i))
		}
		return r.mutate(put, nil)
	case "put", "delete", "increment", "append":
		return r.mutate(words, nil)
	}
	return "unknown verb " + words[0] + "\n"
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return "error: " + err.Error() + "\n"
}

func (r *scriptRun) createTable(spec string) string {
	t := &catalog.Table{Name: catalog.ParseTableName("t"), DataIDs: []uint64{r.nextID}}
	r.nextID++
	for i, fs := range strings.Split(spec, ",") {
		words := strings.Fields(fs)
		f := &catalog.Family{ID: uint32(i), Name: []byte(words[0]), MaxVersions: 1, TTLSeconds: catalog.Forever}
		for _, w := range words[1:] {
			k, v, _ := strings.Cut(w, "=")
			n, _ := strconv.Atoi(v)
			switch k {
			case "versions":
				f.MaxVersions = n
			case "min-versions":
				f.MinVersions = n
			case "ttl":
				f.TTLSeconds = int64(n)
			case "keep":
				f.KeepDeleted = catalog.KeepDeletedTrue
				if v == "ttl" {
					f.KeepDeleted = catalog.KeepDeletedTTL
				}
			case "nvb":
				f.NewVersionBehavior = true
			}
		}
		t.Families = append(t.Families, f)
	}
	t.NextFamilyID = uint32(len(t.Families))
	sort.Slice(t.Families, func(i, j int) bool { return string(t.Families[i].Name) < string(t.Families[j].Name) })
	r.table = t
	r.region = &catalog.Region{Table: t, Name: []byte("t,,1")}
	t.Regions = []*catalog.Region{r.region}
	return ""
}

// parseColumn reads f:q=value@ts; the parts after f are optional.
func parseColumn(w string) cell.Cell {
	c := cell.Cell{Type: cell.Put, Timestamp: cell.Latest}
	if i := strings.LastIndexByte(w, '@'); i >= 0 {
		c.Timestamp, _ = strconv.ParseInt(w[i+1:], 10, 64)
		w = w[:i]
	}
	if k, v, ok := strings.Cut(w, "="); ok {
		w, c.Value = k, []byte(v)
		if n, x, ok := strings.Cut(v, "*"); ok {
			if k, err := strconv.Atoi(n); err == nil {
				c.Value = []byte(strings.Repeat(x, k))
			}
		}
	}
	f, q, _ := strings.Cut(w, ":")
	c.Family, c.Qualifier = []byte(f), []byte(q)
	return c
}

func parseCondition(w []string) *Condition {
	c := parseColumn(w[1])
	cond := &Condition{Row: []byte(w[0]), Family: c.Family, Qualifier: c.Qualifier, TimeRange: AllTime}
	ops := map[string]CompareOp{"<": Less, "<=": LessOrEqual, "=": Equal, "!=": NotEqual, ">=": GreaterOrEqual, ">": Greater}
	cond.Op = ops[w[2]]
	if len(w) > 3 {
		cond.Value = []byte(w[3])
	}
	return cond
}

func (r *scriptRun) mutate(words []string, cond *Condition) string {
	kinds := map[string]Kind{"put": KindPut, "delete": KindDelete, "increment": KindIncrement, "append": KindAppend}
	m := &Mutation{Kind: kinds[words[0]], Row: []byte(words[1]), Timestamp: cell.Latest, TimeRange: AllTime}
	typ := cell.DeleteColumn
	for _, w := range words[2:] {
		switch {
		case w == "version":
			typ = cell.Delete
		case w == "column":
			typ = cell.DeleteColumn
		case w == "family":
			typ = cell.DeleteFamily
		case w == "family-version":
			typ = cell.DeleteFamilyVersion
		case w == "skip-wal":
			m.Durability = catalog.SkipWAL
		case strings.HasPrefix(w, "row@"):
			m.Timestamp, _ = strconv.ParseInt(w[4:], 10, 64)
		case strings.HasPrefix(w, "ttl="):
			m.CellTTL, _ = strconv.ParseInt(w[4:], 10, 64)
		case strings.HasPrefix(w, "nonce="):
			m.Nonce, _ = strconv.ParseUint(w[6:], 10, 64)
		default:
			c := parseColumn(w)
			if m.Kind == KindDelete {
				c.Type = typ
			}
			if m.Kind == KindIncrement {
				n, _ := strconv.ParseInt(string(c.Value), 10, 64)
				c.Value = binary.BigEndian.AppendUint64(nil, uint64(n))
			}
			m.Cells = append(m.Cells, c)
		}
	}
	out, err := r.s.Mutate(context.Background(), r.region, m, cond)
	if err != nil {
		return errText(err)
	}
	if r.v.rewrite {
		r.rewriteRow(m.Row)
	}
	var b strings.Builder
	if cond != nil {
		fmt.Fprintf(&b, "applied=%v\n", out.Applied)
	}
	for i := range out.Result {
		writeCell(&b, &out.Result[i])
	}
	return b.String()
}

// rewriteRow does what the rewriter may do at any time.
func (r *scriptRun) rewriteRow(row []byte) {
	prefix := appendRowPrefix(r.table, row)
	latch, err := r.engine.Latch(context.Background(), prefix)
	if err != nil {
		r.t.Fatal(err)
	}
	defer latch.Unlock()
	err = r.s.changeRow(r.table, prefix, latch, func(c *familyChange) (bool, error) { return true, c.prune() })
	if err != nil {
		r.t.Fatal(err)
	}
}

func writeCell(b *strings.Builder, c *cell.Cell) {
	value := string(c.Value)
	if len(c.Value) == 8 && c.Value[0] == 0 {
		value = fmt.Sprintf("#%d", int64(binary.BigEndian.Uint64(c.Value)))
	} else if len(value) > 24 {
		value = fmt.Sprintf("%s...(%d)", value[:8], len(value))
	}
	fmt.Fprintf(b, "%s %s:%s@%d", c.Row, c.Family, c.Qualifier, c.Timestamp)
	if c.Type != cell.Put {
		fmt.Fprintf(b, " %s", c.Type)
	} else {
		fmt.Fprintf(b, "=%s", value)
	}
	b.WriteByte('\n')
}

// printer emits results as text, a line a cell and a mark for pieces.
type printer struct{ strings.Builder }

func (p *printer) Cell(c *cell.Cell) { writeCell(&p.Builder, c) }
func (p *printer) EndResult(partial bool) {
	if partial {
		p.WriteString("~\n")
	}
}

func parseQuery(words []string, q *Query, other func(k, v string)) {
	*q = Query{TimeRange: AllTime, MaxVersions: 1, StoreLimit: -1}
	for _, w := range words {
		k, v, has := strings.Cut(w, "=")
		n, _ := strconv.Atoi(v)
		switch {
		case k == "versions":
			q.MaxVersions = n
		case k == "range":
			a, b, _ := strings.Cut(v, ":")
			q.TimeRange.Min, _ = strconv.ParseInt(a, 10, 64)
			q.TimeRange.Max = math.MaxInt64
			if b != "" {
				q.TimeRange.Max, _ = strconv.ParseInt(b, 10, 64)
			}
		case k == "family-range":
			f, r, _ := strings.Cut(v, ":")
			a, b, _ := strings.Cut(r, ":")
			ftr := FamilyTimeRange{Family: []byte(f)}
			ftr.Min, _ = strconv.ParseInt(a, 10, 64)
			ftr.Max, _ = strconv.ParseInt(b, 10, 64)
			q.FamilyTimeRanges = append(q.FamilyTimeRanges, ftr)
		case k == "limit":
			q.StoreLimit = n
		case k == "offset":
			q.StoreOffset = n
		case k == "raw":
			q.Raw = true
		case has || k == "reversed" || k == "from-exclusive" || k == "to-inclusive":
			other(k, v)
		default:
			f, c, hasColumn := strings.Cut(k, ":")
			col := Column{Family: []byte(f)}
			if hasColumn {
				col.Qualifiers = [][]byte{[]byte(c)}
			}
			q.Columns = append(q.Columns, col)
		}
	}
}

func (r *scriptRun) get(row string, words []string) string {
	g := Get{Row: []byte(row)}
	parseQuery(words, &g.Query, func(string, string) {})
	var p printer
	if _, err := r.s.Get(context.Background(), r.region, &g, &p); err != nil {
		return errText(err)
	}
	if p.Len() == 0 {
		return "(no cells)\n"
	}
	return p.String()
}

func (r *scriptRun) scan(words []string) string {
	sc := Scan{IncludeStart: true}
	var lim Limits
	parseQuery(words, &sc.Query, func(k, v string) {
		n, _ := strconv.Atoi(v)
		switch k {
		case "from":
			sc.Start = []byte(v)
		case "to":
			sc.Stop = []byte(v)
		case "from-exclusive":
			sc.IncludeStart = false
		case "to-inclusive":
			sc.IncludeStop = true
		case "reversed":
			sc.Reversed = true
		case "batch":
			sc.Batch = n
		case "results":
			lim.Results = n
		case "rows":
			lim.Rows = n
		case "bytes":
			lim.Bytes, lim.Partials = int64(n), true
		}
	})
	s, err := r.s.OpenScanner(r.region, &sc)
	if err != nil {
		return errText(err)
	}
	defer s.Close()
	var p printer
	for i := 0; ; i++ {
		if i == 1000 {
			return "the scan does not end\n"
		}
		prog, err := s.Next(context.Background(), &lim, &p)
		if err != nil {
			return errText(err)
		}
		if prog.Done || prog.LimitReached {
			break
		}
		p.WriteString("--\n")
	}
	if p.Len() == 0 {
		return "(no cells)\n"
	}
	return p.String()
}
