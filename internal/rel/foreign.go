package rel

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// maxCascade is how deep deletes and updates cascade, as in InnoDB.
const maxCascade = 15

// reference is a foreign key as its parent sees it.
type reference struct {
	child *catalog.SQLTable
	key   *catalog.SQLForeignKey
}

var shared = Lock{Locking: true, Mode: kv.LockShared}

// differ tells whether two rows differ at some places.
func differ(a, b []row.Value, places []int) bool {
	for _, p := range places {
		x, y := a[p], b[p]
		if x.Kind != y.Kind || x.Num != y.Num || !bytes.Equal(x.Bytes, y.Bytes) {
			return true
		}
	}
	return false
}

// pick is the values at places; null if one of them is NULL.
func pick(values []row.Value, places []int) (out []row.Value, null bool) {
	for _, p := range places {
		out = append(out, values[p])
		null = null || values[p].Kind == row.Null
	}
	return out, null
}

// checkParents refuses a row whose foreign keys refer to nothing. It leaves
// shared locks on the parents, so that they stay. old is the row before, or nil;
// followed is not checked.
func (x *Txn) checkParents(ctx context.Context, t *Table, values, old []row.Value, followed *catalog.SQLForeignKey) error {
	if x.o.NoForeignKeys {
		return nil
	}
	for i := range t.Def.ForeignKeys {
		if f := &t.Def.ForeignKeys[i]; f == followed {
			continue
		}
		if err := x.checkParent(ctx, t, &t.Def.ForeignKeys[i], values, old); err != nil {
			return err
		}
	}
	return nil
}

// checkParent is checkParents of one foreign key.
func (x *Txn) checkParent(ctx context.Context, t *Table, f *catalog.SQLForeignKey, values, old []row.Value) error {
	refused := &ForeignKeyError{Child: t.Def, Key: f}
	places, ok := columnPlaces(t.Def, f.Columns)
	if !ok {
		return refused
	}
	if old != nil && !differ(old, values, places) {
		return nil
	}
	want, null := pick(values, places)
	if null {
		return nil // MATCH SIMPLE
	}
	name := catalog.TableName{Namespace: f.ParentSchema, Qualifier: f.Parent}
	parent := t
	if name != t.Def.Name {
		var err error
		if parent, err = x.Table(ctx, name); err != nil {
			if _, missing := err.(*NoTableError); missing {
				return refused
			}
			return err
		}
	}
	parentPlaces, ok := columnPlaces(parent.Def, f.ParentColumns)
	if !ok {
		return refused
	}
	index := parent.indexOver(parentPlaces)
	if index == nil {
		return refused
	}
	// A row may be its own parent.
	if parent == t {
		if own, _ := pick(values, parentPlaces); sameKeys(index, own, want) {
			return nil
		}
	}
	found, err := x.anyRow(ctx, parent, index, want)
	if err == nil && !found {
		err = refused
	}
	return err
}

// CheckForeignKey refuses if a row of a table refers to nothing by a foreign key
// that the table may not have yet.
func (x *Txn) CheckForeignKey(ctx context.Context, t *Table, f *catalog.SQLForeignKey) error {
	c, err := x.Scan(ctx, t, ScanOptions{Index: t.Primary})
	if err != nil {
		return err
	}
	defer c.Close()
	for {
		ok, err := c.Next(ctx)
		if err != nil || !ok {
			return err
		}
		if err := x.checkParent(ctx, t, f, c.Values, nil); err != nil {
			return err
		}
	}
}

// HasIndex tells whether an index starts with these columns, in this order.
func HasIndex(def *catalog.SQLTable, columns []string) bool {
	starts := func(x *catalog.SQLIndex) bool {
		if len(x.Columns) < len(columns) {
			return false
		}
		for i, name := range columns {
			at := def.ColumnByID(x.Columns[i].Column)
			if at < 0 || !strings.EqualFold(def.Columns[at].Name, name) || x.Columns[i].Prefix > 0 {
				return false
			}
		}
		return true
	}
	for i := range def.Indexes {
		if starts(&def.Indexes[i]) {
			return true
		}
	}
	return starts(&def.Primary)
}

func sameKeys(i *Index, a, b []row.Value) bool {
	return bytes.Equal(i.AppendPrefix(nil, a...), i.AppendPrefix(nil, b...))
}

// indexOver finds an index that starts with the columns at places, in order.
func (t *Table) indexOver(places []int) *Index {
	starts := func(i *Index) bool {
		if len(i.Columns) < len(places) {
			return false
		}
		for n, p := range places {
			if i.Columns[n].Place != p || i.Columns[n].Prefix > 0 {
				return false
			}
		}
		return true
	}
	if starts(t.Primary) {
		return t.Primary
	}
	for _, i := range t.Indexes {
		if starts(i) {
			return i
		}
	}
	return nil
}

// bounds are the keys of the rows that begin with values.
func (i *Index) bounds(values []row.Value) (start, end []byte) {
	start = i.AppendPrefix(nil, values...)
	return start, After(start)
}

// After is the smallest key behind all that begin with prefix, nil if there is
// none.
func After(prefix []byte) []byte {
	end := bytes.Clone(prefix)
	for i := len(end) - 1; i >= 0; i-- {
		if end[i]++; end[i] != 0 {
			return end[:i+1]
		}
	}
	return nil
}

// anyRow finds a row with these values in front of an index and locks it shared.
func (x *Txn) anyRow(ctx context.Context, t *Table, i *Index, values []row.Value) (bool, error) {
	start, end := i.bounds(values)
	c, err := x.Scan(ctx, t, ScanOptions{Index: i, Start: start, End: end, Lock: shared, Point: true})
	if err != nil {
		return false, err
	}
	defer c.Close()
	return c.Next(ctx)
}

// changeChildren does what foreign keys to a table say when one of its rows is
// changed (or deleted: values is nil): refuse, cascade, or set to NULL.
func (x *Txn) changeChildren(ctx context.Context, t *Table, pk []byte, old, values []row.Value, depth int) error {
	if x.o.NoForeignKeys {
		return nil
	}
	for _, r := range references(x.store.catalog.View(), t.Def.Name) {
		places, ok := columnPlaces(t.Def, r.key.ParentColumns)
		if !ok || values != nil && !differ(old, values, places) {
			continue
		}
		before, null := pick(old, places)
		if null {
			continue
		}
		child := t
		if r.child.Name != t.Def.Name {
			var err error
			if child, err = x.Table(ctx, r.child.Name); err != nil {
				return err
			}
		}
		if err := x.changeChild(ctx, t, pk, child, r.key, before, places, values, depth); err != nil {
			return err
		}
	}
	return nil
}

type foundRow struct {
	key    []byte
	values []row.Value
}

func (x *Txn) changeChild(ctx context.Context, t *Table, pk []byte, child *Table, f *catalog.SQLForeignKey,
	before []row.Value, places []int, values []row.Value, depth int) error {
	own, ok := columnPlaces(child.Def, f.Columns)
	if !ok {
		return nil
	}
	action := f.OnDelete
	if values != nil {
		action = f.OnUpdate
	}
	// Without an index (dropped while foreign keys were not checked) all rows
	// are looked at.
	i, all := child.indexOver(own), false
	if i == nil {
		i, all = child.Primary, true
	}
	start, end := i.All()
	if !all {
		start, end = i.bounds(before)
	}
	c, err := x.Scan(ctx, child, ScanOptions{Index: i, Start: start, End: end, Lock: Exclusive, Point: true})
	if err != nil {
		return err
	}
	var rows []foundRow
	for {
		more, err := c.Next(ctx)
		if err != nil {
			c.Close()
			return err
		}
		if !more {
			break
		}
		if child == t && bytes.Equal(c.Key(), pk) {
			continue // the row's reference to itself goes with it
		}
		rows = append(rows, foundRow{bytes.Clone(c.Key()), cloneValues(c.Values)})
	}
	if err := c.Close(); err != nil {
		return err
	}
	for _, r := range rows {
		mine, _ := pick(r.values, own)
		if all && differ(mine, before, counting(len(own))) {
			continue
		}
		if depth >= maxCascade {
			return &ForeignKeyError{Child: child.Def, Key: f, Parent: true}
		}
		switch action {
		case "CASCADE":
			if values == nil {
				err = x.remove(ctx, child, r.key, r.values, depth+1)
				break
			}
			next := slices.Clone(r.values)
			for n, p := range own {
				next[p] = values[places[n]]
			}
			_, err = x.update(ctx, child, r.key, r.values, next, depth+1, f)
		case "SET NULL":
			next := slices.Clone(r.values)
			for _, p := range own {
				next[p] = row.Value{}
			}
			_, err = x.update(ctx, child, r.key, r.values, next, depth+1, nil)
		default:
			return &ForeignKeyError{Child: child.Def, Key: f, Parent: true}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func counting(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

func cloneValues(in []row.Value) []row.Value {
	out := slices.Clone(in)
	for i := range out {
		out[i].Bytes = bytes.Clone(out[i].Bytes)
	}
	return out
}
