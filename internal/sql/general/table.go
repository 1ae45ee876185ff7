package general

import (
	"bytes"
	"errors"
	"io"
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
)

// table is a table as one statement sees it. Which version of a row is read, and
// what is locked, follows from the session's statement (Session.lockOf).
type table struct {
	*shape
	s      *Session
	lookup *sql.IndexLookup // of an indexed access, else nil
}

var (
	_ sql.IndexAddressableTable    = (*table)(nil)
	_ sql.IndexedTable             = (*table)(nil)
	_ sql.InsertableTable          = (*table)(nil)
	_ sql.UpdatableTable           = (*table)(nil)
	_ sql.DeletableTable           = (*table)(nil)
	_ sql.ReplaceableTable         = (*table)(nil)
	_ sql.AutoIncrementTable       = (*table)(nil)
	_ sql.PrimaryKeyTable          = (*table)(nil)
	_ sql.StatisticsTable          = (*table)(nil)
	_ sql.CommentedTable           = (*table)(nil)
	_ sql.CheckTable               = (*table)(nil)
	_ sql.ForeignKeyTable          = (*table)(nil)
	_ sql.AlterableTable           = (*table)(nil)
	_ sql.IndexAlterableTable      = (*table)(nil)
	_ sql.CheckAlterableTable      = (*table)(nil)
	_ sql.PrimaryKeyAlterableTable = (*table)(nil)
	_ sql.TruncateableTable        = (*table)(nil)
	_ sql.CollationAlterableTable  = (*table)(nil)
)

func (t *table) def() *catalog.SQLTable { return t.rel.Def }
func (t *table) Name() string           { return t.def().Name.Qualifier }
func (t *table) String() string         { return t.Name() }

// Schema is copied: the engine changes what it is given. While a change of rows
// is built its types compare exactly, see Session.exact.
func (t *table) Schema() sql.Schema {
	if t.s.exact {
		return t.exactSchema()
	}
	return t.schema.Schema.Copy()
}

func (t *table) Collation() sql.CollationID                   { return sql.CollationID(t.def().Collation) }
func (t *table) Comment() string                              { return t.def().Comment }
func (t *table) GetIndexes(*sql.Context) ([]sql.Index, error) { return t.indexes, nil }
func (t *table) PreciseMatch() bool                           { return false }
func (t *table) PrimaryKeySchema() sql.PrimaryKeySchema {
	return sql.PrimaryKeySchema{Schema: t.Schema(), PkOrdinals: t.schema.PkOrdinals}
}

func (t *table) IndexedAccess(_ *sql.Context, lookup sql.IndexLookup) sql.IndexedTable {
	return &table{shape: t.shape, s: t.s, lookup: &lookup}
}

// part is what one iterator goes through: spans of one index.
type part struct {
	index   *rel.Index
	spans   []span
	reverse bool
}

func (p *part) Key() []byte { return []byte("all") }

type parts struct{ next *part }

func (p *parts) Next(*sql.Context) (sql.Partition, error) {
	if p.next == nil {
		return nil, io.EOF
	}
	one := p.next
	p.next = nil
	return one, nil
}

func (p *parts) Close(*sql.Context) error { return nil }

func (t *table) Partitions(*sql.Context) (sql.PartitionIter, error) {
	start, end := t.rel.Primary.All()
	return &parts{&part{index: t.rel.Primary, spans: []span{{start: start, end: end}}}}, nil
}

func (t *table) LookupPartitions(ctx *sql.Context, lookup sql.IndexLookup) (sql.PartitionIter, error) {
	x, ok := lookup.Index.(*index)
	if !ok {
		return nil, errors.New("a lookup by an index that is none of the table's")
	}
	p := &part{index: x.rel, reverse: lookup.IsReverse}
	if lookup.IsEmptyRange {
		return &parts{p}, nil
	}
	ranges, ok := lookup.Ranges.(sql.MySQLRangeCollection)
	if !ok {
		return nil, errors.New("a lookup by ranges of another kind")
	}
	zone := sessionOf(ctx).zone(ctx)
	for _, r := range ranges {
		s, empty := x.spanOf(ctx, zone, r)
		if empty || s.end != nil && bytes.Compare(s.start, s.end) >= 0 {
			continue
		}
		p.add(s)
	}
	return &parts{p}, nil
}

// add takes a span; spans that overlap, because they were widened, become one,
// so that no row comes twice. Spans come in order, or all reversed.
func (p *part) add(s span) {
	for i := range p.spans {
		o := &p.spans[i]
		if (o.end == nil || bytes.Compare(s.start, o.end) < 0) && (s.end == nil || bytes.Compare(o.start, s.end) < 0) {
			if bytes.Compare(s.start, o.start) < 0 {
				o.start = s.start
			}
			if s.end == nil || o.end != nil && bytes.Compare(s.end, o.end) > 0 {
				o.end = s.end
			}
			o.point = o.point && s.point
			return
		}
	}
	p.spans = append(p.spans, s)
}

func (t *table) PartitionRows(ctx *sql.Context, p sql.Partition) (sql.RowIter, error) {
	s := sessionOf(ctx)
	return &rows{s: s, t: t, p: p.(*part), lock: s.lockOf(t.def().Name), zone: s.zone(ctx)}, nil
}

// rows reads the rows of a part.
type rows struct {
	s    *Session
	t    *table
	p    *part
	lock rel.Lock
	zone *time.Location
	at   int
	c    *rel.Cursor
}

func (r *rows) Next(ctx *sql.Context) (sql.Row, error) {
	for {
		if r.c == nil {
			if r.at == len(r.p.spans) {
				return nil, io.EOF
			}
			sp := r.p.spans[r.at]
			r.at++
			c, err := r.s.Tx.Scan(ctx, r.t.rel, rel.ScanOptions{
				Index: r.p.index, Start: sp.start, End: sp.end, Reverse: r.p.reverse, Lock: r.lock, Point: sp.point,
			})
			if err != nil {
				return nil, err
			}
			r.c = c
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ok, err := r.c.Next(ctx)
		if err != nil {
			return nil, err
		}
		if ok {
			out, err := r.t.toRow(r.zone, r.c.Values)
			if err == nil && r.t.rel.Hidden() && r.lock.Locking {
				r.s.remember(r.t.rel, r.c.Values, r.c.Key())
			}
			return out, err
		}
		if err := r.c.Close(); err != nil {
			return nil, err
		}
		r.c = nil
	}
}

func (r *rows) Close(*sql.Context) error {
	if r.c == nil {
		return nil
	}
	err := r.c.Close()
	r.c = nil
	return err
}

// countEvery is how long an estimate of a table's rows is used.
const countEvery = 10 * time.Second

func (t *table) RowCount(ctx *sql.Context) (uint64, bool, error) {
	now := time.Now().UnixNano()
	if at := t.counted.Load(); at != 0 && now-at < int64(countEvery) {
		return uint64(t.rows.Load()), false, nil
	}
	n, err := sessionOf(ctx).engine.store.Count(t.rel)
	if err != nil {
		return 0, false, err
	}
	t.rows.Store(int64(n))
	t.counted.Store(now)
	return n, false, nil
}

func (t *table) DataLength(ctx *sql.Context) (uint64, error) {
	n, _ := sessionOf(ctx).engine.store.SizeBytes(t.rel)
	return n, nil
}

func (t *table) PeekNextAutoIncrementValue(*sql.Context) (uint64, error) {
	if t.rel.AutoColumn() < 0 {
		return 0, nil
	}
	return t.rel.PeekAuto()
}

// GetNextAutoIncrementValue takes a number, or makes later ones come after the
// one that a statement has set.
func (t *table) GetNextAutoIncrementValue(ctx *sql.Context, set any) (uint64, error) {
	if set == nil {
		s := sessionOf(ctx)
		return t.rel.NextAuto(s.uintVariable(ctx, "auto_increment_increment"), s.uintVariable(ctx, "auto_increment_offset"))
	}
	v, _, err := t.columns[t.rel.AutoColumn()].typ.Convert(ctx, set)
	if err != nil {
		return 0, err
	}
	if n, ok := toInt(v); ok {
		if n <= 0 {
			return uint64(n), nil
		}
		return uint64(n), t.rel.RaiseAuto(uint64(n))
	}
	if u, ok := v.(uint64); ok {
		return u, t.rel.RaiseAuto(u)
	}
	if f, ok := v.(float64); ok && f > 0 {
		return uint64(f), t.rel.RaiseAuto(uint64(f))
	}
	return 0, nil
}

func (t *table) AutoIncrementSetter(*sql.Context) sql.AutoIncrementSetter { return &autoSetter{t} }

type autoSetter struct{ t *table }

func (a *autoSetter) SetAutoIncrementValue(_ *sql.Context, n uint64) error {
	if n == 0 {
		return nil
	}
	return a.t.rel.RaiseAuto(n - 1)
}

func (a *autoSetter) AcquireAutoIncrementLock(*sql.Context) (func(), error) {
	return func() {}, nil
}

func (a *autoSetter) Close(*sql.Context) error { return nil }

func (t *table) GetChecks(*sql.Context) ([]sql.CheckDefinition, error) {
	var out []sql.CheckDefinition
	for _, c := range t.def().Checks {
		out = append(out, sql.CheckDefinition{Name: c.Name, CheckExpression: c.Expression, Enforced: !c.NotEnforced})
	}
	return out, nil
}

func (t *table) GetDeclaredForeignKeys(*sql.Context) ([]sql.ForeignKeyConstraint, error) {
	return foreignKeys(t.def()), nil
}

func (t *table) GetReferencedForeignKeys(ctx *sql.Context) ([]sql.ForeignKeyConstraint, error) {
	var out []sql.ForeignKeyConstraint
	for _, def := range sessionOf(ctx).engine.catalog.View().SQLTables {
		for _, f := range foreignKeys(def) {
			if f.ParentDatabase == t.def().Name.Namespace && f.ParentTable == t.Name() {
				out = append(out, f)
			}
		}
	}
	return out, nil
}

func foreignKeys(def *catalog.SQLTable) (out []sql.ForeignKeyConstraint) {
	for _, f := range def.ForeignKeys {
		action := func(a string) sql.ForeignKeyReferentialAction {
			if a == "" {
				return sql.ForeignKeyReferentialAction_DefaultAction
			}
			return sql.ForeignKeyReferentialAction(a)
		}
		out = append(out, sql.ForeignKeyConstraint{
			Name: f.Name, Database: def.Name.Namespace, Table: def.Name.Qualifier, Columns: f.Columns,
			ParentDatabase: f.ParentSchema, ParentTable: f.Parent, ParentColumns: f.ParentColumns,
			OnUpdate: action(f.OnUpdate), OnDelete: action(f.OnDelete), IsResolved: true,
		})
	}
	return out
}

// The engine asks for these methods before it plans a change of a schema; the
// change itself is made by package general in one step and never calls them.
var errOwnDDL = errors.New("changes of schemas are made elsewhere")

func (t *table) CreateIndexForForeignKey(*sql.Context, sql.IndexDef) error  { return errOwnDDL }
func (t *table) AddForeignKey(*sql.Context, sql.ForeignKeyConstraint) error { return errOwnDDL }
func (t *table) DropForeignKey(*sql.Context, string) error                  { return errOwnDDL }
func (t *table) UpdateForeignKey(*sql.Context, string, sql.ForeignKeyConstraint) error {
	return errOwnDDL
}
func (t *table) AddColumn(*sql.Context, *sql.Column, *sql.ColumnOrder) error { return errOwnDDL }
func (t *table) DropColumn(*sql.Context, string) error                       { return errOwnDDL }
func (t *table) ModifyColumn(*sql.Context, string, *sql.Column, *sql.ColumnOrder) error {
	return errOwnDDL
}
func (t *table) CreateIndex(*sql.Context, sql.IndexDef) error               { return errOwnDDL }
func (t *table) DropIndex(*sql.Context, string) error                       { return errOwnDDL }
func (t *table) RenameIndex(*sql.Context, string, string) error             { return errOwnDDL }
func (t *table) CreateCheck(*sql.Context, *sql.CheckDefinition) error       { return errOwnDDL }
func (t *table) DropCheck(*sql.Context, string) error                       { return errOwnDDL }
func (t *table) CreatePrimaryKey(*sql.Context, []sql.IndexColumn) error     { return errOwnDDL }
func (t *table) DropPrimaryKey(*sql.Context) error                          { return errOwnDDL }
func (t *table) ModifyStoredCollation(*sql.Context, sql.CollationID) error  { return errOwnDDL }
func (t *table) ModifyDefaultCollation(*sql.Context, sql.CollationID) error { return errOwnDDL }
func (t *table) Truncate(*sql.Context) (int, error)                         { return 0, errOwnDDL }
