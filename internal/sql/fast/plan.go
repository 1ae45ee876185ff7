package fast

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/answer"
)

// ErrNotMine: the arguments, or what the table has become, are not for the plan.
var ErrNotMine = errors.New("fast: not mine")

// Plan is a compiled statement. It is immutable and may be used by many sessions
// that share its Options.
type Plan struct {
	table *rel.Table
	// What it is about: one of these.
	read   *read
	update *update
	remove bool
	insert *insert

	key []operand // values of the primary key, or of the columns of it before the range
	// low and high bound the next column of the key, both ends included.
	low, high *operand
}

// Options of Compile.
type Options struct {
	Database string
	// Columns are the result's columns, as the general engine describes them.
	Columns   []answer.Column
	FoundRows bool
}

// operand is a literal or an argument.
type operand struct {
	column *catalog.SQLColumn
	arg    int // -1: literal
	value  row.Value
}

// Table is the version that the plan is of.
func (p *Plan) Table() *rel.Table { return p.table }

// Writes tells whether the plan changes rows.
func (p *Plan) Writes() bool { return p.read == nil }

// Compile makes a plan, or nil.
func Compile(s *rel.Store, ast sqlparser.Statement, o Options) *Plan {
	c := &compiler{store: s, o: o}
	switch n := ast.(type) {
	case *sqlparser.Select:
		return c.compileSelect(n)
	case *sqlparser.Update:
		return c.compileUpdate(n)
	case *sqlparser.Delete:
		return c.compileDelete(n)
	case *sqlparser.Insert:
		return c.compileInsert(n)
	}
	return nil
}

type compiler struct {
	store *rel.Store
	o     Options
	p     Plan
	name  string // the table's own
	alias string
}

// resolve finds the one table of a statement.
func (c *compiler) resolve(exprs sqlparser.TableExprs) bool {
	if len(exprs) != 1 {
		return false
	}
	a, ok := exprs[0].(*sqlparser.AliasedTableExpr)
	if !ok || a.Partitions != nil || a.Hints != nil || a.AsOf != nil || a.Lateral {
		return false
	}
	name, ok := a.Expr.(sqlparser.TableName)
	if !ok {
		return false
	}
	c.alias = a.As.String()
	return c.find(name)
}

func (c *compiler) find(name sqlparser.TableName) bool {
	db := name.DbQualifier.String()
	if db == "" {
		db = c.o.Database
	}
	t, err := c.store.Lookup(catalog.TableName{Namespace: db, Qualifier: name.Name.String()})
	if err != nil || t == nil || t.Hidden() {
		return false
	}
	for i := range t.Def.Columns {
		if !plain(&t.Def.Columns[i]) {
			return false
		}
	}
	c.p.table, c.name = t, name.Name.String()
	if c.alias == "" {
		c.alias = c.name
	}
	return true
}

// plain columns are stored as they are shown, and shown alike in all sessions.
func plain(c *catalog.SQLColumn) bool {
	if c.Generated != "" || c.Kind == catalog.SQLJSON {
		return false
	}
	t := strings.ToLower(c.Type)
	for _, other := range []string{"enum", "set(", "bit", "year", "timestamp"} {
		if strings.HasPrefix(t, other) {
			return false
		}
	}
	return true
}

// writable tells whether a change of the table concerns nothing but its rows and
// what rel checks.
func (c *compiler) writable() bool {
	def := c.p.table.Def
	if len(def.Checks) > 0 {
		return false
	}
	for n := range c.store.Catalog().View().SQLObjects {
		if n.Kind == catalog.SQLTrigger && n.Database == def.Name.Namespace {
			return false
		}
	}
	return true
}

// column is the place of a column of the table, or -1.
func (c *compiler) column(e sqlparser.Expr) int {
	n, ok := e.(*sqlparser.ColName)
	if !ok || n.StoredProcVal != nil {
		return -1
	}
	if q := n.Qualifier; !q.IsEmpty() && (!strings.EqualFold(q.Name.String(), c.alias) || !q.DbQualifier.IsEmpty()) {
		return -1
	}
	return c.p.table.Def.Column(n.Name.String())
}

// operand is a literal or an argument for a column.
func (c *compiler) operand(e sqlparser.Expr, place int) (operand, bool) {
	o := operand{column: &c.p.table.Def.Columns[place], arg: -1}
	negative := false
	if u, ok := e.(*sqlparser.UnaryExpr); ok && u.Operator == sqlparser.UMinusStr {
		e, negative = u.Expr, true
	}
	if _, null := e.(*sqlparser.NullVal); null && !negative {
		return o, true
	}
	v, ok := e.(*sqlparser.SQLVal)
	if !ok {
		return o, false
	}
	switch {
	case v.Type == sqlparser.ValArg && !negative:
		n, err := strconv.Atoi(strings.TrimPrefix(string(v.Val), ":v"))
		o.arg = n - 1
		return o, err == nil && n > 0
	case v.Type == sqlparser.IntVal:
		text := string(v.Val)
		if negative {
			text = "-" + text
		}
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			o.value = row.IntValue(n)
		} else if u, err := strconv.ParseUint(text, 10, 64); err == nil {
			o.value = row.UintValue(u)
		} else {
			return o, false
		}
	case v.Type == sqlparser.StrVal && !negative:
		o.value = row.BytesValue(v.Val)
	default:
		return o, false
	}
	o.value, ok = fit(o.column, o.value)
	return o, ok
}

// get is the operand's value for its column.
func (o *operand) get(args []row.Value) (row.Value, bool) {
	if o.arg < 0 {
		return o.value, true
	}
	if o.arg >= len(args) {
		return row.Value{}, false
	}
	return fit(o.column, args[o.arg])
}

// where reads a condition on the primary key: equality of its first columns,
// perhaps a range of the next one.
func (c *compiler) where(w *sqlparser.Where) bool {
	if w == nil {
		return false
	}
	equal := map[int]operand{}
	lows, highs := map[int]operand{}, map[int]operand{}
	var conditions []sqlparser.Expr
	var split func(e sqlparser.Expr)
	split = func(e sqlparser.Expr) {
		switch e := e.(type) {
		case *sqlparser.AndExpr:
			split(e.Left)
			split(e.Right)
		case *sqlparser.ParenExpr:
			split(e.Expr)
		default:
			conditions = append(conditions, e)
		}
	}
	split(w.Expr)
	put := func(m map[int]operand, place int, e sqlparser.Expr) bool {
		if _, twice := m[place]; place < 0 || twice {
			return false
		}
		o, ok := c.operand(e, place)
		m[place] = o
		return ok
	}
	for _, e := range conditions {
		switch e := e.(type) {
		case *sqlparser.ComparisonExpr:
			place := c.column(e.Left)
			ok := false
			switch e.Operator {
			case sqlparser.EqualStr:
				ok = put(equal, place, e.Right)
			case sqlparser.GreaterEqualStr:
				ok = put(lows, place, e.Right)
			case sqlparser.LessEqualStr:
				ok = put(highs, place, e.Right)
			}
			if !ok {
				return false
			}
		case *sqlparser.RangeCond:
			place := c.column(e.Left)
			if e.Operator != sqlparser.BetweenStr || !put(lows, place, e.From) || !put(highs, place, e.To) {
				return false
			}
		default:
			return false
		}
	}
	used := 0
	for _, k := range c.p.table.Primary.Columns {
		if k.Desc || k.Prefix > 0 {
			return false
		}
		if o, ok := equal[k.Place]; ok {
			c.p.key = append(c.p.key, o)
			used++
			continue
		}
		if o, ok := lows[k.Place]; ok {
			c.p.low = &o
			used++
		}
		if o, ok := highs[k.Place]; ok {
			c.p.high = &o
			used++
		}
		break
	}
	// All conditions must be in the range: nothing is looked at afterwards.
	return used == len(equal)+len(lows)+len(highs) && used > 0
}

// isPoint tells whether the plan is about one row.
func (p *Plan) isPoint() bool { return len(p.key) == len(p.table.Primary.Columns) }

// keyValues are the values of the key's columns; ok is false if one does not fit,
// null if one is NULL, which is equal to nothing.
func (p *Plan) keyValues(args []row.Value) (values []row.Value, null, ok bool) {
	values = make([]row.Value, len(p.key))
	for i := range p.key {
		v, ok := p.key[i].get(args)
		if !ok {
			return nil, false, false
		}
		null = null || v.IsNull()
		values[i] = v
	}
	return values, null, true
}

// Run runs the plan. x may be nil for a read outside of any transaction.
func (p *Plan) Run(ctx context.Context, s *rel.Store, x *rel.Txn, args []row.Value, sink answer.Sink) (answer.Result, error) {
	switch {
	case p.read != nil:
		return p.runRead(ctx, s, x, args, sink)
	case p.update != nil:
		return p.runUpdate(ctx, x, args)
	case p.insert != nil:
		return p.runInsert(ctx, x, args)
	}
	return p.runDelete(ctx, x, args)
}
