package hbase

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

var scanSeed = flag.Uint64("scanseed", 0, "seed of TestScanContract; 0: a new one")

// modelRow is a row as the model has it: its cells in order, as text.
type modelRow struct {
	key   string
	cells []string
}

// scanOptions are what a random client asks for, on every call the same but
// for the limit on rows, of which it sends what is left.
type scanOptions struct {
	start, stop               string
	includeStart, includeStop bool
	reversed                  bool
	rows                      uint64
	batch, maxBytes, limit    int
	partials, heartbeats      bool
	codec                     bool
	drop                      bool // a filter drops rows
	byRow                     bool // the filter decides over whole rows
	sequence                  bool
	renew                     bool
}

// TestScanContract reads with random options, the way clients do: region by
// region, putting pieces of rows together, and compares with a model.
func TestScanContract(t *testing.T) {
	seed := *scanSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	rnd := rand.New(rand.NewPCG(seed, 2))
	f := newFixture(t, Limits{MinTimeSlice: 1, DefaultTimeout: 2, DefaultResultBytes: 4000})
	f.create("s", nil, "k05", "k20", "k30")
	model := f.fillRandom(rnd)
	for i := range 400 {
		o := randomScan(rnd, model)
		if err := f.runScan(o, model); err != "" {
			t.Fatalf("-scanseed=%d scan %d %+v: %s", seed, i, o, err)
		}
	}
	if n := f.OpenScanners(); n != 0 {
		t.Errorf("%d scanners left open", n)
	}
}

// fillRandom writes rows of very different sizes into table s.
func (f *fixture) fillRandom(rnd *rand.Rand) (model []modelRow) {
	f.t.Helper()
	for i := range 40 {
		if rnd.IntN(4) == 0 {
			continue
		}
		row := modelRow{key: fmt.Sprintf("k%02d", i)}
		n := 1 + rnd.IntN(4)
		if rnd.IntN(6) == 0 {
			n = 10 + rnd.IntN(30)
		}
		put := message{}.str(1, row.key).num(2, 2)
		for _, family := range []string{"f", "g"} {
			for q := range n {
				if family == "f" && rnd.IntN(2) == 0 {
					continue
				}
				value := strings.Repeat(string(rune('a'+rnd.IntN(3))), rnd.IntN(300))
				put = put.bytes(3, column(family, fmt.Sprintf("q%02d", q), value))
				row.cells = append(row.cells, fmt.Sprintf("%s:q%02d=%s", family, q, value))
			}
		}
		f.ok("Mutate", message{}.bytes(1, f.region("s", row.key)).bytes(2, put), nil)
		model = append(model, row)
	}
	return model
}

func randomScan(rnd *rand.Rand, model []modelRow) scanOptions {
	bound := func() string {
		switch rnd.IntN(4) {
		case 0:
			return ""
		case 1:
			return fmt.Sprintf("k%02d", rnd.IntN(40))
		case 2:
			return fmt.Sprintf("k%02d5", rnd.IntN(40))
		}
		return model[rnd.IntN(len(model))].key
	}
	coin := func(n int) bool { return rnd.IntN(n) == 0 }
	o := scanOptions{
		start: bound(), stop: bound(), includeStart: !coin(4), includeStop: coin(3), reversed: coin(3),
		rows: []uint64{1, 2, 3, 7, 100, 1<<31 - 1}[rnd.IntN(6)], partials: coin(2), codec: !coin(4), sequence: coin(2), renew: coin(4),
	}
	o.heartbeats = coin(2)
	if coin(3) {
		o.batch = 1 + rnd.IntN(5)
	}
	if coin(2) {
		o.maxBytes = 1 + rnd.IntN(3000)
	}
	if coin(3) {
		o.limit = 1 + rnd.IntN(12)
	}
	if o.drop = coin(3); o.drop && o.batch == 0 {
		// Clients refuse row filters together with a batch size.
		o.byRow = coin(2)
	}
	return o
}

// dropped tells whether the filter of the scan drops the row or cell.
func (o *scanOptions) shows(row modelRow) modelRow {
	if !o.drop {
		return row
	}
	out := modelRow{key: row.key}
	for _, c := range row.cells {
		_, value, _ := strings.Cut(c, "=")
		if !strings.Contains(value, "a") {
			out.cells = append(out.cells, c)
		} else if o.byRow {
			return modelRow{}
		}
	}
	return out
}

// filter is ValueFilter(!= substring a), alone or in a SkipFilter.
func (o *scanOptions) filter() message {
	value := message{}.str(1, "org.apache.hadoop.hbase.filter.ValueFilter").bytes(2, message{}.bytes(1, message{}.
		num(1, 3).bytes(2, message{}.str(1, "org.apache.hadoop.hbase.filter.SubstringComparator").bytes(2, message{}.str(1, "a")))))
	if o.byRow {
		return message{}.str(1, "org.apache.hadoop.hbase.filter.SkipFilter").bytes(2, message{}.bytes(1, value))
	}
	return value
}

func (o *scanOptions) expected(model []modelRow) (want []modelRow) {
	rows := slices.Clone(model)
	low, high, withLow, withHigh := o.start, o.stop, o.includeStart, o.includeStop
	if o.reversed {
		slices.Reverse(rows)
		low, high, withLow, withHigh = high, low, withHigh, withLow
	}
	for _, r := range rows {
		if low != "" && (r.key < low || r.key == low && !withLow) || high != "" && (r.key > high || r.key == high && !withHigh) {
			continue
		}
		if r = o.shows(r); len(r.cells) > 0 {
			want = append(want, r)
		}
		if o.limit > 0 && len(want) == o.limit {
			break
		}
	}
	return want
}

func (o *scanOptions) scan() message {
	m := message{}.flag(21, o.includeStart).flag(22, o.includeStop)
	if o.start != "" {
		m = m.str(3, o.start)
	}
	if o.stop != "" {
		m = m.str(4, o.stop)
	}
	if o.batch > 0 {
		m = m.num(9, uint64(o.batch))
	}
	if o.maxBytes > 0 {
		m = m.num(10, uint64(o.maxBytes))
	}
	if o.drop {
		m = m.bytes(5, o.filter())
	}
	return m.flag(15, o.reversed)
}

// reader puts a client's rows together.
type reader struct {
	rows []modelRow
	open bool // the last one may go on
}

func (r *reader) take(res scanResult) {
	key := string(res.cells[0].Row)
	if !r.open || r.rows[len(r.rows)-1].key != key {
		r.rows = append(r.rows, modelRow{key: key})
	}
	last := &r.rows[len(r.rows)-1]
	for _, c := range res.cells {
		last.cells = append(last.cells, fmt.Sprintf("%s:%s=%s", c.Family, c.Qualifier, c.Value))
	}
	r.open = res.partial
}

// complete is the number of rows that the client knows to be whole.
func (r *reader) complete() int {
	if r.open {
		return len(r.rows) - 1
	}
	return len(r.rows)
}

func (f *fixture) runScan(o scanOptions, model []modelRow) string {
	if !o.codec {
		f.client = plainClient()
	} else {
		f.client = java()
	}
	regions := slices.Clone(f.catalog.View().Tables[catalog.ParseTableName("s")].Regions)
	if o.reversed {
		slices.Reverse(regions)
	}
	var got reader
	for _, r := range regions {
		done, problem := f.scanRegion(&o, r, &got)
		if problem != "" {
			return problem
		}
		if done {
			break
		}
	}
	want := o.expected(model)
	if len(got.rows) != len(want) {
		return fmt.Sprintf("%d rows, want %d: %v, want %v", len(got.rows), len(want), keysOf(got.rows), keysOf(want))
	}
	for i := range want {
		if got.rows[i].key != want[i].key || !slices.Equal(got.rows[i].cells, want[i].cells) {
			return fmt.Sprintf("row %d is %v, want %v", i, got.rows[i], want[i])
		}
	}
	return ""
}

func keysOf(rows []modelRow) (keys []string) {
	for _, r := range rows {
		keys = append(keys, r.key)
	}
	return keys
}

// scanRegion reads one region to its end; done tells that the server ended the
// whole scan.
func (f *fixture) scanRegion(o *scanOptions, region *catalog.Region, got *reader) (done bool, problem string) {
	param := message{}.bytes(1, specifier(region.Name)).bytes(2, o.scan())
	var id, seq uint64
	for calls := 0; ; calls++ {
		if calls > 5000 {
			return false, "the scan does not end"
		}
		param = param.num(4, o.rows).flag(7, o.partials).flag(8, o.heartbeats)
		if o.limit > 0 {
			left := o.limit - got.complete()
			if left == 0 {
				return true, ""
			}
			param = param.num(11, uint64(left))
		}
		if o.sequence && id != 0 {
			param = param.num(6, seq)
			seq++
		}
		before := got.complete()
		a := f.doScan(param)
		if problem := o.check(&a, region); problem != "" {
			return false, problem
		}
		for _, r := range a.results {
			got.take(r)
		}
		if !a.moreInRegion() {
			got.open = false
		}
		if o.limit > 0 && got.complete()-before > o.limit-before {
			return false, "more rows than asked for"
		}
		if id == 0 {
			id = a.id()
		}
		switch {
		case !a.moreResults():
			return true, ""
		case !a.moreInRegion():
			return false, ""
		case len(a.results) == 0 && !a.heartbeat():
			return false, "an empty answer that is no heartbeat: clients take it for the end of the region"
		}
		if o.renew {
			param = message{}.num(3, id).flag(10, true)
			if o.sequence {
				param = param.num(6, seq)
				seq++
			}
			f.doScan(param)
		}
		param = message{}.num(3, id)
	}
}

// check holds one answer against what every answer keeps to.
func (o *scanOptions) check(a *scanAnswer, region *catalog.Region) string {
	switch {
	case !a.has(8) || !a.has(3):
		return "an answer without more_results or more_results_in_region"
	case !a.has(2):
		return "an answer without the scanner's id"
	case uint64(len(a.results)) > o.rows:
		return fmt.Sprintf("%d results, number_of_rows is %d", len(a.results), o.rows)
	case a.heartbeat() && !(o.heartbeats && o.partials):
		return "a heartbeat for a client that does not know them"
	case a.heartbeat() && !a.moreInRegion():
		return "a heartbeat at the end of the region"
	}
	size := 0
	for i, r := range a.results {
		last := i == len(a.results)-1
		switch {
		case len(r.cells) == 0:
			return "an empty result"
		case o.batch > 0 && len(r.cells) > o.batch:
			return fmt.Sprintf("%d cells in a result, batch is %d", len(r.cells), o.batch)
		case r.partial && o.batch == 0 && !last:
			return "a piece of a row that is not the last result"
		case r.partial && o.batch == 0 && (!o.partials || o.byRow):
			return "a piece of a row for a client, or from a filter, that does not allow it"
		case r.partial && last && !a.moreInRegion():
			return "a piece of a row at the end of the region"
		case o.maxBytes > 0 && o.partials && !o.byRow && size > o.maxBytes:
			return fmt.Sprintf("%d bytes and more to come, max_result_size is %d", size, o.maxBytes)
		case !region.Contains(r.cells[0].Row):
			return "a row of another region"
		}
		if !slices.IsSortedFunc(r.cells, func(a, b cell.Cell) int { return cell.CompareFull(&a, &b) }) {
			return "cells out of order"
		}
		for _, c := range r.cells {
			if !bytes.Equal(c.Row, r.cells[0].Row) {
				return "cells of two rows in one result"
			}
			size += len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value)
		}
	}
	return ""
}
