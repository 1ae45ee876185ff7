package ycsb

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/basaltdb/basalt/internal/bench/gen"
	"github.com/basaltdb/basalt/internal/bench/result"
	"github.com/basaltdb/basalt/internal/bench/store"
)

// Verifier checks what is read. Mode dataintegrity is YCSB's formula: it cannot
// tell columns of short values apart, nor whether an update was lost, and looks at
// no scan. Mode strong can: values name their record, field, writer and sequence.
type Verifier struct {
	Mode string
	w    *Workload
	// sorted are the keys that were loaded, if they are few enough to be kept: with
	// these a scan that leaves out a row shows.
	sorted [][]byte

	ok, wrong atomic.Int64
	mu        sync.Mutex // guards findings, samples
	findings  map[string]int64
	samples   []string
}

// maxKept is how many keys are kept to check scans by.
const maxKept = 2_000_000

// maxSamples is how many findings are told in full.
const maxSamples = 20

func newVerifier(w *Workload, mode string, run bool) (*Verifier, error) {
	v := &Verifier{Mode: mode, w: w, findings: map[string]int64{}}
	if mode == "strong" {
		if w.fieldBytes < gen.StrongLeast {
			return nil, fmt.Errorf("verify=strong needs a fieldlength of at least %d", gen.StrongLeast)
		}
		if run && w.Count <= maxKept && w.proportions[opScan] > w.proportions[opInsert] {
			for n := range w.Count {
				v.sorted = append(v.sorted, w.Keys.Append(nil, w.Start+n))
			}
			slices.SortFunc(v.sorted, bytes.Compare)
		}
	}
	return v, nil
}

// loader is the writer of loaded values.
const loader = 0xFFFF

func (v *Verifier) append(b, key []byte, field string, writer uint16, seq uint32, size int) []byte {
	if v.Mode == "strong" {
		return gen.AppendStrong(b, key, field, writer, seq, size)
	}
	return gen.AppendIntegrity(b, key, field, size)
}

func (v *Verifier) found(kind, format string, args ...any) error {
	err := store.Wrong("%s: "+format, append([]any{kind}, args...)...)
	v.wrong.Add(1)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.findings[kind]++
	if len(v.samples) < maxSamples {
		v.samples = append(v.samples, err.Error())
	}
	return err
}

// Result is what was found.
func (v *Verifier) Result() *result.Verify {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return &result.Verify{Mode: v.Mode, OK: v.ok.Load(), Wrong: v.wrong.Load(), Findings: v.findings, Samples: v.samples}
}

// read checks a row. missing is the error of a row that is not there.
func (v *Verifier) read(key []byte, fields []string, row *store.Row, missing error, self uint16, m *memory) error {
	if missing != nil {
		return v.found("MISSING", "row %s, which was written", key)
	}
	want := fields
	if want == nil {
		want = v.w.Fields
	}
	if v.Mode == "strong" {
		for _, f := range want {
			if !slices.ContainsFunc(row.Fields, func(x store.Field) bool { return x.Name == f }) {
				return v.found("MISSING", "row %s has no %s", key, f)
			}
		}
	}
	for _, f := range row.Fields {
		if err := v.field(key, f, self, m); err != nil {
			return err
		}
	}
	v.ok.Add(1)
	return nil
}

func (v *Verifier) field(key []byte, f store.Field, self uint16, m *memory) error {
	if v.Mode != "strong" {
		if want := gen.AppendIntegrity(nil, key, f.Name, v.w.fieldBytes); !bytes.Equal(want, f.Value) {
			return v.found("WRONG", "row %s, %s: %q, want %q", key, f.Name, f.Value, want)
		}
		return nil
	}
	writer, seq, known, err := gen.CheckStrong(f.Value, key, f.Name)
	if err != nil {
		return v.found("WRONG", "row %s, %s: %v", key, f.Name, err)
	}
	if m == nil || !known {
		return nil
	}
	if last, ok := m.last(key, f.Name); ok && (writer == loader || writer == self && seq < last) {
		return v.found("STALE", "row %s, %s: sequence %d of writer %04x, after %d of %04x was acknowledged", key, f.Name, seq, writer, last, self)
	}
	return nil
}

// memory is what one worker remembers of its own writes.
type memory struct {
	seq  uint32
	seen map[string]uint32 // row and field: newest sequence
}

// maxMemory is of how many fields a worker remembers its writes.
const maxMemory = 1 << 14

func newMemory() *memory { return &memory{seen: map[string]uint32{}} }

func (m *memory) next() uint32 {
	m.seq++
	return m.seq
}

func id(key []byte, field string) string { return string(key) + "\x00" + field }

func (m *memory) remember(key []byte, fields []store.Field, size int) {
	if size < gen.StrongMin {
		return
	}
	for i, f := range fields {
		k := id(key, f.Name)
		if _, ok := m.seen[k]; ok || len(m.seen) < maxMemory {
			m.seen[k] = m.seq - uint32(len(fields)-1-i)
		}
	}
}

func (m *memory) last(key []byte, field string) (uint32, bool) {
	s, ok := m.seen[id(key, field)]
	return s, ok
}

// scanCheck checks one scan. It copies keys while the scan runs, and checks values
// on the spot, since they are not kept: with verify on, a scan's latency has a part
// that is the check's.
type scanCheck struct {
	v      *Verifier
	start  []byte
	n      int
	fields []string
	keys   [][]byte
	first  error
}

// scan begins a check; it is nil, which checks nothing, unless the mode is strong.
func (v *Verifier) scan(start []byte, n int, fields []string) *scanCheck {
	if v == nil || v.Mode != "strong" {
		return nil
	}
	return &scanCheck{v: v, start: slices.Clone(start), n: n, fields: slices.Clone(fields)}
}

func (c *scanCheck) row(r *store.Row) {
	if c == nil || c.first != nil {
		return
	}
	c.keys = append(c.keys, bytes.Clone(r.Key))
	for _, f := range r.Fields {
		if c.first = c.v.field(r.Key, f, 0, nil); c.first != nil {
			return
		}
	}
}

// done checks the scan as a whole.
func (c *scanCheck) done() error {
	v := c.v
	if c.first != nil {
		return c.first
	}
	if len(c.keys) > c.n {
		return v.found("SCAN", "%d rows from %s, asked for %d", len(c.keys), c.start, c.n)
	}
	if len(c.keys) == 0 || !bytes.Equal(c.keys[0], c.start) {
		return v.found("MISSING", "a scan from %s, which exists, does not begin with it", c.start)
	}
	for i := 1; i < len(c.keys); i++ {
		if bytes.Compare(c.keys[i-1], c.keys[i]) >= 0 {
			return v.found("ORDER", "%s after %s", c.keys[i], c.keys[i-1])
		}
	}
	if v.sorted != nil {
		if err := c.complete(); err != nil {
			return err
		}
	}
	v.ok.Add(1)
	return nil
}

// complete compares with the keys that were loaded.
func (c *scanCheck) complete() error {
	at, _ := slices.BinarySearchFunc(c.v.sorted, c.start, bytes.Compare)
	for _, k := range c.keys {
		if at < len(c.v.sorted) {
			switch d := bytes.Compare(c.v.sorted[at], k); {
			case d < 0:
				return c.v.found("MISSING", "a scan left out row %s", c.v.sorted[at])
			case d == 0:
				at++
				continue
			}
		}
		// Not one of the loaded: inserted during the run, or by nobody.
		if !c.v.w.inserts {
			return c.v.found("UNKNOWN", "row %s, which nobody wrote", k)
		}
	}
	if len(c.keys) < c.n && at < len(c.v.sorted) {
		return c.v.found("MISSING", "a scan of %d rows from %s ended after %d, before %s", c.n, c.start, len(c.keys), c.v.sorted[at])
	}
	return nil
}
