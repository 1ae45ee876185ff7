package general

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/sql/answer"
)

// runDDL makes the changes of schemas that the engine has planned: each
// statement is one change of the catalog. done is false for other statements.
func (s *Session) runDDL(ctx *sql.Context, node sql.Node, st *Statement) (done bool, r answer.Result, err error) {
	switch n := node.(type) {
	case *plan.CreateTable:
		err = s.createTable(ctx, n)
	case *plan.TableCopier:
		create, ok := n.Destination.(*plan.CreateTable)
		if !ok {
			return false, r, nil
		}
		r.AffectedRows, err = s.createTableSelect(ctx, create, n.Source)
	case *plan.DropTable:
		err = s.dropTables(ctx, n)
	case *plan.RenameTable:
		err = s.renameTables(ctx, n.Database().Name(), n.OldNames, n.NewNames)
	case *plan.Truncate:
		err = s.truncate(ctx, n)
	default:
		nodes := alterNodes(node)
		if nodes == nil {
			return false, r, nil
		}
		err = s.alter(ctx, nodes)
	}
	s.engine.forgetShapes()
	return true, r, err
}

func optionString(o map[string]any, name string) string {
	v, _ := o[name].(string)
	return v
}

// define makes a column's definition.
func define(c *sql.Column, tableCollation sql.CollationID) (catalog.SQLColumn, error) {
	d := catalog.SQLColumn{Name: c.Name, NotNull: !c.Nullable, AutoIncrement: c.AutoIncrement, Comment: c.Comment, Extra: c.Extra, Virtual: c.Virtual}
	t := c.Type
	if ct, ok := t.(sql.TypeWithCollation); ok && ct.Collation() == sql.Collation_Unspecified {
		var err error
		if t, err = ct.WithNewCollation(tableCollation); err != nil {
			return d, err
		}
	}
	expression := func(e *sql.ColumnDefaultValue) string {
		if e == nil {
			return ""
		}
		return e.String()
	}
	d.Default, d.OnUpdate, d.Generated = expression(c.Default), expression(c.OnUpdate), expression(c.Generated)
	return d, describe(&d, t)
}

// indexOf makes an index's definition.
func indexOf(def *catalog.SQLTable, name string, columns []sql.IndexColumn, constraint sql.IndexConstraint, comment string) (catalog.SQLIndex, error) {
	x := catalog.SQLIndex{Name: name, Comment: comment, Unique: constraint == sql.IndexConstraint_Unique}
	switch constraint {
	case sql.IndexConstraint_None, sql.IndexConstraint_Unique, sql.IndexConstraint_Primary:
	case sql.IndexConstraint_Fulltext:
		return x, notSupported("FULLTEXT indexes")
	default:
		return x, notSupported("SPATIAL indexes")
	}
	if len(columns) > 16 {
		return x, sql.ErrTooManyKeyParts.New(16)
	}
	for _, c := range columns {
		at := def.Column(c.Name)
		if at < 0 {
			return x, Errorf(1072, "Key column '%s' doesn't exist in table", c.Name)
		}
		prefix := int(c.Length)
		if prefix >= def.Columns[at].Precision {
			prefix = 0 // all of it
		}
		x.Columns = append(x.Columns, catalog.SQLIndexColumn{Column: def.Columns[at].ID, Prefix: prefix})
	}
	if x.Name == "" {
		x.Name = freeName(columns[0].Name, func(n string) bool { return def.Index(n) >= 0 || strings.EqualFold(n, "PRIMARY") })
	} else if def.Index(x.Name) >= 0 {
		return x, Errorf(1061, "Duplicate key name '%s'", x.Name)
	}
	return x, nil
}

// freeName is name, or name_2, name_3 and so on.
func freeName(name string, taken func(string) bool) string {
	if !taken(name) {
		return name
	}
	for i := 2; ; i++ {
		if n := fmt.Sprintf("%s_%d", name, i); !taken(n) {
			return n
		}
	}
}

// setPrimary makes columns the primary key.
func setPrimary(def *catalog.SQLTable, columns []sql.IndexColumn) error {
	x, err := indexOf(def, "PRIMARY", columns, sql.IndexConstraint_Primary, "")
	if err != nil {
		return err
	}
	for _, c := range x.Columns {
		def.Columns[def.ColumnByID(c.Column)].NotNull = true
	}
	def.Primary = x
	return nil
}

// definition makes a table's definition of the engine's plan.
func (s *Session) definition(ctx *sql.Context, n *plan.CreateTable) (*catalog.SQLTable, error) {
	collation := n.Collation
	if collation == sql.Collation_Unspecified {
		collation = plan.GetDatabaseCollation(ctx, n.Db)
	}
	def := &catalog.SQLTable{
		Name:      catalog.TableName{Namespace: n.Db.Name(), Qualifier: n.Name()},
		Collation: uint16(collation), Comment: optionString(n.TableOpts, "comment"), CreatedMs: time.Now().UnixMilli(),
	}
	if auto, ok := n.TableOpts["auto_increment"].(uint64); ok {
		def.AutoFloor = auto
	}
	schema := n.PkSchema()
	if len(schema.Schema) == 0 {
		return nil, Errorf(1113, "A table must have at least 1 column")
	}
	for _, c := range schema.Schema {
		d, err := define(c, collation)
		if err != nil {
			return nil, err
		}
		if def.Column(d.Name) >= 0 {
			return nil, Errorf(1060, "Duplicate column name '%s'", d.Name)
		}
		d.ID = def.NextColumnID
		def.NextColumnID++
		def.Columns = append(def.Columns, d)
	}
	var primary []sql.IndexColumn
	for _, at := range schema.PkOrdinals {
		primary = append(primary, sql.IndexColumn{Name: schema.Schema[at].Name})
	}
	for _, x := range n.Indexes() {
		if x.IsPrimary() {
			primary = x.Columns
		}
	}
	if len(primary) > 0 {
		if err := setPrimary(def, primary); err != nil {
			return nil, err
		}
	}
	for _, x := range n.Indexes() {
		if x.IsPrimary() {
			continue
		}
		d, err := indexOf(def, x.Name, x.Columns, x.Constraint, x.Comment)
		if err != nil {
			return nil, err
		}
		def.Indexes = append(def.Indexes, d)
	}
	for _, c := range n.Checks() {
		addCheck(def, c)
	}
	for _, f := range n.ForeignKeys() {
		if err := s.addForeignKey(ctx, def, f); err != nil {
			return nil, err
		}
	}
	return def, nil
}

func addCheck(def *catalog.SQLTable, c *sql.CheckConstraint) {
	name := c.Name
	if name == "" {
		for i := 1; name == "" || hasCheck(def, name); i++ {
			name = fmt.Sprintf("%s_chk_%d", def.Name.Qualifier, i)
		}
	}
	def.Checks = append(def.Checks, catalog.SQLCheck{Name: name, Expression: c.Expr.String(), NotEnforced: !c.Enforced})
}

func hasCheck(def *catalog.SQLTable, name string) bool {
	for _, c := range def.Checks {
		if strings.EqualFold(c.Name, name) {
			return true
		}
	}
	return false
}

// addForeignKey adds a foreign key, and an index for it if there is none.
func (s *Session) addForeignKey(ctx *sql.Context, def *catalog.SQLTable, f *sql.ForeignKeyConstraint) error {
	name := f.Name
	taken := func(n string) bool {
		for _, k := range def.ForeignKeys {
			if strings.EqualFold(k.Name, n) {
				return true
			}
		}
		return false
	}
	if name == "" {
		for i := 1; name == "" || taken(name); i++ {
			name = fmt.Sprintf("%s_ibfk_%d", def.Name.Qualifier, i)
		}
	} else if taken(name) {
		return Errorf(1826, "Duplicate foreign key constraint name '%s'", name)
	}
	if len(f.Columns) == 0 || len(f.Columns) != len(f.ParentColumns) {
		return Errorf(1239, "Incorrect foreign key definition for '%s': Key reference and table reference don't match", name)
	}
	k := catalog.SQLForeignKey{Name: name, ParentSchema: f.ParentDatabase, Parent: f.ParentTable}
	if k.ParentSchema == "" {
		k.ParentSchema = def.Name.Namespace
	}
	action := func(a sql.ForeignKeyReferentialAction) (string, error) {
		switch a {
		case sql.ForeignKeyReferentialAction_DefaultAction, "":
			return "", nil
		case sql.ForeignKeyReferentialAction_SetDefault:
			return "", Errorf(1215, "Cannot add foreign key constraint: SET DEFAULT is not supported")
		}
		return string(a), nil
	}
	var err error
	if k.OnUpdate, err = action(f.OnUpdate); err != nil {
		return err
	}
	if k.OnDelete, err = action(f.OnDelete); err != nil {
		return err
	}
	var columns []sql.IndexColumn
	for _, c := range f.Columns {
		at := def.Column(c)
		if at < 0 {
			return Errorf(1072, "Key column '%s' doesn't exist in table", c)
		}
		if def.Columns[at].NotNull && (k.OnDelete == "SET NULL" || k.OnUpdate == "SET NULL") {
			return Errorf(1830, "Column '%s' cannot be NOT NULL: needed in a foreign key constraint '%s' SET NULL", c, name)
		}
		k.Columns = append(k.Columns, def.Columns[at].Name)
		columns = append(columns, sql.IndexColumn{Name: c})
	}
	if err := s.checkParentTable(ctx, def, &k, f.ParentColumns); err != nil {
		return err
	}
	def.ForeignKeys = append(def.ForeignKeys, k)
	if rel.HasIndex(def, k.Columns) {
		return nil
	}
	index := f.Name
	if index == "" || def.Index(index) >= 0 {
		index = ""
	}
	x, err := indexOf(def, index, columns, sql.IndexConstraint_None, "")
	if err != nil {
		return err
	}
	def.Indexes = append(def.Indexes, x)
	return nil
}

// checkParentTable checks that a foreign key has a fitting parent. While foreign
// keys are not checked, the parent may still be missing.
func (s *Session) checkParentTable(ctx *sql.Context, def *catalog.SQLTable, k *catalog.SQLForeignKey, columns []string) error {
	parent := def
	if name := (catalog.TableName{Namespace: k.ParentSchema, Qualifier: k.Parent}); name != def.Name {
		if parent = s.engine.catalog.View().SQLTables[name]; parent == nil {
			if s.uintVariable(ctx, "foreign_key_checks") == 0 {
				k.ParentColumns = columns
				return nil
			}
			return Errorf(1824, "Failed to open the referenced table '%s'", k.Parent)
		}
	}
	for i, c := range columns {
		at := parent.Column(c)
		if at < 0 {
			return Errorf(3734, "Failed to add the foreign key constraint. Missing column '%s' for constraint '%s' in the referenced table '%s'", c, k.Name, k.Parent)
		}
		p, mine := &parent.Columns[at], &def.Columns[def.Column(k.Columns[i])]
		if p.Kind != mine.Kind || p.Width != mine.Width || p.Collation != mine.Collation {
			return Errorf(3780, "Referencing column '%s' and referenced column '%s' in foreign key constraint '%s' are incompatible.", mine.Name, p.Name, k.Name)
		}
		k.ParentColumns = append(k.ParentColumns, p.Name)
	}
	if !rel.HasIndex(parent, k.ParentColumns) {
		return Errorf(1822, "Failed to add the foreign key constraint. Missing index for constraint '%s' in the referenced table '%s'", k.Name, k.Parent)
	}
	return nil
}

func (s *Session) createTable(ctx *sql.Context, n *plan.CreateTable) error {
	if n.Temporary() {
		return notSupported("temporary tables")
	}
	if err := n.ValidateDefaultPosition(); err != nil {
		return err
	}
	def, err := s.definition(ctx, n)
	if err != nil {
		return err
	}
	d := &database{s.engine, def.Name.Namespace}
	if d.find(catalog.SQLView, def.Name.Qualifier) != nil {
		err = &catalog.ExistsError{Table: def.Name}
	} else {
		err = s.engine.store.CreateTable(def)
	}
	var exists *catalog.ExistsError
	if errors.As(err, &exists) && n.IfNotExists() {
		s.Warn(&sql.Warning{Level: "Note", Code: 1050, Message: fmt.Sprintf("Table '%s' already exists", n.Name())})
		return nil
	}
	return err
}

// createTableSelect is CREATE TABLE ... SELECT. A table whose rows do not go in
// is dropped again.
func (s *Session) createTableSelect(ctx *sql.Context, n *plan.CreateTable, source sql.Node) (count uint64, err error) {
	name := catalog.TableName{Namespace: n.Db.Name(), Qualifier: n.Name()}
	if s.engine.catalog.View().SQLTables[name] != nil && n.IfNotExists() {
		return 0, s.createTable(ctx, n) // says so
	}
	if err := s.createTable(ctx, n); err != nil {
		return 0, err
	}
	if s.Tx, err = s.engine.store.Begin(ctx, rel.TxnOptions{LockWait: s.lockWait(ctx)}); err == nil {
		count, err = s.copyRows(ctx, name, source)
		if err == nil {
			err = s.Tx.Commit(ctx)
		}
		s.Tx.Rollback()
		s.Tx = nil
	}
	if err != nil {
		derr := s.engine.store.DropTables(context.WithoutCancel(ctx), s.lockWait(ctx), []catalog.TableName{name})
		return 0, errors.Join(err, derr)
	}
	return count, nil
}

func (s *Session) copyRows(ctx *sql.Context, name catalog.TableName, source sql.Node) (count uint64, err error) {
	t, err := s.table(ctx, name)
	if err != nil {
		return 0, err
	}
	iter, err := s.engine.gms.Analyzer.ExecBuilder.Build(ctx, source, nil)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, iter.Close(ctx)) }()
	to := t.editor(ctx)
	skip := len(t.columns) - len(source.Schema())
	for {
		in, err := iter.Next(ctx)
		if err == io.EOF {
			return count, nil
		}
		if err != nil {
			return count, err
		}
		out := make(sql.Row, len(t.columns))
		for i := range in {
			c := &t.columns[skip+i]
			if in[i] == nil {
				continue
			}
			if out[skip+i], _, err = c.typ.Convert(ctx, in[i]); err != nil {
				return count, err
			}
		}
		if err := to.Insert(ctx, out); err != nil {
			return count, err
		}
		count++
	}
}

func tableName(n sql.Node) (catalog.TableName, error) {
	switch n := n.(type) {
	case *plan.ResolvedTable:
		return catalog.TableName{Namespace: n.Database().Name(), Qualifier: n.Name()}, nil
	case *plan.TableAlias:
		return tableName(n.Child)
	}
	return catalog.TableName{}, fmt.Errorf("a %T is no table that can be changed", n)
}

func (s *Session) dropTables(ctx *sql.Context, n *plan.DropTable) error {
	var names []catalog.TableName
	dropped := map[catalog.TableName]bool{}
	for _, t := range n.Tables {
		name, err := tableName(t)
		if err != nil {
			return err
		}
		names = append(names, name)
		dropped[name] = true
	}
	if len(names) == 0 {
		return nil
	}
	view := s.engine.catalog.View()
	if s.uintVariable(ctx, "foreign_key_checks") != 0 {
		for _, def := range view.SQLTables {
			for _, f := range def.ForeignKeys {
				if parent := (catalog.TableName{Namespace: f.ParentSchema, Qualifier: f.Parent}); dropped[parent] && !dropped[def.Name] {
					return Errorf(3730, "Cannot drop table '%s' referenced by a foreign key constraint '%s' on table '%s'.", f.Parent, f.Name, def.Name.Qualifier)
				}
			}
		}
	}
	if err := s.engine.store.DropTables(ctx, s.lockWait(ctx), names); err != nil {
		return err
	}
	if len(n.TriggerNames) == 0 {
		return nil
	}
	change := &catalog.SQLChange{}
	for _, t := range n.TriggerNames {
		d := &database{s.engine, names[0].Namespace}
		if o := d.find(catalog.SQLTrigger, t); o != nil {
			change.DropObjects = append(change.DropObjects, o.Name)
		}
	}
	_, err := s.engine.catalog.ChangeSQL(change)
	return err
}

func (s *Session) renameTables(ctx *sql.Context, db string, from, to []string) error {
	names := func(in []string) (out []catalog.TableName) {
		for _, n := range in {
			name := catalog.TableName{Namespace: db, Qualifier: n}
			if schema, table, ok := strings.Cut(n, "."); ok && s.engine.catalog.View().Namespaces[schema] != nil {
				name = catalog.TableName{Namespace: schema, Qualifier: table}
			}
			out = append(out, name)
		}
		return out
	}
	return s.engine.store.RenameTables(ctx, s.lockWait(ctx), names(from), names(to))
}

func (s *Session) truncate(ctx *sql.Context, n *plan.Truncate) error {
	name, err := tableName(n.Child)
	if err != nil {
		return err
	}
	if s.uintVariable(ctx, "foreign_key_checks") != 0 {
		for _, def := range s.engine.catalog.View().SQLTables {
			for _, f := range def.ForeignKeys {
				if f.ParentSchema == name.Namespace && f.Parent == name.Qualifier && def.Name != name {
					return Errorf(1701, "Cannot truncate a table referenced in a foreign key constraint (`%s`.`%s`, CONSTRAINT `%s`)",
						def.Name.Namespace, def.Name.Qualifier, f.Name)
				}
			}
		}
	}
	return s.engine.store.Truncate(ctx, s.lockWait(ctx), name)
}
