package general

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"unicode/utf8"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/go-mysql-server/sql/plan"
	"github.com/dolthub/go-mysql-server/sql/planbuilder"
	"github.com/dolthub/go-mysql-server/sql/rowexec"
	"github.com/dolthub/go-mysql-server/sql/types"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/answer"
)

// Run runs a statement in the session's transaction. Its errors are ready for
// clients, but for those of the sink.
func (s *Session) Run(ctx context.Context, st *Statement, args []row.Value, sink answer.Sink) (answer.Result, error) {
	c := s.context(ctx, st.Text)
	c, err := s.engine.gms.ProcessList.BeginQuery(c, st.Text)
	if err != nil {
		return answer.Result{}, err
	}
	defer s.engine.gms.ProcessList.EndQuery(c)
	s.sink = sink
	if st.discards {
		s.sink = discard{}
	}
	r, err := s.run(c, st, args)
	s.sink = nil
	r.Rows = r.Rows && !st.discards
	if sinkErr := (*sinkError)(nil); errors.As(err, &sinkErr) {
		return r, sinkErr.err
	}
	if err != nil {
		return r, s.worded(st, s.MapError(ctx, err))
	}
	r.Warnings = uint16(min(len(s.Warnings()), 65535))
	if n, ok := st.AST.(*sqlparser.Insert); ok && r.Info == "" && severalRows(n) {
		r.Info = fmt.Sprintf("Records: %d  Duplicates: 0  Warnings: %d", r.AffectedRows, r.Warnings)
	}
	return r, nil
}

// discard is the sink of rows that nobody wants.
type discard struct{}

func (discard) Columns([]answer.Column) error { return nil }
func (discard) Row([]row.Value) error         { return nil }
func (discard) LocalFile(string) (io.ReadCloser, error) {
	return nil, errors.New("no client to ask for a file")
}

// severalRows tells whether an INSERT reports how many records it had; what it
// replaces or leaves out it would have to count.
func severalRows(n *sqlparser.Insert) bool {
	if n.Action == sqlparser.ReplaceStr || n.Ignore != "" || n.OnDup != nil {
		return false
	}
	values, ok := n.Rows.(*sqlparser.AliasedValues)
	return !ok || len(values.Values) > 1
}

// sinkError is an error of the sink on its way through the engine.
type sinkError struct{ err error }

func (e *sinkError) Error() string { return e.err.Error() }

func (s *Session) run(ctx *sql.Context, st *Statement, args []row.Value) (r answer.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.engine.log.Error("panic in a statement", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("internal error: %v", p)
		}
	}()
	s.setLocks(st)
	s.aliases, s.describes = st.aliases, st.describes
	node, flags, err := s.analyze(ctx, st, args)
	if err != nil {
		return r, err
	}
	if done, r, err := s.runDDL(ctx, node, st); done || err != nil {
		return r, err
	}
	if node, err = s.byCollation(node); err != nil {
		return r, err
	}
	s.exact = st.comparesRows()
	iter, err := s.engine.gms.Analyzer.ExecBuilder.Build(ctx, node, nil)
	s.exact = false
	if err != nil {
		return r, err
	}
	iter, schema, err := rowexec.FinalizeIters(ctx, node, flags, iter)
	if err != nil {
		return r, err
	}
	if schema == nil {
		schema = node.Schema()
	}
	return s.answer(ctx, schema, showRows(node, iter))
}

// analyze makes the plan.
func (s *Session) analyze(ctx *sql.Context, st *Statement, args []row.Value) (sql.Node, *sql.QueryFlags, error) {
	a := s.engine.gms.Analyzer
	binder := planbuilder.New(ctx, a.Catalog, nil, a.Parser)
	if len(args) > 0 {
		binder.SetBindings(bindings(args))
	}
	before := len(s.Warnings())
	bound, flags, err := binder.BindOnly(st.AST, st.Text, nil)
	if err != nil {
		return nil, nil, err
	}
	// The new statement's warnings replace those of the one before.
	if _, show := st.AST.(*sqlparser.Show); !show {
		fresh := append([]*sql.Warning(nil), s.Warnings()[before:]...)
		s.ClearWarnings()
		for i := len(fresh) - 1; i >= 0; i-- {
			s.Warn(fresh[i])
		}
	}
	s.unchecked = st.changesRows()
	node, err := a.Analyze(ctx, bound, nil, flags)
	s.unchecked = false
	if _, del := st.AST.(*sqlparser.Delete); del && err == nil {
		// The engine makes a TRUNCATE of a DELETE of all rows, but that is no part
		// of the transaction.
		if n, ok := node.(*plan.Truncate); ok {
			node = plan.NewDeleteFrom(n.Child, nil)
		}
	}
	return node, flags, err
}

// Describe is the columns of a statement's result as far as they are known
// without arguments; none for a statement without a result.
func (s *Session) Describe(ctx context.Context, st *Statement) ([]answer.Column, error) {
	switch st.AST.(type) {
	case sqlparser.SelectStatement, *sqlparser.Show, *sqlparser.Explain:
		return s.Authorize(ctx, st)
	}
	return nil, nil
}

// Authorize is Describe of any statement that reads or changes rows: it refuses
// what the user may not do.
func (s *Session) Authorize(ctx context.Context, st *Statement) (columns []answer.Column, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.engine.log.Error("panic while preparing", "panic", p, "stack", string(debug.Stack()))
			err = Errorf(1105, "internal error: %v", p)
		}
	}()
	c := s.context(ctx, st.Text)
	a := s.engine.gms.Analyzer
	node, flags, err := planbuilder.New(c, a.Catalog, nil, a.Parser).BindOnly(st.AST, st.Text, nil)
	if err != nil {
		return nil, s.worded(st, s.MapError(ctx, err))
	}
	if _, query := st.AST.(sqlparser.SelectStatement); query {
		// The analysed plan knows more of its columns; but without arguments it
		// cannot always be made.
		if analyzed, err := a.Analyze(c, node, nil, flags); err == nil {
			node = analyzed
		}
	}
	schema := node.Schema()
	if types.IsOkResultSchema(schema) || st.changesRows() {
		return nil, nil
	}
	return s.columns(c, schema), nil
}

// NoteRows and NoteChange keep what FOUND_ROWS and ROW_COUNT say of a statement
// that ran elsewhere, which had no warnings.
func (s *Session) NoteRows(n int64) {
	s.ClearWarnings()
	s.SetLastQueryInfoInt(sql.FoundRows, n)
	s.SetLastQueryInfoInt(sql.RowCount, -1)
}

func (s *Session) NoteChange(n int64) {
	s.ClearWarnings()
	s.SetLastQueryInfoInt(sql.RowCount, n)
}

// bindings are arguments as literals.
func bindings(args []row.Value) map[string]sqlparser.Expr {
	out := make(map[string]sqlparser.Expr, len(args))
	for i, v := range args {
		var e sqlparser.Expr
		switch v.Kind {
		case row.Null:
			e = &sqlparser.NullVal{}
		case row.Int, row.Uint:
			e = sqlparser.NewIntVal([]byte(text(nil, v)))
		case row.Float, row.Double:
			e = sqlparser.NewFloatVal([]byte(text(nil, v)))
		case row.DateTime:
			e = sqlparser.NewStrVal([]byte(dateText(v.Civil(), false, 6)))
		case row.Time:
			e = sqlparser.NewStrVal([]byte(timeText(v.Micros(), 6)))
		default:
			// Copied: the engine keeps parts of literals.
			b := append([]byte{}, v.Bytes...)
			if utf8.Valid(b) {
				e = sqlparser.NewStrVal(b)
			} else {
				e = sqlparser.NewHexVal([]byte(fmt.Sprintf("%x", b)))
			}
		}
		out[fmt.Sprintf("v%d", i+1)] = e
	}
	return out
}

// answer hands the rows of a plan to the sink.
func (s *Session) answer(ctx *sql.Context, schema sql.Schema, iter sql.RowIter) (r answer.Result, err error) {
	defer func() {
		if cerr := iter.Close(ctx); err == nil {
			err = cerr
		}
	}()
	ok := types.IsOkResultSchema(schema)
	var encoders []encoder
	var out []row.Value
	if !ok && len(schema) > 0 {
		columns := s.columns(ctx, schema)
		encoders = s.encoders(ctx, schema)
		out = make([]row.Value, len(schema))
		r.Rows = true
		if err := s.sink.Columns(columns); err != nil {
			return r, &sinkError{err}
		}
	}
	for {
		in, err := iter.Next(ctx)
		if err == io.EOF {
			return r, nil
		}
		if err != nil {
			return r, err
		}
		if types.IsOkResult(in) {
			done := types.GetOkResult(in)
			r.AffectedRows = done.RowsAffected
			r.LastInsertID = done.InsertID
			if done.Info != nil {
				r.Info = done.Info.String()
			}
			continue
		}
		if encoders == nil {
			continue
		}
		for i := range encoders {
			if out[i], err = encoders[i](in[i]); err != nil {
				return r, err
			}
		}
		if err := s.sink.Row(out); err != nil {
			return r, &sinkError{err}
		}
	}
}

// localFile is a file of the client (LOAD DATA LOCAL).
func (s *Session) localFile(name string) (io.ReadCloser, error) {
	if s.sink == nil {
		return nil, errors.New("no client to ask for a file")
	}
	f, err := s.sink.LocalFile(name)
	if err != nil {
		return nil, &sinkError{err}
	}
	return f, nil
}
