package general

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// alterNodes are the single changes of an ALTER TABLE, nil for anything else.
func alterNodes(n sql.Node) []sql.Node {
	switch n := n.(type) {
	case *plan.Block:
		var out []sql.Node
		for _, c := range n.Children() {
			more := alterNodes(c)
			if more == nil {
				return nil
			}
			out = append(out, more...)
		}
		return out
	case *plan.AddColumn, *plan.DropColumn, *plan.RenameColumn, *plan.ModifyColumn, *plan.AlterIndex, *plan.AlterPK,
		*plan.CreateForeignKey, *plan.DropForeignKey, *plan.CreateCheck, *plan.DropCheck, *plan.AlterAutoIncrement,
		*plan.AlterDefaultSet, *plan.AlterDefaultDrop, *plan.AlterTableCollation, *plan.RenameTable:
		return []sql.Node{n}
	}
	return nil
}

// alteration is an ALTER TABLE under way: what it makes of the table.
type alteration struct {
	s          *Session
	ctx        *sql.Context
	base, next *catalog.SQLTable
	rewrite    bool
	// fills are new columns whose value in old rows must be computed.
	fills map[int]*sql.Column
	// foreign and checks are to be checked against the rows.
	foreign []catalog.SQLForeignKey
	checks  []*sql.CheckConstraint
	rename  string
}

func (s *Session) alter(ctx *sql.Context, nodes []sql.Node) error {
	if len(nodes) == 1 {
		if n, ok := nodes[0].(*plan.AlterIndex); ok && n.Action == plan.IndexAction_DisableEnableKeys {
			return nil // keys are always kept up, as in InnoDB
		}
	}
	name, err := s.alteredTable(nodes[0])
	if err != nil {
		return err
	}
	base := s.engine.catalog.View().SQLTables[name]
	if base == nil {
		return &rel.NoTableError{Name: name}
	}
	a := &alteration{s: s, ctx: ctx, base: base, next: base.Clone(), fills: map[int]*sql.Column{}}
	for _, n := range nodes {
		if err := a.apply(n); err != nil {
			return err
		}
	}
	if len(a.next.Columns) == 0 {
		return Errorf(1090, "You can't delete all columns with ALTER TABLE; use DROP TABLE instead")
	}
	if err := a.checkRows(); err != nil {
		return err
	}
	var convert rel.Convert
	if a.rewrite {
		a.next.Primary.DataID = 0
		if convert, err = a.converter(); err != nil {
			return err
		}
	}
	if err := s.engine.store.Alter(ctx, s.lockWait(ctx), base, a.next, convert); err != nil {
		return err
	}
	if a.rename != "" {
		return s.renameTables(ctx, name.Namespace, []string{name.Qualifier}, []string{a.rename})
	}
	return nil
}

func (s *Session) alteredTable(n sql.Node) (catalog.TableName, error) {
	switch n := n.(type) {
	case *plan.CreateForeignKey:
		return s.named(n.FkDef.Database, n.FkDef.Table), nil
	case *plan.DropForeignKey:
		return s.named(n.Database(), n.Table), nil
	case *plan.RenameTable:
		return s.named(n.Database().Name(), n.OldNames[0]), nil
	case *plan.CreateCheck:
		return tableName(n.Table)
	case *plan.DropCheck:
		return tableName(n.Table)
	}
	if c := n.Children(); len(c) > 0 {
		return tableName(c[0])
	}
	return catalog.TableName{}, fmt.Errorf("a %T names no table", n)
}

func (s *Session) named(db, table string) catalog.TableName {
	if db == "" {
		db = s.GetCurrentDatabase()
	}
	return catalog.TableName{Namespace: db, Qualifier: table}
}

func (a *alteration) apply(n sql.Node) error {
	switch n := n.(type) {
	case *plan.AddColumn:
		return a.addColumn(n)
	case *plan.DropColumn:
		return a.dropColumn(n.Column)
	case *plan.RenameColumn:
		return a.renameColumn(n.ColumnName, n.NewColumnName)
	case *plan.ModifyColumn:
		return a.modifyColumn(n)
	case *plan.AlterIndex:
		return a.alterIndex(n)
	case *plan.AlterPK:
		a.rewrite = true
		if n.Action == plan.PrimaryKeyAction_Drop {
			if len(a.next.Primary.Columns) == 0 {
				return Errorf(1091, "Can't DROP 'PRIMARY'; check that column/key exists")
			}
			a.next.Primary = catalog.SQLIndex{Name: "PRIMARY"}
			return nil
		}
		if len(a.next.Primary.Columns) > 0 {
			return Errorf(1068, "Multiple primary key defined")
		}
		return setPrimary(a.next, n.Columns)
	case *plan.CreateForeignKey:
		if err := a.s.addForeignKey(a.ctx, a.next, n.FkDef); err != nil {
			return err
		}
		a.foreign = append(a.foreign, a.next.ForeignKeys[len(a.next.ForeignKeys)-1])
	case *plan.DropForeignKey:
		i := slices.IndexFunc(a.next.ForeignKeys, func(f catalog.SQLForeignKey) bool { return strings.EqualFold(f.Name, n.Name) })
		if i < 0 {
			return Errorf(1091, "Can't DROP '%s'; check that column/key exists", n.Name)
		}
		a.next.ForeignKeys = slices.Delete(a.next.ForeignKeys, i, i+1)
	case *plan.CreateCheck:
		if n.Check.Name != "" && hasCheck(a.next, n.Check.Name) {
			return Errorf(3822, "Duplicate check constraint name '%s'.", n.Check.Name)
		}
		addCheck(a.next, n.Check)
		if n.Check.Enforced {
			a.checks = append(a.checks, n.Check)
		}
	case *plan.DropCheck:
		i := slices.IndexFunc(a.next.Checks, func(c catalog.SQLCheck) bool { return strings.EqualFold(c.Name, n.Name) })
		if i < 0 {
			return Errorf(3821, "Check constraint '%s' is not found in the table.", n.Name)
		}
		a.next.Checks = slices.Delete(a.next.Checks, i, i+1)
	case *plan.AlterAutoIncrement:
		a.next.AutoFloor = n.AutoVal
	case *plan.AlterDefaultSet:
		return a.setDefault(n.ColumnName, n.Default.String())
	case *plan.AlterDefaultDrop:
		return a.setDefault(n.ColumnName, "")
	case *plan.AlterTableCollation:
		a.next.Collation = uint16(n.Collation)
	case *plan.RenameTable:
		a.rename = n.NewNames[0]
	default:
		return notSupported(fmt.Sprintf("ALTER TABLE by %T", n))
	}
	return nil
}

func (a *alteration) setDefault(name, text string) error {
	at, err := findColumn(a.next, name)
	if err == nil {
		a.next.Columns[at].Default = text
	}
	return err
}

// place puts a column where ALTER TABLE says: FIRST, AFTER another, else at the
// place given.
func (a *alteration) place(c catalog.SQLColumn, order *sql.ColumnOrder, at int) error {
	switch {
	case order == nil:
	case order.First:
		at = 0
	case order.AfterColumn != "":
		after, err := findColumn(a.next, order.AfterColumn)
		if err != nil {
			return err
		}
		at = after + 1
	}
	a.next.Columns = slices.Insert(a.next.Columns, min(at, len(a.next.Columns)), c)
	return nil
}

func (a *alteration) addColumn(n *plan.AddColumn) error {
	c := n.Column()
	if a.next.Column(c.Name) >= 0 {
		return Errorf(1060, "Duplicate column name '%s'", c.Name)
	}
	d, err := define(c, sql.CollationID(a.next.Collation))
	if err != nil {
		return err
	}
	d.ID = a.next.NextColumnID
	a.next.NextColumnID++
	literal := c.Default == nil || c.Default.IsLiteral()
	if literal && !c.AutoIncrement && c.Generated == nil && !c.PrimaryKey {
		// Rows stay as they are: they read as the default of now.
		if err := a.addedValue(&d, c); err != nil {
			return err
		}
	} else {
		a.rewrite = true
		a.fills[d.ID] = c
	}
	if err := a.place(d, n.Order(), len(a.next.Columns)); err != nil {
		return err
	}
	if c.PrimaryKey {
		if len(a.next.Primary.Columns) > 0 {
			return Errorf(1068, "Multiple primary key defined")
		}
		return setPrimary(a.next, []sql.IndexColumn{{Name: c.Name}})
	}
	return nil
}

// addedValue sets what older rows read as in a new column.
func (a *alteration) addedValue(d *catalog.SQLColumn, c *sql.Column) error {
	v, err := a.defaultOf(c)
	if err != nil || v == nil {
		return err
	}
	typ, err := parseType(d.Type)
	if err != nil {
		return err
	}
	col := newColumn(d, typ)
	stored, err := col.store(a.ctx, a.s.zone(a.ctx), v)
	if err != nil {
		return err
	}
	d.Added = row.AppendValue([]byte{}, d, stored)
	return nil
}

// defaultOf is the value of a new column without another one.
func (a *alteration) defaultOf(c *sql.Column) (any, error) {
	if c.Default != nil {
		return c.Default.Eval(a.ctx, nil)
	}
	if c.Nullable {
		return nil, nil
	}
	return c.Type.Zero(), nil
}

func (a *alteration) dropColumn(name string) error {
	at, err := findColumn(a.next, name)
	if err != nil {
		return Errorf(1091, "Can't DROP '%s'; check that column/key exists", name)
	}
	c := a.next.Columns[at]
	for _, f := range a.next.ForeignKeys {
		if slices.ContainsFunc(f.Columns, func(n string) bool { return strings.EqualFold(n, c.Name) }) {
			return Errorf(1828, "Cannot drop column '%s': needed in a foreign key constraint '%s'", c.Name, f.Name)
		}
	}
	if err := a.checkReferenced(c.Name); err != nil {
		return err
	}
	uses := func(x catalog.SQLIndex) bool {
		return slices.ContainsFunc(x.Columns, func(k catalog.SQLIndexColumn) bool { return k.Column == c.ID })
	}
	without := func(x catalog.SQLIndex) catalog.SQLIndex {
		x.Columns = slices.DeleteFunc(slices.Clone(x.Columns), func(k catalog.SQLIndexColumn) bool { return k.Column == c.ID })
		x.DataID = 0
		return x
	}
	if uses(a.next.Primary) {
		a.next.Primary = without(a.next.Primary)
		a.rewrite = true
	}
	var kept []catalog.SQLIndex
	for _, x := range a.next.Indexes {
		if uses(x) {
			if x = without(x); len(x.Columns) == 0 {
				continue
			}
		}
		kept = append(kept, x)
	}
	a.next.Indexes = kept
	a.next.Columns = slices.Delete(a.next.Columns, at, at+1)
	delete(a.fills, c.ID)
	return nil
}

// checkReferenced refuses to take away a column that foreign keys point to.
func (a *alteration) checkReferenced(name string) error {
	for _, def := range a.s.engine.catalog.View().SQLTables {
		for _, f := range def.ForeignKeys {
			if f.ParentSchema == a.base.Name.Namespace && f.Parent == a.base.Name.Qualifier &&
				slices.ContainsFunc(f.ParentColumns, func(n string) bool { return strings.EqualFold(n, name) }) {
				return Errorf(1829, "Cannot drop column '%s': needed in a foreign key constraint '%s' of table '%s'", name, f.Name, def.Name.Qualifier)
			}
		}
	}
	return nil
}

func (a *alteration) renameColumn(from, to string) error {
	at, err := findColumn(a.next, from)
	if err != nil {
		return Errorf(1054, "Unknown column '%s' in '%s'", from, a.next.Name.Qualifier)
	}
	if other := a.next.Column(to); other >= 0 && other != at {
		return Errorf(1060, "Duplicate column name '%s'", to)
	}
	if err := a.checkReferenced(a.next.Columns[at].Name); err != nil && !strings.EqualFold(from, to) {
		return notSupported("renaming a column that foreign keys of other tables refer to")
	}
	for i := range a.next.ForeignKeys {
		f := &a.next.ForeignKeys[i]
		f.Columns = slices.Clone(f.Columns)
		for j, c := range f.Columns {
			if strings.EqualFold(c, from) {
				f.Columns[j] = to
			}
		}
	}
	for _, c := range a.next.Checks {
		if mentions(c.Expression, from) {
			return Errorf(3959, "Check constraint '%s' uses column '%s', hence column cannot be dropped or renamed.", c.Name, from)
		}
	}
	for _, c := range a.next.Columns {
		if mentions(c.Generated, from) || mentions(c.Default, from) && c.Default != "" && strings.HasPrefix(c.Default, "(") {
			return Errorf(3108, "Column '%s' has a generated column dependency.", from)
		}
	}
	a.next.Columns[at].Name = to
	return nil
}

// mentions tells whether an expression names a column.
func mentions(expression, column string) bool {
	words := strings.FieldsFunc(strings.ToLower(expression), func(r rune) bool {
		return r != '_' && r != '$' && (r < '0' || r > '9' && r < 'a' || r > 'z' && r < 0x80)
	})
	return slices.Contains(words, strings.ToLower(column))
}

func (a *alteration) modifyColumn(n *plan.ModifyColumn) error {
	at, err := findColumn(a.next, n.Column())
	if err != nil {
		return Errorf(1054, "Unknown column '%s' in '%s'", n.Column(), a.next.Name.Qualifier)
	}
	old := a.next.Columns[at]
	c := n.NewColumn()
	if !strings.EqualFold(c.Name, old.Name) {
		if err := a.renameColumn(old.Name, c.Name); err != nil {
			return err
		}
		old.Name = c.Name
	}
	d, err := define(c, sql.CollationID(a.next.Collation))
	if err != nil {
		return err
	}
	d.ID, d.Added = old.ID, old.Added
	inPrimary := slices.ContainsFunc(a.next.Primary.Columns, func(k catalog.SQLIndexColumn) bool { return k.Column == old.ID })
	d.NotNull = d.NotNull || inPrimary
	same := old.Kind == d.Kind && old.Width == d.Width && old.Scale == d.Scale && old.Collation == d.Collation &&
		old.NotNull == d.NotNull && old.Generated == d.Generated && old.Virtual == d.Virtual && old.Precision <= d.Precision
	if same && (d.Kind == catalog.SQLUint && old.Type != d.Type || d.Kind == catalog.SQLDecimal && old.Precision != d.Precision) {
		same = false // ENUM, SET and BIT: other names or fewer bits; decimals: longer keys
	}
	if !same {
		a.rewrite = true
		d.Added = nil
		if d.Generated != "" {
			a.fills[d.ID] = c
		}
	}
	a.next.Columns = slices.Delete(a.next.Columns, at, at+1)
	return a.place(d, n.Order(), at)
}

func (a *alteration) alterIndex(n *plan.AlterIndex) error {
	find := func(name string) (int, error) {
		if i := a.next.Index(name); i >= 0 {
			return i, nil
		}
		return 0, Errorf(1091, "Can't DROP '%s'; check that column/key exists", name)
	}
	switch n.Action {
	case plan.IndexAction_Create:
		x, err := indexOf(a.next, n.IndexName, n.Columns, n.Constraint, n.Comment)
		if err == nil {
			a.next.Indexes = append(a.next.Indexes, x)
		}
		return err
	case plan.IndexAction_Drop:
		if strings.EqualFold(n.IndexName, "PRIMARY") {
			a.rewrite = true
			a.next.Primary = catalog.SQLIndex{Name: "PRIMARY"}
			return nil
		}
		i, err := find(n.IndexName)
		if err != nil {
			return err
		}
		a.next.Indexes = slices.Delete(a.next.Indexes, i, i+1)
		for _, f := range a.next.ForeignKeys {
			if !rel.HasIndex(a.next, f.Columns) {
				return Errorf(1553, "Cannot drop index '%s': needed in a foreign key constraint", n.IndexName)
			}
		}
		return nil
	case plan.IndexAction_Rename:
		i, err := find(n.PreviousIndexName)
		if err != nil {
			return Errorf(1176, "Key '%s' doesn't exist in table '%s'", n.PreviousIndexName, a.next.Name.Qualifier)
		}
		if a.next.Index(n.IndexName) >= 0 {
			return Errorf(1061, "Duplicate key name '%s'", n.IndexName)
		}
		a.next.Indexes[i].Name = n.IndexName
		return nil
	case plan.IndexAction_DisableEnableKeys:
		return nil
	}
	return notSupported("this change of an index")
}

// checkRows checks the rows that are there against new constraints.
func (a *alteration) checkRows() (err error) {
	check := a.s.uintVariable(a.ctx, "foreign_key_checks") != 0 && len(a.foreign) > 0
	if !check && len(a.checks) == 0 {
		return nil
	}
	x, err := a.s.engine.store.Begin(a.ctx, rel.TxnOptions{LockWait: a.s.lockWait(a.ctx)})
	if err != nil {
		return err
	}
	defer x.Rollback()
	t, err := x.Table(a.ctx, a.base.Name)
	if err != nil {
		return err
	}
	if check {
		for i := range a.foreign {
			if err := x.CheckForeignKey(a.ctx, t, &a.foreign[i]); err != nil {
				return err
			}
		}
	}
	if len(a.checks) == 0 {
		return nil
	}
	shape, err := a.s.engine.shapeOf(t)
	if err != nil {
		return err
	}
	c, err := x.Scan(a.ctx, t, rel.ScanOptions{Index: t.Primary})
	if err != nil {
		return err
	}
	defer c.Close()
	zone := a.s.zone(a.ctx)
	for {
		ok, err := c.Next(a.ctx)
		if err != nil || !ok {
			return err
		}
		values, err := shape.toRow(zone, c.Values)
		if err != nil {
			return err
		}
		for _, k := range a.checks {
			v, err := k.Expr.Eval(a.ctx, values)
			if err != nil {
				return err
			}
			if held, err := sql.ConvertToBool(a.ctx, v); err != nil || v != nil && !held {
				return Errorf(3819, "Check constraint '%s' is violated.", k.Name)
			}
		}
	}
}

// converter makes rows of the new version of old ones.
func (a *alteration) converter() (rel.Convert, error) {
	oldColumns, err := columnsOf(a.base)
	if err != nil {
		return nil, err
	}
	newColumns, err := columnsOf(a.next)
	if err != nil {
		return nil, err
	}
	zone := a.s.zone(a.ctx)
	auto := uint64(1)
	return func(in []row.Value) ([]row.Value, error) {
		out := make([]row.Value, len(newColumns))
		values := make(sql.Row, len(newColumns))
		for i := range newColumns {
			to := &newColumns[i]
			from := a.base.ColumnByID(to.def.ID)
			if from < 0 || a.fills[to.def.ID] != nil {
				continue
			}
			v, err := oldColumns[from].load(zone, in[from])
			if err != nil {
				return nil, err
			}
			if v != nil {
				if v, err = convertTo(a.ctx, to, v); err != nil {
					return nil, err
				}
			} else if to.def.NotNull {
				return nil, Errorf(1138, "Invalid use of NULL value")
			}
			values[i] = v
		}
		for i := range newColumns {
			to := &newColumns[i]
			c := a.fills[to.def.ID]
			if c == nil {
				continue
			}
			var err error
			switch {
			case c.AutoIncrement:
				values[i], _, err = to.typ.Convert(a.ctx, auto)
				auto++
			case c.Generated != nil:
				values[i], err = c.Generated.Eval(a.ctx, values)
			case c.Default != nil:
				values[i], err = c.Default.Eval(a.ctx, values)
			default:
				values[i], err = a.defaultOf(c)
			}
			if err != nil {
				return nil, err
			}
		}
		for i := range newColumns {
			var err error
			if out[i], err = newColumns[i].store(a.ctx, zone, values[i]); err != nil {
				return nil, err
			}
		}
		return out, nil
	}, nil
}

// convertTo converts a value to a column's type, as an INSERT in strict mode.
func convertTo(ctx *sql.Context, to *column, v any) (any, error) {
	converted, inRange, err := to.typ.Convert(ctx, v)
	if err != nil {
		return nil, err
	}
	if !inRange {
		return nil, Errorf(1264, "Out of range value for column '%s' at row 1", to.def.Name)
	}
	return converted, nil
}

func columnsOf(def *catalog.SQLTable) ([]column, error) {
	out := make([]column, len(def.Columns))
	for i := range def.Columns {
		typ, err := parseType(def.Columns[i].Type)
		if err != nil {
			return nil, err
		}
		out[i] = newColumn(&def.Columns[i], typ)
	}
	return out, nil
}
