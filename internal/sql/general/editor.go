package general

import (
	"time"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
)

// editor changes the rows of a table for one statement. It keeps nothing back:
// a statement that fails is undone by the session's savepoint.
type editor struct {
	t    *table
	s    *Session
	zone *time.Location
}

var _ sql.TableEditor = (*editor)(nil)

func (t *table) editor(ctx *sql.Context) *editor {
	s := sessionOf(ctx)
	return &editor{t: t, s: s, zone: s.zone(ctx)}
}

func (t *table) Inserter(ctx *sql.Context) sql.RowInserter { return t.editor(ctx) }
func (t *table) Updater(ctx *sql.Context) sql.RowUpdater   { return t.editor(ctx) }
func (t *table) Deleter(ctx *sql.Context) sql.RowDeleter   { return t.editor(ctx) }
func (t *table) Replacer(ctx *sql.Context) sql.RowReplacer { return t.editor(ctx) }
func (t *table) GetForeignKeyEditor(ctx *sql.Context) sql.ForeignKeyEditor {
	return &foreignEditor{t.editor(ctx), t}
}

type foreignEditor struct {
	*editor
	*table
}

func (e *editor) StatementBegin(*sql.Context)              {}
func (e *editor) DiscardChanges(*sql.Context, error) error { return nil }
func (e *editor) StatementComplete(*sql.Context) error     { return nil }
func (e *editor) Close(*sql.Context) error                 { return nil }

func (e *editor) Insert(ctx *sql.Context, in sql.Row) error {
	values, err := e.t.toValues(ctx, e.zone, in)
	if err != nil {
		return err
	}
	_, err = e.s.Tx.Insert(ctx, e.t.rel, values)
	return e.refused(err)
}

// refused makes the engine's error of a duplicate key, which it acts on.
func (e *editor) refused(err error) error {
	dup, ok := err.(*rel.DuplicateKeyError)
	if !ok {
		return err
	}
	e.s.duplicate = dup
	existing, lerr := e.t.toRow(e.zone, dup.Existing)
	if lerr != nil {
		return lerr
	}
	if dup.Table.Hidden() {
		e.s.remember(dup.Table, dup.Existing, dup.Key)
	}
	return sql.NewUniqueKeyErr(duplicateError(dup).Message, dup.Index.IsPrimary(), existing)
}

// current locks the row that the engine means and reads its newest version.
func (e *editor) current(ctx *sql.Context, in sql.Row) (pk []byte, values []row.Value, ok bool, err error) {
	if values, err = e.t.toValues(ctx, e.zone, in); err != nil {
		return nil, nil, false, err
	}
	if e.t.rel.Hidden() {
		if pk = e.s.recall(e.t.rel, values); pk == nil {
			return nil, nil, false, nil
		}
	} else {
		pk = e.t.rel.PrimaryKey(values)
	}
	ok, err = e.s.Tx.LockRow(ctx, e.t.rel, pk, rel.Exclusive, values)
	return pk, values, ok, err
}

func (e *editor) Update(ctx *sql.Context, old, in sql.Row) error {
	pk, before, ok, err := e.current(ctx, old)
	if err != nil || !ok {
		return err
	}
	after, err := e.t.toValues(ctx, e.zone, in)
	if err != nil {
		return err
	}
	moved, err := e.s.Tx.Update(ctx, e.t.rel, pk, before, after)
	if err == nil && e.t.rel.Hidden() {
		e.s.remember(e.t.rel, after, moved)
	}
	return e.refused(err)
}

func (e *editor) Delete(ctx *sql.Context, in sql.Row) error {
	pk, before, ok, err := e.current(ctx, in)
	if err != nil || !ok {
		return err
	}
	return e.s.Tx.Delete(ctx, e.t.rel, pk, before)
}
