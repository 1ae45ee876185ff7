package sql

import (
	"context"
	"errors"
	"math"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/fast"
)

// compiled is a prepared statement's fast plan, and what it was made under: any
// change of the catalog (schemas, triggers, grants) or of the session's settings
// has it made again.
type compiled struct {
	plan     *fast.Plan // nil: the statement is the general engine's
	view     *catalog.View
	settings int
}

// fastPlan is the statement's plan as of now, or nil.
func (p *stmt) fastPlan(ctx context.Context) (*fast.Plan, error) {
	s := p.s
	view := s.engine.store.Catalog().View()
	if c := &p.compiled; c.view == view && c.settings == s.settings {
		return c.plan, nil
	}
	p.compiled = compiled{view: view, settings: s.settings}
	if n, ok := s.general.Number("sql_select_limit"); ok && n < math.MaxInt32 {
		return nil, nil
	}
	plan := fast.Compile(s.engine.store, p.st.AST, fast.Options{Database: p.database, Columns: p.columns, FoundRows: s.o.FoundRows})
	if plan == nil {
		return nil, nil
	}
	// The general engine names the columns and knows who may do what.
	s.general.Tx = s.tx.rel
	columns, err := s.general.Authorize(ctx, p.st)
	if err != nil {
		p.compiled = compiled{}
		return nil, err
	}
	p.columns = columns
	p.compiled.plan = fast.Compile(s.engine.store, p.st.AST, fast.Options{Database: p.database, Columns: columns, FoundRows: s.o.FoundRows})
	return p.compiled.plan, nil
}

// runFast runs the statement by its fast plan; done is false if there is none for
// it and these arguments.
func (p *stmt) runFast(ctx context.Context, args []row.Value, sink Sink) (r Result, done bool, err error) {
	plan, err := p.fastPlan(ctx)
	if plan == nil || err != nil {
		return r, err != nil, err
	}
	s := p.s
	if !plan.Writes() && s.tx.autocommit && s.tx.held == nil && !s.tx.open() && s.tx.nextIsolation == nil && s.tx.nextReadOnly == nil {
		r, err = plan.Run(ctx, s.engine.store, nil, args, sink)
		err = s.fastError(ctx, err)
	} else {
		r, err = s.transact(ctx, plan.Writes(), func(x *rel.Txn) (Result, error) {
			r, err := plan.Run(ctx, s.engine.store, x, args, sink)
			return r, s.fastError(ctx, err)
		})
	}
	if errors.Is(err, fast.ErrNotMine) {
		return r, false, nil
	}
	if sinkErr := (*fast.SinkError)(nil); errors.As(err, &sinkErr) {
		return r, true, sinkErr.Err
	}
	if err != nil {
		return r, true, err
	}
	if r.Rows {
		s.general.NoteRows(int64(r.AffectedRows))
		r.AffectedRows = 0
	} else {
		s.general.NoteChange(int64(r.AffectedRows))
	}
	return r, true, nil
}

// fastError makes errors of a plan those of clients.
func (s *session) fastError(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, fast.ErrNotMine) {
		return err
	}
	if sinkErr := (*fast.SinkError)(nil); errors.As(err, &sinkErr) {
		return err
	}
	return s.general.MapError(ctx, err)
}
