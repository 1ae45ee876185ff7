package general

import (
	"strings"
	"sync/atomic"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/types"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// shape is one version of a table in the engine's terms, made once.
type shape struct {
	rel     *rel.Table
	schema  sql.PrimaryKeySchema
	columns []column
	indexes []sql.Index

	// The estimated number of rows, and when it was estimated.
	rows, counted atomic.Int64
}

func newShape(t *rel.Table) (*shape, error) {
	def := t.Def
	s := &shape{rel: t}
	var schema sql.Schema
	for i := range def.Columns {
		c := &def.Columns[i]
		typ, err := parseType(c.Type)
		if err != nil {
			return nil, err
		}
		col := &sql.Column{
			Name: c.Name, Type: typ, Nullable: !c.NotNull, AutoIncrement: c.AutoIncrement,
			Source: def.Name.Qualifier, DatabaseSource: def.Name.Namespace, Comment: c.Comment, Extra: c.Extra, Virtual: c.Virtual,
		}
		expression := func(text string) *sql.ColumnDefaultValue {
			if text == "" {
				return nil
			}
			return sql.NewUnresolvedColumnDefaultValue(text)
		}
		col.Default, col.Generated, col.OnUpdate = expression(c.Default), expression(c.Generated), expression(c.OnUpdate)
		schema = append(schema, col)
		s.columns = append(s.columns, newColumn(c, typ))
	}
	var ordinals []int
	for _, k := range t.Primary.Columns {
		schema[k.Place].PrimaryKey = true
		ordinals = append(ordinals, k.Place)
	}
	s.schema = sql.PrimaryKeySchema{Schema: schema, PkOrdinals: ordinals}
	if !t.Hidden() {
		s.indexes = append(s.indexes, newIndex(s, t.Primary))
	}
	for _, i := range t.Indexes {
		if !i.Def.Invisible {
			s.indexes = append(s.indexes, newIndex(s, i))
		}
	}
	return s, nil
}

// exactSchema is the schema with texts that are only equal byte by byte.
func (s *shape) exactSchema() sql.Schema {
	out := s.schema.Schema.Copy()
	for _, c := range out {
		if t, ok := c.Type.(sql.StringType); ok && t.Collation() != sql.Collation_binary {
			if exact, err := t.(sql.TypeWithCollation).WithNewCollation(sql.Collation_utf8mb4_0900_bin); err == nil {
				c.Type = exact
			}
		}
	}
	return out
}

// toRow is a stored row in the engine's form. Virtual columns are left out: the
// engine computes them.
func (s *shape) toRow(zone *time.Location, values []row.Value) (sql.Row, error) {
	out := make(sql.Row, 0, len(values))
	for i := range values {
		if s.columns[i].def.Virtual {
			continue
		}
		v, err := s.columns[i].load(zone, values[i])
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// toValues is a row of the engine in the stored form.
func (s *shape) toValues(ctx *sql.Context, zone *time.Location, in sql.Row) ([]row.Value, error) {
	out := make([]row.Value, len(s.columns))
	full := len(in) == len(s.columns)
	n := 0
	for i := range s.columns {
		if !full && s.columns[i].def.Virtual {
			continue
		}
		if n >= len(in) {
			return nil, sql.ErrUnexpectedRowLength.New(len(s.columns), len(in))
		}
		v, err := s.columns[i].store(ctx, zone, in[n])
		if err != nil {
			return nil, err
		}
		out[i] = v
		n++
	}
	return out, nil
}

// index is an index in the engine's terms.
type index struct {
	shape *shape
	rel   *rel.Index
	// extended are the columns of the primary key that are not in the index.
	extended []row.KeyColumn
}

var (
	_ sql.Index         = (*index)(nil)
	_ sql.OrderedIndex  = (*index)(nil)
	_ sql.ExtendedIndex = (*index)(nil)
)

func newIndex(s *shape, i *rel.Index) *index {
	x := &index{shape: s, rel: i}
	if !i.IsPrimary() && !i.Def.Unique {
		has := map[int]bool{}
		for _, k := range i.Columns {
			has[k.Place] = true
		}
		for _, k := range s.rel.Primary.Columns {
			if !has[k.Place] {
				x.extended = append(x.extended, k)
			}
		}
	}
	return x
}

func (x *index) name(k *row.KeyColumn) string {
	return x.Table() + "." + k.Column.Name
}

func (x *index) ID() string {
	if x.rel.IsPrimary() {
		return "PRIMARY"
	}
	return x.rel.Def.Name
}
func (x *index) Database() string                           { return x.shape.rel.Def.Name.Namespace }
func (x *index) Table() string                              { return x.shape.rel.Def.Name.Qualifier }
func (x *index) IsUnique() bool                             { return x.rel.Unique() }
func (x *index) IsSpatial() bool                            { return false }
func (x *index) IsFullText() bool                           { return false }
func (x *index) IsVector() bool                             { return false }
func (x *index) Comment() string                            { return x.rel.Def.Comment }
func (x *index) IndexType() string                          { return "BTREE" }
func (x *index) IsGenerated() bool                          { return false }
func (x *index) CanSupport(*sql.Context, ...sql.Range) bool { return true }
func (x *index) CanSupportOrderBy(sql.Expression) bool      { return false }
func (x *index) Reversible() bool                           { return x.Order() == sql.IndexOrderAsc }

// Order says whether the index gives rows in the order of its columns.
func (x *index) Order() sql.IndexOrder {
	for i := range x.rel.Columns {
		if k := &x.rel.Columns[i]; k.Desc || k.Prefix > 0 || x.enumerated(k) {
			return sql.IndexOrderNone
		}
	}
	return sql.IndexOrderAsc
}

// enumerated columns are compared by their text in ranges but stored as numbers.
func (x *index) enumerated(k *row.KeyColumn) bool {
	t := x.shape.columns[k.Place].typ
	return types.IsEnum(t) || types.IsSet(t)
}

func (x *index) Expressions() []string {
	var out []string
	for i := range x.rel.Columns {
		out = append(out, x.name(&x.rel.Columns[i]))
	}
	return out
}

func (x *index) ColumnExpressionTypes() []sql.ColumnExpressionType {
	var out []sql.ColumnExpressionType
	for i := range x.rel.Columns {
		k := &x.rel.Columns[i]
		out = append(out, sql.ColumnExpressionType{Expression: x.name(k), Type: x.shape.columns[k.Place].typ})
	}
	return out
}

func (x *index) ExtendedExpressions() []string {
	out := x.Expressions()
	for i := range x.extended {
		out = append(out, x.name(&x.extended[i]))
	}
	return out
}

func (x *index) ExtendedColumnExpressionTypes() []sql.ColumnExpressionType {
	out := x.ColumnExpressionTypes()
	for i := range x.extended {
		k := &x.extended[i]
		out = append(out, sql.ColumnExpressionType{Expression: x.name(k), Type: x.shape.columns[k.Place].typ})
	}
	return out
}

func (x *index) PrefixLengths() []uint16 {
	var out []uint16
	any := false
	for _, c := range x.rel.Def.Columns {
		out = append(out, uint16(c.Prefix))
		any = any || c.Prefix > 0
	}
	if !any {
		return nil
	}
	return out
}

// span is a range of an index's keys.
type span struct {
	start, end []byte
	// point: it can hold one row only.
	point bool
}

// spanOf bounds the keys of a range of values. The range may hold more rows than
// the condition it came from: the engine checks them all again.
func (x *index) spanOf(ctx *sql.Context, zone *time.Location, r sql.MySQLRange) (s span, empty bool) {
	prefix := x.rel.AppendPrefix(nil)
	columns := x.rel.Columns
	whole := func() span { return span{start: prefix, end: rel.After(prefix)} }
	for i := range columns {
		if i >= len(r) {
			return whole(), false
		}
		k := &columns[i]
		c := &x.shape.columns[k.Place]
		e := r[i]
		if k.Desc || x.enumerated(k) && !isEqual(ctx, e) {
			return whole(), false
		}
		if isNull(e) {
			if k.Column.NotNull {
				return span{}, true
			}
			prefix = row.AppendKey(prefix, k, row.Value{})
			continue
		}
		if isEqual(ctx, e) {
			v, ok := c.exact(ctx, zone, e.Typ, sql.GetMySQLRangeCutKey(e.LowerBound))
			if !ok {
				return whole(), false
			}
			prefix = row.AppendKey(prefix, k, v)
			continue
		}
		return x.bounded(ctx, zone, prefix, k, c, e), false
	}
	s = whole()
	s.point = x.rel.Unique() && noNulls(r[:len(columns)])
	return s, false
}

// bounded is the span of a prefix and a range of the next column.
func (x *index) bounded(ctx *sql.Context, zone *time.Location, prefix []byte, k *row.KeyColumn, c *column, e sql.MySQLRangeColumnExpr) span {
	s := span{start: prefix, end: rel.After(prefix)}
	clone := func() []byte { return append([]byte{}, prefix...) }
	switch b := e.LowerBound.(type) {
	case sql.Below:
		if v, ok := c.exact(ctx, zone, e.Typ, b.Key); ok {
			s.start = row.AppendKey(clone(), k, v)
		}
	case sql.Above:
		if v, ok := c.exact(ctx, zone, e.Typ, b.Key); ok {
			s.start = row.AppendKey(clone(), k, v)
			if k.Prefix == 0 {
				s.start = rel.After(s.start)
			}
		}
	case sql.AboveNull:
		if !k.Column.NotNull {
			s.start = rel.After(row.AppendKey(clone(), k, row.Value{}))
		}
	}
	switch b := e.UpperBound.(type) {
	case sql.Below:
		if v, ok := c.exact(ctx, zone, e.Typ, b.Key); ok {
			s.end = row.AppendKey(clone(), k, v)
			if k.Prefix > 0 {
				s.end = rel.After(s.end)
			}
		}
	case sql.Above:
		if v, ok := c.exact(ctx, zone, e.Typ, b.Key); ok {
			s.end = rel.After(row.AppendKey(clone(), k, v))
		}
	}
	return s
}

func isNull(e sql.MySQLRangeColumnExpr) bool {
	_, low := e.LowerBound.(sql.BelowNull)
	_, high := e.UpperBound.(sql.AboveNull)
	return low && high
}

func isEqual(ctx *sql.Context, e sql.MySQLRangeColumnExpr) bool {
	low, ok := e.LowerBound.(sql.Below)
	if !ok {
		return false
	}
	high, ok := e.UpperBound.(sql.Above)
	if !ok || low.Key == nil {
		return false
	}
	n, err := e.Typ.Compare(ctx, low.Key, high.Key)
	return err == nil && n == 0
}

func noNulls(r sql.MySQLRange) bool {
	for _, e := range r {
		if isNull(e) {
			return false
		}
	}
	return true
}

// findColumn is the place of a column by name.
func findColumn(def *catalog.SQLTable, name string) (int, error) {
	if i := def.Column(name); i >= 0 {
		return i, nil
	}
	return 0, sql.ErrTableColumnNotFound.New(def.Name.Qualifier, strings.Trim(name, "`"))
}
