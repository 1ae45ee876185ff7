package general

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
)

// collationSetting is where a namespace keeps the collation of a database.
const collationSetting = "basalt.sql.collation"

// provider gives the engine the catalog's databases.
type provider struct{ e *Engine }

var _ sql.CollatedDatabaseProvider = (*provider)(nil)

// isHidden: HBase's system namespace is no database.
func isHidden(namespace string) bool { return namespace == catalog.SystemNamespace }

func (p *provider) Database(_ *sql.Context, name string) (sql.Database, error) {
	if n := p.find(name); n != "" {
		return &database{p.e, n}, nil
	}
	return nil, sql.ErrDatabaseNotFound.New(name)
}

// find is the database's own spelling of a name. The engine sometimes asks with
// small letters for what it has in other ones.
func (p *provider) find(name string) string {
	view := p.e.catalog.View()
	if view.Namespaces[name] != nil && !isHidden(name) {
		return name
	}
	for n := range view.Namespaces {
		if !isHidden(n) && strings.EqualFold(n, name) {
			return n
		}
	}
	return ""
}

func (p *provider) HasDatabase(_ *sql.Context, name string) bool { return p.find(name) != "" }

func (p *provider) AllDatabases(*sql.Context) []sql.Database {
	var out []sql.Database
	for _, n := range p.e.catalog.View().SortedNamespaces() {
		if !isHidden(n.Name) {
			out = append(out, &database{p.e, n.Name})
		}
	}
	return out
}

func (p *provider) CreateDatabase(ctx *sql.Context, name string) error {
	return p.CreateCollatedDatabase(ctx, name, sql.Collation_Default)
}

func (p *provider) CreateCollatedDatabase(_ *sql.Context, name string, collation sql.CollationID) error {
	if name == "" || len(name) > 64 || strings.HasSuffix(name, " ") || strings.ContainsRune(name, 0) {
		return Errorf(1102, "Incorrect database name '%s'", name)
	}
	if isHidden(name) || p.e.catalog.View().Namespaces[name] != nil {
		return sql.ErrDatabaseExists.New(name)
	}
	n := &catalog.Namespace{Name: name, Configuration: []catalog.StringPair{{Name: collationSetting, Value: collation.Name()}}}
	_, err := p.e.catalog.ChangeSQL(&catalog.SQLChange{PutDatabases: []*catalog.Namespace{n}})
	return err
}

func (p *provider) DropDatabase(ctx *sql.Context, name string) error {
	s := sessionOf(ctx)
	for {
		var names []catalog.TableName
		for n := range p.e.catalog.View().SQLTables {
			if n.Namespace == name {
				names = append(names, n)
			}
		}
		slices.SortFunc(names, func(a, b catalog.TableName) int { return strings.Compare(a.Qualifier, b.Qualifier) })
		err := p.e.store.DropTables(ctx, s.lockWait(ctx), names, name)
		if errors.Is(err, catalog.ErrSQLChanged) {
			continue // a table came meanwhile
		}
		if noTable := (*rel.NoTableError)(nil); errors.As(err, &noTable) {
			continue // or went
		}
		return err
	}
}

// database is one of the catalog's namespaces.
type database struct {
	e    *Engine
	name string
}

var (
	_ sql.CollatedDatabase        = (*database)(nil)
	_ sql.TableCreator            = (*database)(nil)
	_ sql.TableDropper            = (*database)(nil)
	_ sql.TableRenamer            = (*database)(nil)
	_ sql.ViewDatabase            = (*database)(nil)
	_ sql.TriggerDatabase         = (*database)(nil)
	_ sql.StoredProcedureDatabase = (*database)(nil)
)

func (d *database) Name() string { return d.name }

func (d *database) GetTableInsensitive(ctx *sql.Context, name string) (sql.Table, bool, error) {
	t, err := sessionOf(ctx).table(ctx, catalog.TableName{Namespace: d.name, Qualifier: name})
	if err != nil {
		if missing := (*rel.NoTableError)(nil); errors.As(err, &missing) {
			return nil, false, nil
		}
		return nil, false, err
	}
	return t, true, nil
}

func (d *database) GetTableNames(*sql.Context) ([]string, error) {
	var names []string
	for n := range d.e.catalog.View().SQLTables {
		if n.Namespace == d.name {
			names = append(names, n.Qualifier)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (d *database) GetCollation(*sql.Context) sql.CollationID {
	if n := d.e.catalog.View().Namespaces[d.name]; n != nil {
		for _, p := range n.Configuration {
			if p.Name == collationSetting {
				if c, err := sql.ParseCollation("", p.Value, false); err == nil {
					return c
				}
			}
		}
	}
	return sql.CollationID(defaultCollation)
}

func (d *database) SetCollation(_ *sql.Context, collation sql.CollationID) error {
	old := d.e.catalog.View().Namespaces[d.name]
	if old == nil {
		return sql.ErrDatabaseNotFound.New(d.name)
	}
	n := &catalog.Namespace{Name: d.name, Configuration: slices.DeleteFunc(slices.Clone(old.Configuration), func(p catalog.StringPair) bool {
		return p.Name == collationSetting
	})}
	n.Configuration = append(n.Configuration, catalog.StringPair{Name: collationSetting, Value: collation.Name()})
	_, err := d.e.catalog.ChangeSQL(&catalog.SQLChange{PutDatabases: []*catalog.Namespace{n}})
	return err
}

func (d *database) CreateTable(*sql.Context, string, sql.PrimaryKeySchema, sql.CollationID, string) error {
	return errOwnDDL
}
func (d *database) DropTable(*sql.Context, string) error           { return errOwnDDL }
func (d *database) RenameTable(*sql.Context, string, string) error { return errOwnDDL }

func (d *database) object(kind catalog.SQLObjectKind, name string) catalog.SQLObjectName {
	return catalog.SQLObjectName{Database: d.name, Kind: kind, Name: name}
}

func (d *database) put(o *catalog.SQLObject) error {
	_, err := d.e.catalog.ChangeSQL(&catalog.SQLChange{PutObjects: []*catalog.SQLObject{o}})
	return err
}

func (d *database) drop(n catalog.SQLObjectName) error {
	_, err := d.e.catalog.ChangeSQL(&catalog.SQLChange{DropObjects: []catalog.SQLObjectName{n}})
	return err
}

// find is an object by its name, in any letters.
func (d *database) find(kind catalog.SQLObjectKind, name string) *catalog.SQLObject {
	view := d.e.catalog.View()
	if o := view.SQLObjects[d.object(kind, name)]; o != nil {
		return o
	}
	for n, o := range view.SQLObjects {
		if n.Database == d.name && n.Kind == kind && strings.EqualFold(n.Name, name) {
			return o
		}
	}
	return nil
}

// all are the objects of a kind, by name.
func (d *database) all(kind catalog.SQLObjectKind) []*catalog.SQLObject {
	var out []*catalog.SQLObject
	for n, o := range d.e.catalog.View().SQLObjects {
		if n.Database == d.name && n.Kind == kind {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *catalog.SQLObject) int { return strings.Compare(a.Name.Name, b.Name.Name) })
	return out
}

func (d *database) CreateView(ctx *sql.Context, name, selectStatement, createStatement string) error {
	return d.put(&catalog.SQLObject{
		Name: d.object(catalog.SQLView, name), Statement: createStatement, Body: selectStatement,
		SQLMode: sql.LoadSqlMode(ctx).String(), CreatedMs: time.Now().UnixMilli(),
	})
}

func (d *database) DropView(_ *sql.Context, name string) error {
	o := d.find(catalog.SQLView, name)
	if o == nil {
		return sql.ErrViewDoesNotExist.New(d.name, name)
	}
	return d.drop(o.Name)
}

func view(o *catalog.SQLObject) sql.ViewDefinition {
	return sql.ViewDefinition{Name: o.Name.Name, TextDefinition: o.Body, CreateViewStatement: o.Statement, SqlMode: o.SQLMode}
}

func (d *database) GetViewDefinition(_ *sql.Context, name string) (sql.ViewDefinition, bool, error) {
	if o := d.find(catalog.SQLView, name); o != nil {
		return view(o), true, nil
	}
	return sql.ViewDefinition{}, false, nil
}

func (d *database) AllViews(*sql.Context) ([]sql.ViewDefinition, error) {
	var out []sql.ViewDefinition
	for _, o := range d.all(catalog.SQLView) {
		out = append(out, view(o))
	}
	return out, nil
}

func (d *database) GetTriggers(*sql.Context) ([]sql.TriggerDefinition, error) {
	var out []sql.TriggerDefinition
	for _, o := range d.all(catalog.SQLTrigger) {
		out = append(out, sql.TriggerDefinition{Name: o.Name.Name, CreateStatement: o.Statement, CreatedAt: time.UnixMilli(o.CreatedMs), SqlMode: o.SQLMode})
	}
	return out, nil
}

func (d *database) CreateTrigger(_ *sql.Context, t sql.TriggerDefinition) error {
	return d.put(&catalog.SQLObject{Name: d.object(catalog.SQLTrigger, t.Name), Statement: t.CreateStatement, SQLMode: t.SqlMode, CreatedMs: t.CreatedAt.UnixMilli()})
}

func (d *database) DropTrigger(_ *sql.Context, name string) error {
	o := d.find(catalog.SQLTrigger, name)
	if o == nil {
		return sql.ErrTriggerDoesNotExist.New(name)
	}
	return d.drop(o.Name)
}

func procedure(o *catalog.SQLObject) sql.StoredProcedureDetails {
	return sql.StoredProcedureDetails{
		Name: o.Name.Name, CreateStatement: o.Statement, SqlMode: o.SQLMode,
		CreatedAt: time.UnixMilli(o.CreatedMs), ModifiedAt: time.UnixMilli(o.ChangedMs),
	}
}

func (d *database) GetStoredProcedure(_ *sql.Context, name string) (sql.StoredProcedureDetails, bool, error) {
	if o := d.find(catalog.SQLProcedure, name); o != nil {
		return procedure(o), true, nil
	}
	return sql.StoredProcedureDetails{}, false, nil
}

func (d *database) GetStoredProcedures(*sql.Context) ([]sql.StoredProcedureDetails, error) {
	var out []sql.StoredProcedureDetails
	for _, o := range d.all(catalog.SQLProcedure) {
		out = append(out, procedure(o))
	}
	return out, nil
}

func (d *database) SaveStoredProcedure(_ *sql.Context, p sql.StoredProcedureDetails) error {
	if d.find(catalog.SQLProcedure, p.Name) != nil {
		return sql.ErrStoredProcedureAlreadyExists.New(p.Name)
	}
	return d.put(&catalog.SQLObject{
		Name: d.object(catalog.SQLProcedure, p.Name), Statement: p.CreateStatement, SQLMode: p.SqlMode,
		CreatedMs: p.CreatedAt.UnixMilli(), ChangedMs: p.ModifiedAt.UnixMilli(),
	})
}

func (d *database) DropStoredProcedure(_ *sql.Context, name string) error {
	o := d.find(catalog.SQLProcedure, name)
	if o == nil {
		return sql.ErrStoredProcedureDoesNotExist.New(name)
	}
	return d.drop(o.Name)
}
