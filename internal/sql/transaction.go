package sql

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/answer"
	"github.com/basaltdb/basalt/internal/sql/general"
)

// transaction is a session's transaction and what rules the next one.
type transaction struct {
	rel *rel.Txn // nil: none is open
	// explicit: begun by BEGIN, so that autocommit does not end it.
	explicit   bool
	readOnly   bool
	savepoints []savepoint

	autocommit  bool
	noBackslash bool
	isolation   rel.Isolation
	sessionRead bool // transaction_read_only
	// nextIsolation and nextReadOnly are of SET TRANSACTION, for one transaction.
	nextIsolation *rel.Isolation
	nextReadOnly  *bool
	lockWait      time.Duration
	foreignKeys   bool
	// held are the tables of LOCK TABLES.
	held *rel.Held
}

// unlock ends LOCK TABLES.
func (t *transaction) unlock() {
	if t.held != nil {
		t.held.Release()
		t.held = nil
	}
}

type savepoint struct {
	name string
	at   kv.Savepoint
}

// open tells whether a transaction goes on behind the statement.
func (t *transaction) open() bool { return t.rel != nil }

// readVariables takes over what statements may have set.
func (s *session) readVariables() error {
	g := s.general
	s.settings++
	wasOff := !s.tx.autocommit
	n, _ := g.Number("autocommit")
	s.tx.autocommit = n != 0
	name, _ := g.Text("transaction_isolation")
	level, err := isolationOf(name)
	if err != nil {
		_ = g.SetVariable("transaction_isolation", isolationName(s.tx.isolation))
		return err
	}
	s.tx.isolation = level
	n, _ = g.Number("transaction_read_only")
	s.tx.sessionRead = n != 0
	n, _ = g.Number("innodb_lock_wait_timeout")
	s.tx.lockWait = time.Duration(n) * time.Second
	n, _ = g.Number("foreign_key_checks")
	s.tx.foreignKeys = n != 0
	mode, _ := g.Text("sql_mode")
	s.tx.noBackslash = strings.Contains(strings.ToUpper(mode), "NO_BACKSLASH_ESCAPES")
	if s.tx.autocommit && wasOff && s.tx.open() {
		return s.commit(context.Background())
	}
	return nil
}

func isolationName(i rel.Isolation) string {
	if i == rel.ReadCommitted {
		return "READ-COMMITTED"
	}
	return "REPEATABLE-READ"
}

// ensure begins a transaction if none is open.
func (s *session) ensure(ctx context.Context) error {
	t := &s.tx
	if t.rel != nil {
		t.rel.SetLockWait(t.lockWait)
		t.rel.SetForeignKeys(t.foreignKeys)
		return nil
	}
	o := rel.TxnOptions{Isolation: t.isolation, LockWait: t.lockWait, NoForeignKeys: !t.foreignKeys, Held: t.held}
	if t.nextIsolation != nil {
		o.Isolation = *t.nextIsolation
	}
	t.readOnly = t.sessionRead
	if t.nextReadOnly != nil {
		t.readOnly = *t.nextReadOnly
	}
	t.nextIsolation, t.nextReadOnly = nil, nil
	// Reads may take locks, so that the store's transaction is never read-only.
	x, err := s.engine.store.Begin(background(ctx), o)
	if err != nil {
		return s.general.MapError(ctx, err)
	}
	t.rel = x
	return nil
}

func (t *transaction) end() {
	t.rel, t.explicit, t.readOnly, t.savepoints = nil, false, false, nil
}

func (t *transaction) rollback() {
	if t.rel != nil {
		t.rel.Rollback()
	}
	t.end()
}

func (s *session) commit(ctx context.Context) error {
	x := s.tx.rel
	s.tx.end()
	if x == nil {
		return nil
	}
	if err := x.Commit(background(ctx)); err != nil {
		x.Rollback()
		return s.general.MapError(ctx, err)
	}
	return nil
}

// run runs a statement in the session's transaction, or in one of its own.
func (s *session) run(ctx context.Context, st *general.Statement, args []row.Value, sink Sink) (Result, error) {
	if r, done, err := s.parsedChore(ctx, st, args, sink); done {
		return r, err
	}
	if st.IsDDL() {
		if err := s.commit(ctx); err != nil {
			return Result{}, err
		}
		s.general.Tx = nil
		// A change of a schema takes its own locks, which the session's would keep
		// it from: unlike MySQL, it ends LOCK TABLES.
		if changesSchema(st) {
			s.tx.unlock()
		}
		if s.tx.sessionRead && st.Writes() {
			return Result{}, errReadOnly()
		}
		return s.general.Run(ctx, st, args, sink)
	}
	if !st.Reads() {
		s.general.Tx = s.tx.rel
		r, err := s.general.Run(ctx, st, args, sink)
		if _, set := st.AST.(*sqlparser.Set); set && err == nil {
			err = s.readVariables()
		}
		return r, err
	}
	return s.inTransaction(ctx, st, args, sink)
}

// changesSchema tells whether a statement changes a table's schema, and not only
// says that keys are to be kept up (as dumps do within LOCK TABLES).
func changesSchema(st *general.Statement) bool {
	if n, ok := st.AST.(*sqlparser.AlterTable); ok && st.OnlyKeys(n) {
		return false
	}
	return true
}

func errReadOnly() error {
	return general.Errorf(1792, "Cannot execute statement in a READ ONLY transaction.")
}

func (s *session) inTransaction(ctx context.Context, st *general.Statement, args []row.Value, sink Sink) (Result, error) {
	return s.transact(ctx, st.Writes(), func(x *rel.Txn) (Result, error) {
		s.general.Tx = x
		return s.general.Run(ctx, st, args, sink)
	})
}

// transact runs a statement in the session's transaction or, with autocommit, in
// its own. A statement that fails is undone, alone if that can be.
func (s *session) transact(ctx context.Context, writes bool, run func(x *rel.Txn) (Result, error)) (r Result, err error) {
	if err := s.ensure(ctx); err != nil {
		return r, err
	}
	t := &s.tx
	x := t.rel
	alone := t.autocommit && !t.explicit
	if t.readOnly && writes {
		err = errReadOnly()
	} else if err = x.BeginStatement(); err == nil {
		var at kv.Savepoint
		if !alone {
			at = x.Savepoint()
		}
		r, err = run(x)
		if err == nil {
			if alone {
				err = s.commit(ctx)
			}
			return r, err
		}
		if !alone && !ends(err) && x.RollbackTo(at) == nil {
			return r, err
		}
	} else {
		err = s.general.MapError(ctx, err)
	}
	if alone || !isReadOnly(err) {
		t.rollback()
	}
	return r, err
}

func isReadOnly(err error) bool {
	e := (*answer.Error)(nil)
	return errors.As(err, &e) && e.Code == 1792
}

// ends tells whether an error ends the whole transaction and not the statement
// alone.
func ends(err error) bool {
	e := (*answer.Error)(nil)
	return errors.As(err, &e) && (e.Code == 1213 || e.Code == 1197)
}
