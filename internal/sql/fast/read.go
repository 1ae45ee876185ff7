package fast

import (
	"bytes"
	"context"
	"math/big"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/answer"
)

// read is what a SELECT does with the rows of its range.
type read struct {
	columns []answer.Column
	places  []int // the columns shown
	// sum: one row, the sum of the one column; count: their number.
	sum, count bool
	distinct   bool
	// order are the columns to sort by; nil leaves the order of the key.
	order []row.KeyColumn
	limit int // -1: none
}

// maxSorted bounds the rows that are sorted in memory; above it, not mine.
const maxSorted = 100_000

func (c *compiler) compileSelect(n *sqlparser.Select) *Plan {
	q := n.QueryOpts
	if n.With != nil || n.GroupBy != nil || n.Having != nil || n.Window != nil || n.Into != nil || n.Lock != "" || n.Limit != nil ||
		q.SQLCalcFoundRows || q.StraightJoinHint {
		return nil
	}
	if !c.resolve(n.From) || !c.where(n.Where) {
		return nil
	}
	r := &read{columns: c.o.Columns, distinct: q.Distinct, limit: -1}
	if !c.shown(r, n.SelectExprs) || len(r.columns) == 0 {
		return nil
	}
	if !r.sum && !r.count && len(r.places) != len(r.columns) {
		return nil
	}
	for _, o := range n.OrderBy {
		place := c.column(o.Expr)
		if place < 0 || r.sum || r.count || !slices.Contains(r.places, place) {
			return nil
		}
		for _, e := range n.SelectExprs {
			if a, ok := e.(*sqlparser.AliasedExpr); ok && !a.As.IsEmpty() {
				return nil // the name may mean the alias
			}
		}
		k, ok := c.keyColumn(place)
		if !ok {
			return nil
		}
		k.Desc = o.Direction == sqlparser.DescScr
		r.order = append(r.order, k)
	}
	c.p.read = r
	return &c.p
}

// keyColumn is a column as sort keys hold it.
func (c *compiler) keyColumn(place int) (row.KeyColumn, bool) {
	col := &c.p.table.Def.Columns[place]
	k := row.KeyColumn{Column: col, Place: place}
	if col.Kind == catalog.SQLText {
		k.Collation = c.store.Collation(col.Collation)
		return k, k.Collation != nil
	}
	return k, true
}

func (c *compiler) shown(r *read, exprs sqlparser.SelectExprs) bool {
	for _, e := range exprs {
		switch e := e.(type) {
		case *sqlparser.StarExpr:
			if !e.TableName.IsEmpty() {
				return false
			}
			for i := range c.p.table.Def.Columns {
				r.places = append(r.places, i)
			}
		case *sqlparser.AliasedExpr:
			if f, ok := e.Expr.(*sqlparser.FuncExpr); ok {
				return len(exprs) == 1 && c.aggregate(r, f)
			}
			place := c.column(e.Expr)
			if place < 0 {
				return false
			}
			r.places = append(r.places, place)
		default:
			return false
		}
	}
	return true
}

func (c *compiler) aggregate(r *read, f *sqlparser.FuncExpr) bool {
	if f.Distinct || f.Over != nil || len(f.Exprs) != 1 || len(r.columns) != 1 || r.distinct || !f.Qualifier.IsEmpty() {
		return false
	}
	switch f.Name.Lowered() {
	case "count":
		r.count = true
		_, star := f.Exprs[0].(*sqlparser.StarExpr)
		return star && r.columns[0].Type == answer.TypeLongLong
	case "sum":
		a, ok := f.Exprs[0].(*sqlparser.AliasedExpr)
		if !ok {
			return false
		}
		place := c.column(a.Expr)
		if place < 0 {
			return false
		}
		r.sum, r.places = true, []int{place}
		switch c.p.table.Def.Columns[place].Kind {
		case catalog.SQLInt, catalog.SQLUint:
			t := r.columns[0]
			return t.Type == answer.TypeDecimal && t.Decimals == 0 || t.Type == answer.TypeDouble
		}
	}
	return false
}

// source gives the rows of a plan's range, one after the other.
type source struct {
	cursor *rel.Cursor
	one    []row.Value // of a point: the row, once
}

func (s *source) next(ctx context.Context) ([]row.Value, error) {
	if s.cursor == nil {
		v := s.one
		s.one = nil
		return v, nil
	}
	ok, err := s.cursor.Next(ctx)
	if err != nil || !ok {
		return nil, err
	}
	return s.cursor.Values, nil
}

func (s *source) close() {
	if s.cursor != nil {
		// Its error would be the iterator's, which next has given.
		_ = s.cursor.Close()
	}
}

// open starts reading. Nothing has been answered yet.
func (p *Plan) open(ctx context.Context, s *rel.Store, x *rel.Txn, args []row.Value) (*source, error) {
	values, null, ok := p.keyValues(args)
	if !ok {
		return nil, ErrNotMine
	}
	start := p.table.Primary.AppendPrefix(nil, values...)
	if x != nil {
		t, err := x.Table(ctx, p.table.Def.Name)
		if err != nil {
			return nil, err
		}
		if t != p.table {
			return nil, ErrNotMine
		}
	}
	if p.isPoint() {
		if null {
			return &source{}, nil
		}
		dst := make([]row.Value, len(p.table.Def.Columns))
		var buf []byte
		found, err := s.Get(x, p.table, start, dst, p.read.places, &buf)
		if err != nil {
			return nil, err
		}
		if x == nil && p.table.Def.Retired() {
			return nil, ErrNotMine
		}
		if !found {
			return &source{}, nil
		}
		return &source{one: dst}, nil
	}
	end := rel.After(start)
	if p.low != nil {
		v, ok := p.low.get(args)
		if !ok {
			return nil, ErrNotMine
		}
		null = null || v.IsNull()
		start = p.table.Primary.AppendPrefix(nil, append(slices.Clone(values), v)...)
	}
	if p.high != nil {
		v, ok := p.high.get(args)
		if !ok {
			return nil, ErrNotMine
		}
		null = null || v.IsNull()
		end = rel.After(p.table.Primary.AppendPrefix(nil, append(slices.Clone(values), v)...))
	}
	if null || end != nil && bytes.Compare(start, end) >= 0 {
		return &source{}, nil
	}
	o := rel.ScanOptions{Index: p.table.Primary, Start: start, End: end, Places: p.read.places}
	cursor, err := s.Scan(ctx, x, p.table, o)
	if err != nil {
		return nil, err
	}
	if x == nil && p.table.Def.Retired() {
		_ = cursor.Close()
		return nil, ErrNotMine
	}
	return &source{cursor: cursor}, nil
}

func (p *Plan) runRead(ctx context.Context, s *rel.Store, x *rel.Txn, args []row.Value, sink answer.Sink) (answer.Result, error) {
	src, err := p.open(ctx, s, x, args)
	if err != nil {
		return answer.Result{}, err
	}
	defer src.close()
	r := p.read
	if r.sum || r.count {
		return r.total(ctx, src, sink)
	}
	if r.order != nil || r.distinct {
		return r.sorted(ctx, p, src, sink)
	}
	out := make([]row.Value, len(r.places))
	if err := sink.Columns(r.columns); err != nil {
		return answer.Result{}, &SinkError{err}
	}
	n := uint64(0)
	for {
		values, err := src.next(ctx)
		if err != nil {
			return answer.Result{}, err
		}
		if values == nil {
			return answer.Result{Rows: true, AffectedRows: n}, nil
		}
		for i, place := range r.places {
			out[i] = values[place]
		}
		if err := sink.Row(out); err != nil {
			return answer.Result{}, &SinkError{err}
		}
		n++
	}
}

// SinkError is an error of the sink.
type SinkError struct{ Err error }

func (e *SinkError) Error() string { return e.Err.Error() }
func (e *SinkError) Unwrap() error { return e.Err }

func (r *read) total(ctx context.Context, src *source, sink answer.Sink) (answer.Result, error) {
	n := int64(0)
	some := false
	sum := new(big.Int)
	var add big.Int
	for {
		values, err := src.next(ctx)
		if err != nil {
			return answer.Result{}, err
		}
		if values == nil {
			break
		}
		n++
		if !r.sum {
			continue
		}
		switch v := values[r.places[0]]; v.Kind {
		case row.Int:
			sum.Add(sum, add.SetInt64(v.Int()))
			some = true
		case row.Uint:
			sum.Add(sum, add.SetUint64(v.Num))
			some = true
		}
	}
	var out row.Value
	switch {
	case r.count:
		out = row.IntValue(n)
	case !some:
	case r.columns[0].Type == answer.TypeDouble:
		f, _ := new(big.Float).SetInt(sum).Float64()
		out = row.DoubleValue(f)
	default:
		out = row.BytesValue(sum.Append(nil, 10))
	}
	if err := sink.Columns(r.columns); err != nil {
		return answer.Result{}, &SinkError{err}
	}
	if err := sink.Row([]row.Value{out}); err != nil {
		return answer.Result{}, &SinkError{err}
	}
	return answer.Result{Rows: true, AffectedRows: 1}, nil
}

type sortedRow struct {
	key    string
	values []row.Value
}

// sorted collects the rows, sorts them and leaves out equal ones.
func (r *read) sorted(ctx context.Context, p *Plan, src *source, sink answer.Sink) (answer.Result, error) {
	var rows []sortedRow
	seen := map[string]bool{}
	var key []byte
	for {
		values, err := src.next(ctx)
		if err != nil {
			return answer.Result{}, err
		}
		if values == nil {
			break
		}
		if len(rows) == maxSorted {
			return answer.Result{}, ErrNotMine
		}
		one := sortedRow{values: make([]row.Value, len(r.places))}
		for i, place := range r.places {
			one.values[i] = values[place]
			one.values[i].Bytes = bytes.Clone(values[place].Bytes)
		}
		if r.distinct {
			key = p.distinctKey(key[:0], values)
			if seen[string(key)] {
				continue
			}
			seen[string(key)] = true
		}
		key = key[:0]
		for i := range r.order {
			key = row.AppendKey(key, &r.order[i], values[r.order[i].Place])
		}
		one.key = string(key)
		rows = append(rows, one)
	}
	if r.order != nil {
		slices.SortStableFunc(rows, func(a, b sortedRow) int { return strings.Compare(a.key, b.key) })
	}
	if err := sink.Columns(r.columns); err != nil {
		return answer.Result{}, &SinkError{err}
	}
	for i := range rows {
		if err := sink.Row(rows[i].values); err != nil {
			return answer.Result{}, &SinkError{err}
		}
	}
	return answer.Result{Rows: true, AffectedRows: uint64(len(rows))}, nil
}

// distinctKey is equal for rows that DISTINCT takes for the same.
func (p *Plan) distinctKey(dst []byte, values []row.Value) []byte {
	for _, place := range p.read.places {
		k := p.table.KeyColumn(place)
		dst = row.AppendKey(dst, &k, values[place])
	}
	return dst
}
