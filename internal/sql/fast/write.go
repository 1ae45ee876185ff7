package fast

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/answer"
)

// assignment sets a column to an operand, or adds one to it.
type assignment struct {
	place int
	value operand
	// add: the column's own value plus (or minus) the operand.
	add, subtract bool
}

type update struct {
	set       []assignment
	foundRows bool
}

// insert has an operand for each column of the table. A row without a number for
// the AUTO_INCREMENT column is not mine.
type insert struct {
	rows [][]operand
	auto int // place of the AUTO_INCREMENT column, or -1
}

func (c *compiler) compileUpdate(n *sqlparser.Update) *Plan {
	if n.With != nil || n.Ignore != "" || n.OrderBy != nil || n.Limit != nil || n.Returning != nil {
		return nil
	}
	if !c.resolve(n.TableExprs) || !c.writable() || !c.where(n.Where) || !c.p.isPoint() {
		return nil
	}
	u := &update{foundRows: c.o.FoundRows}
	for i := range c.p.table.Def.Columns {
		if c.p.table.Def.Columns[i].OnUpdate != "" {
			return nil
		}
	}
	for _, e := range n.Exprs {
		place := c.column(e.Name)
		if place < 0 || c.inPrimary(place) || slices.ContainsFunc(u.set, func(a assignment) bool { return a.place == place }) {
			return nil
		}
		a := assignment{place: place}
		value := e.Expr
		if b, ok := value.(*sqlparser.BinaryExpr); ok && c.column(b.Left) == place {
			a.add, a.subtract = b.Operator == sqlparser.PlusStr, b.Operator == sqlparser.MinusStr
			if !a.add && !a.subtract || c.p.table.Def.Columns[place].Kind != catalog.SQLInt {
				return nil
			}
			value = b.Right
		}
		var ok bool
		if a.value, ok = c.operand(value, place); !ok {
			return nil
		}
		u.set = append(u.set, a)
	}
	c.p.update = u
	return &c.p
}

func (c *compiler) inPrimary(place int) bool {
	return slices.ContainsFunc(c.p.table.Primary.Columns, func(k row.KeyColumn) bool { return k.Place == place })
}

func (c *compiler) compileDelete(n *sqlparser.Delete) *Plan {
	if n.With != nil || n.Targets != nil || n.Partitions != nil || n.OrderBy != nil || n.Limit != nil || n.Returning != nil {
		return nil
	}
	if !c.resolve(n.TableExprs) || !c.writable() || !c.where(n.Where) || !c.p.isPoint() {
		return nil
	}
	c.p.remove = true
	return &c.p
}

func (c *compiler) compileInsert(n *sqlparser.Insert) *Plan {
	if n.Action == sqlparser.ReplaceStr || n.Ignore != "" || n.With != nil || n.Partitions != nil || n.Returning != nil || n.OnDup != nil {
		return nil
	}
	rows, ok := n.Rows.(*sqlparser.AliasedValues)
	if !ok || !c.find(n.Table) || !c.writable() {
		return nil
	}
	columns := c.p.table.Def.Columns
	places := make([]int, 0, len(columns))
	if len(n.Columns) == 0 {
		for i := range columns {
			places = append(places, i)
		}
	}
	for _, name := range n.Columns {
		place := c.p.table.Def.Column(name.String())
		if place < 0 || slices.Contains(places, place) {
			return nil
		}
		places = append(places, place)
	}
	// A column that is left out must read as NULL.
	for i := range columns {
		if !slices.Contains(places, i) && (columns[i].NotNull || columns[i].Default != "") {
			return nil
		}
	}
	in := &insert{auto: c.p.table.AutoColumn()}
	for _, tuple := range rows.Values {
		if len(tuple) != len(places) {
			return nil
		}
		one := make([]operand, len(columns))
		for i := range one {
			one[i] = operand{column: &columns[i], arg: -1}
		}
		for i, e := range tuple {
			if one[places[i]], ok = c.operand(e, places[i]); !ok {
				return nil
			}
		}
		in.rows = append(in.rows, one)
	}
	c.p.insert = in
	return &c.p
}

// pin is the plan's table, kept as it is to the end of the transaction.
func (p *Plan) pin(ctx context.Context, x *rel.Txn) error {
	t, err := x.Table(ctx, p.table.Def.Name)
	if err != nil {
		return err
	}
	if t != p.table {
		return ErrNotMine
	}
	return nil
}

// lockRow locks the row of the key and reads it; pk is nil if there is none.
func (p *Plan) lockRow(ctx context.Context, x *rel.Txn, args []row.Value) (pk []byte, old []row.Value, err error) {
	values, null, ok := p.keyValues(args)
	if !ok {
		return nil, nil, ErrNotMine
	}
	if err := p.pin(ctx, x); err != nil {
		return nil, nil, err
	}
	if null {
		return nil, nil, nil
	}
	pk = p.table.Primary.AppendPrefix(nil, values...)
	old = make([]row.Value, len(p.table.Def.Columns))
	found, err := x.LockRow(ctx, p.table, pk, rel.Exclusive, old)
	if err != nil || !found {
		return nil, nil, err
	}
	return pk, old, nil
}

func (p *Plan) runUpdate(ctx context.Context, x *rel.Txn, args []row.Value) (answer.Result, error) {
	// First all that may turn out not to be mine.
	set := make([]row.Value, len(p.update.set))
	for i := range p.update.set {
		a := &p.update.set[i]
		v, ok := a.value.get(args)
		if !ok || v.IsNull() && a.value.column.NotNull {
			return answer.Result{}, ErrNotMine
		}
		set[i] = v
	}
	pk, old, err := p.lockRow(ctx, x, args)
	if err != nil {
		return answer.Result{}, err
	}
	if pk == nil {
		return result(0, 0, false), nil
	}
	next := slices.Clone(old)
	changed := false
	for i := range p.update.set {
		a := &p.update.set[i]
		v := set[i]
		if a.add || a.subtract {
			if v, err = sum(old[a.place], v, a); err != nil {
				return answer.Result{}, err
			}
		}
		was := old[a.place]
		changed = changed || was.Kind != v.Kind || was.Num != v.Num || !bytes.Equal(was.Bytes, v.Bytes)
		next[a.place] = v
	}
	if !changed {
		return result(1, 0, p.update.foundRows), nil
	}
	if _, err := x.Update(ctx, p.table, pk, old, next); err != nil {
		return answer.Result{}, err
	}
	return result(1, 1, p.update.foundRows), nil
}

// sum adds to an integer column's value. What does not fit is not mine: nothing
// has been changed yet.
func sum(old, v row.Value, a *assignment) (row.Value, error) {
	if old.IsNull() || v.IsNull() {
		return row.Value{}, nil
	}
	x, y := old.Int(), v.Int()
	if a.subtract {
		if y == -y && y != 0 {
			return row.Value{}, ErrNotMine
		}
		y = -y
	}
	n := x + y
	if (n > x) != (y > 0) && y != 0 {
		return row.Value{}, ErrNotMine
	}
	out, ok := fit(a.value.column, row.IntValue(n))
	if !ok {
		return row.Value{}, ErrNotMine
	}
	return out, nil
}

func result(matched, changed uint64, foundRows bool) answer.Result {
	r := answer.Result{AffectedRows: changed, Info: fmt.Sprintf("Rows matched: %d  Changed: %d  Warnings: 0", matched, changed)}
	if foundRows {
		r.AffectedRows = matched
	}
	return r
}

func (p *Plan) runDelete(ctx context.Context, x *rel.Txn, args []row.Value) (answer.Result, error) {
	pk, old, err := p.lockRow(ctx, x, args)
	if err != nil || pk == nil {
		return answer.Result{}, err
	}
	if err := x.Delete(ctx, p.table, pk, old); err != nil {
		return answer.Result{}, err
	}
	return answer.Result{AffectedRows: 1}, nil
}

func (p *Plan) runInsert(ctx context.Context, x *rel.Txn, args []row.Value) (answer.Result, error) {
	rows := make([][]row.Value, len(p.insert.rows))
	for i, operands := range p.insert.rows {
		rows[i] = make([]row.Value, len(operands))
		for j := range operands {
			v, ok := operands[j].get(args)
			if !ok || v.IsNull() && operands[j].column.NotNull {
				return answer.Result{}, ErrNotMine
			}
			rows[i][j] = v
		}
		if auto := p.insert.auto; auto >= 0 && (rows[i][auto].Num == 0 || rows[i][auto].Kind == row.Int && rows[i][auto].Int() < 0) {
			return answer.Result{}, ErrNotMine
		}
	}
	if err := p.pin(ctx, x); err != nil {
		return answer.Result{}, err
	}
	var r answer.Result
	for i, values := range rows {
		if auto := p.insert.auto; auto >= 0 {
			if err := p.table.RaiseAuto(values[auto].Num); err != nil {
				return answer.Result{}, err
			}
			if i == 0 {
				r.LastInsertID = values[auto].Num
			}
		}
		if _, err := x.Insert(ctx, p.table, values); err != nil {
			return answer.Result{}, err
		}
		r.AffectedRows++
	}
	if len(rows) > 1 {
		r.Info = fmt.Sprintf("Records: %d  Duplicates: 0  Warnings: 0", len(rows))
	}
	return r, nil
}
