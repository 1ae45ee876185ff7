// Shows the workload on a store in memory that can be told to misbehave: the mix,
// what is read and written, the report, and what each way of checking finds.
package ycsb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/basaltdb/basalt/internal/bench/load"
	"github.com/basaltdb/basalt/internal/bench/measure"
	"github.com/basaltdb/basalt/internal/bench/result"
	"github.com/basaltdb/basalt/internal/bench/sample"
	"github.com/basaltdb/basalt/internal/bench/store"
)

// memStore is a store in memory with a fault to inject.
type memStore struct {
	mu    sync.Mutex
	rows  map[string]map[string]string
	fault string
	calls int
	fail  func(n int) error // of the n-th insert
}

func newMem() *memStore { return &memStore{rows: map[string]map[string]string{}} }

func (m *memStore) Open(context.Context, int) (store.Session, error) { return memSession{m}, nil }
func (m *memStore) Create(context.Context, store.Schema) error       { return nil }
func (m *memStore) Drop(context.Context) error                       { return nil }
func (m *memStore) Info(context.Context) map[string]string           { return nil }
func (m *memStore) Counters() map[string]int64                       { return nil }
func (m *memStore) Sources() []sample.Source                         { return nil }
func (m *memStore) Classify(err error) (measure.Class, string) {
	c, code, _ := store.Classify(err)
	return c, code
}
func (m *memStore) Close() error { return nil }

type memSession struct{ m *memStore }

func (s memSession) fill(key string, fields []string, row *store.Row) {
	row.Key, row.Fields = []byte(key), row.Fields[:0]
	have := s.m.rows[key]
	names := make([]string, 0, len(have))
	for f := range have {
		if fields == nil || slices.Contains(fields, f) {
			names = append(names, f)
		}
	}
	slices.Sort(names)
	for _, f := range names {
		row.Fields = append(row.Fields, store.Field{Name: f, Value: []byte(have[f])})
	}
	if n := len(row.Fields); s.m.fault == "wrong column" && n > 1 {
		row.Fields[0].Value, row.Fields[n-1].Value = row.Fields[n-1].Value, row.Fields[0].Value
	}
}

func (s memSession) Read(_ context.Context, key []byte, fields []string, row *store.Row) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if _, ok := s.m.rows[string(key)]; !ok {
		return store.ErrNotFound
	}
	s.fill(string(key), fields, row)
	return nil
}

func (s memSession) Scan(_ context.Context, start []byte, n int, fields []string, visit func(*store.Row) error) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	var keys []string
	for k := range s.m.rows {
		if k >= string(start) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	if s.m.fault == "dropped row" && len(keys) > 2 {
		keys = slices.Delete(keys, 1, 2)
	}
	keys = keys[:min(n, len(keys))]
	if s.m.fault == "unordered scan" && len(keys) > 2 {
		keys[1], keys[2] = keys[2], keys[1]
	}
	for _, k := range keys {
		var row store.Row
		s.fill(k, fields, &row)
		if err := visit(&row); err != nil {
			return err
		}
	}
	return nil
}

func (s memSession) Update(_ context.Context, key []byte, fields []store.Field) error {
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if s.m.fault == "lost update" {
		return nil
	}
	have := s.m.rows[string(key)]
	if have == nil {
		have = map[string]string{}
		s.m.rows[string(key)] = have
	}
	for _, f := range fields {
		have[f.Name] = string(f.Value)
	}
	return nil
}

func (s memSession) Insert(ctx context.Context, key []byte, fields []store.Field) error {
	s.m.mu.Lock()
	s.m.calls++
	var err error
	if s.m.fail != nil {
		err = s.m.fail(s.m.calls)
	}
	fault := s.m.fault
	s.m.fault = ""
	s.m.mu.Unlock()
	if err == nil {
		err = s.Update(ctx, key, fields)
	}
	s.m.mu.Lock()
	s.m.fault = fault
	s.m.mu.Unlock()
	return err
}

func (s memSession) Delete(context.Context, []byte) error { return nil }
func (s memSession) Close() error                         { return nil }

func workload(t *testing.T, run bool, settings ...string) (*Workload, *Properties) {
	t.Helper()
	p := NewProperties()
	for _, s := range append([]string{"recordcount=200", "threadcount=3", "fieldcount=4", "fieldlength=30"}, settings...) {
		name, value, _ := strings.Cut(s, "=")
		if err := p.Set(name, value, "flag"); err != nil {
			t.Fatal(err)
		}
	}
	w, err := New(p, run, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	return w, p
}

func loaded(t *testing.T, settings ...string) *memStore {
	t.Helper()
	m := newMem()
	w, p := workload(t, false, settings...)
	l, err := NewLoading(w, p, "mem", "", false, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := load.Run(t.Context(), l.Plan(m, 1)); err != nil {
		t.Fatal(err)
	}
	if missing, _, err := l.Finish(); missing != 0 || err != nil || len(m.rows) != 200 {
		t.Fatal(missing, err, len(m.rows))
	}
	return m
}

func runOn(t *testing.T, m *memStore, settings ...string) (*Workload, *load.Outcome) {
	t.Helper()
	w, _ := workload(t, true, settings...)
	o, err := load.Run(t.Context(), w.RunPlan(m, 1))
	if err != nil {
		t.Fatal(err)
	}
	return w, o
}

func mix(read, update, insert, scan, rmw string) []string {
	return []string{"operationcount=600", "readproportion=" + read, "updateproportion=" + update, "insertproportion=" + insert, "scanproportion=" + scan,
		"readmodifywriteproportion=" + rmw, "maxscanlength=20"}
}

func TestMix(t *testing.T) {
	m := loaded(t)
	_, o := runOn(t, m, append(mix("1", "1", "1", "1", "1"), "requestdistribution=zipfian")...)
	var top int64
	for _, s := range o.Set.Ops() {
		if s.Failures() > 0 {
			t.Errorf("%s: %v", s.Name, s.Errors)
		}
		top += s.Top
		if slices.Contains([]string{"INSERT", "SCAN", "READ-MODIFY-WRITE"}, s.Name) && (s.OK() < 60 || s.OK() > 180) {
			t.Errorf("%s: %d of 600", s.Name, s.OK())
		}
		if s.Name == "SCAN" && s.Counts[0] <= s.OK() {
			t.Errorf("%d rows of %d scans", s.Counts[0], s.OK())
		}
	}
	if top != 600 {
		t.Errorf("%d operations, want 600: a read-modify-write is one", top)
	}
}

// Each fault is caught by verify=strong; which of them dataintegrity misses is
// shown too.
func TestFaults(t *testing.T) {
	f := func(fault string, short, wantStrong, wantIntegrity bool, run ...string) {
		t.Helper()
		length := "fieldlength=100"
		if short {
			length = "fieldlength=20"
		}
		for mode, want := range map[string]bool{"verify=strong": wantStrong, "dataintegrity=true": wantIntegrity} {
			m := loaded(t, mode, length)
			m.fault = fault
			w, _ := runOn(t, m, append(run, mode, length)...)
			if got := w.Verify.Result(); got.Wrong > 0 != want || got.OK == 0 && !want && run[4] == "scanproportion=0" {
				t.Errorf("%s with %s: %+v, want it found: %v", fault, mode, got, want)
			}
		}
	}
	reads, scans, updates := mix("1", "0", "0", "0", "0"), mix("0", "0", "0", "1", "0"), mix("1", "1", "0", "0", "0")
	f("", false, false, false, mix("1", "1", "1", "1", "1")...)
	f("wrong column", false, true, true, reads...)
	f("wrong column", true, true, false, reads...) // 20 bytes are the key's beginning
	f("lost update", false, true, false, updates...)
	f("unordered scan", false, true, false, scans...)
	f("dropped row", false, true, false, scans...)
}

func TestLoadResumes(t *testing.T) {
	m := newMem()
	path := filepath.Join(t.TempDir(), "checkpoint")
	w, p := workload(t, false)
	m.fail = func(n int) error {
		if n == 120 {
			return errors.New("the server died")
		}
		return nil
	}
	l, err := NewLoading(w, p, "mem", path, false, false)
	if err != nil {
		t.Fatal(err)
	}
	o, err := load.Run(t.Context(), l.Plan(m, 1))
	if err != nil || o.Failure == nil {
		t.Fatal(err, o.Failure)
	}
	missing, gaps, err := l.Finish()
	if missing == 0 || len(gaps) != 1 || err != nil {
		t.Fatal(missing, gaps, err)
	}
	m.fail = nil
	if _, err := NewLoading(w, p, "mem", path, false, false); !errors.Is(err, ErrUnfinished) {
		t.Error(err)
	}
	other, q := workload(t, false, "fieldlength=31")
	if _, err := NewLoading(other, q, "mem", path, true, false); err == nil {
		t.Error("resumed with other properties")
	}
	before := m.calls
	if l, err = NewLoading(w, p, "mem", path, true, false); err != nil || l.Resumed == 0 {
		t.Fatal(err)
	}
	if _, err := load.Run(t.Context(), l.Plan(m, 1)); err != nil {
		t.Fatal(err)
	}
	if missing, _, err := l.Finish(); missing != 0 || err != nil {
		t.Fatal(missing, err)
	}
	if n := m.calls - before; n > 190 {
		t.Errorf("%d records were loaded again", n)
	}
	if read, wrong, err := w.Check(t.Context(), m, 0); read != 200 || len(wrong) > 0 || err != nil || len(m.rows) != 200 {
		t.Error(read, wrong, err, len(m.rows))
	}
}

func TestProbe(t *testing.T) {
	m := loaded(t, "keyhash=goycsb")
	w, _ := workload(t, true)
	if err := w.Probe(t.Context(), m); err == nil || !strings.Contains(err.Error(), "keyhash=goycsb") {
		t.Error(err)
	}
	if err := w.Probe(t.Context(), newMem()); err == nil || !strings.Contains(err.Error(), "load it first") {
		t.Error(err)
	}
	if err := w.Probe(t.Context(), loaded(t)); err != nil {
		t.Error(err)
	}
}

// The report is read here as a parser of YCSB's would, that knows nothing of ours.
func TestReport(t *testing.T) {
	m := loaded(t)
	n := 0
	for k := range m.rows {
		if n++; n <= 100 {
			delete(m.rows, k)
		}
	}
	_, o := runOn(t, m, mix("1", "1", "0", "0", "0")...)
	p, _ := result.Of(o, 0, 42, 99.9)
	all := Measurements(p, []float64{42, 95, 99.9}, "op")
	var b bytes.Buffer
	if err := WriteText(&b, all); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^\[([^\]]+)\], ([^,]+), (-?[0-9.E+-]+)$`)
	values := map[string]float64{}
	for l := range strings.Lines(b.String()) {
		f := line.FindStringSubmatch(strings.TrimSpace(l))
		if f == nil {
			t.Fatalf("line %q", l)
		}
		v, err := strconv.ParseFloat(f[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		values[f[1]+" "+f[2]] = v
	}
	for _, k := range []string{"OVERALL RunTime(ms)", "OVERALL Throughput(ops/sec)", "TOTAL_GC_TIME_% Time(%)", "READ 42ndPercentileLatency(us)",
		"READ 95thPercentileLatency(us)", "READ 99.9PercentileLatency(us)", "UPDATE Return=OK", "READ-FAILED Operations"} {
		if _, ok := values[k]; !ok {
			t.Errorf("no %q in\n%s", k, &b)
		}
	}
	if n := values["READ Return=OK"] + values["UPDATE Return=OK"] + values["READ Return=NOT_FOUND"]; n != 600 {
		t.Errorf("%v operations, want 600", n)
	}
	b.Reset()
	if err := WriteJSON(&b, all, true); err != nil {
		t.Fatal(err)
	}
	var back []Measurement
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || len(back) != len(all) {
		t.Error(err)
	}
}

func TestProperties(t *testing.T) {
	p := NewProperties()
	if err := p.Set("recordcuont", "1", "flag"); err == nil || !strings.Contains(err.Error(), "did you mean recordcount") {
		t.Error(err)
	}
	bad := func(settings ...string) {
		t.Helper()
		p := NewProperties()
		for _, s := range append([]string{"recordcount=10"}, settings...) {
			name, value, _ := strings.Cut(s, "=")
			if err := p.Set(name, value, "flag"); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := New(p, true, 1, 0); err == nil {
			t.Errorf("%v was taken", settings)
		}
	}
	bad("recordcount=0")
	bad("recordcount=many")
	bad("requestdistribution=zipf")
	bad("readproportion=0", "updateproportion=0")
	bad("readfields=field3-field1")
	bad("readfields=field3-field11")
	bad("minfieldlength=1000", "fieldlengthdistribution=uniform")
	bad("verify=strong", "fieldlength=10")
	bad("dataintegrity=true", "fieldlengthdistribution=zipfian")
	bad("fieldlengthdistribution=histogram", "fieldlengthhistogram=/nowhere")
	w, _ := workload(t, true, "readfields=field1-field2,field0", "readproportion=1")
	if got := strings.Join(w.readFields, " "); got != "field1 field2 field0" {
		t.Error(got)
	}
	for _, c := range "abcdef" {
		p := NewProperties()
		if err := p.Load("../../../test/peers/ycsb/workloads/workload" + string(c)); err != nil {
			t.Error(err)
		}
		if err := p.Set("recordcount", "1000", "flag"); err != nil {
			t.Fatal(err)
		}
		if _, err := New(p, true, 1, 0); err != nil {
			t.Errorf("workload%c: %v", c, err)
		}
	}
	if d := distance("kitten", "sitting"); d != 3 {
		t.Error(d)
	}
}
