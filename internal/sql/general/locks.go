package general

import (
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/rel"
)

// The engine plans UPDATE, DELETE and SELECT ... FOR UPDATE as if they read like
// any SELECT. What they must lock is therefore found in their text, by table,
// and the tables lock what is read from them (rows, in table.go).

var (
	lockShared = rel.Lock{Locking: true, Mode: kv.LockShared}
)

// setLocks decides what a statement locks.
func (s *Session) setLocks(st *Statement) {
	s.locks, s.others, s.duplicate = nil, rel.Lock{}, nil
	clear(s.rowKeys)
	// What a change is computed from is locked, too, so that it still holds when
	// the change is made; not at READ COMMITTED, as in InnoDB.
	source := rel.Lock{}
	if s.Tx != nil && s.Tx.Isolation() == rel.RepeatableRead {
		source = lockShared
	}
	switch n := st.AST.(type) {
	case *sqlparser.Update:
		s.others = source
		s.lockTables(n.TableExprs, rel.Exclusive)
	case *sqlparser.Delete:
		s.others = source
		s.lockTables(n.TableExprs, rel.Exclusive)
	case *sqlparser.Insert:
		s.others = source
		s.lock(n.Table, rel.Exclusive)
	case *sqlparser.Load:
		s.lock(n.Table, rel.Exclusive)
	case *sqlparser.Call:
		s.others = rel.Exclusive
	case sqlparser.SelectStatement:
		s.lockSelect(n, st)
	}
}

func (s *Session) lock(name sqlparser.TableName, l rel.Lock) {
	if name.Name.IsEmpty() {
		return
	}
	if s.locks == nil {
		s.locks = map[catalog.TableName]rel.Lock{}
	}
	db := name.DbQualifier.String()
	if db == "" {
		db = s.GetCurrentDatabase()
	}
	s.locks[catalog.TableName{Namespace: db, Qualifier: name.Name.String()}] = l
}

func (s *Session) lockTables(exprs sqlparser.TableExprs, l rel.Lock) {
	for _, e := range exprs {
		switch e := e.(type) {
		case *sqlparser.AliasedTableExpr:
			if name, ok := e.Expr.(sqlparser.TableName); ok {
				s.lock(name, l)
			}
		case *sqlparser.JoinTableExpr:
			s.lockTables(sqlparser.TableExprs{e.LeftExpr, e.RightExpr}, l)
		case *sqlparser.ParenTableExpr:
			s.lockTables(e.Exprs, l)
		}
	}
}

// lockSelect follows the locking clauses of a query. A clause is for the tables
// of its own FROM, not for those of subqueries.
func (s *Session) lockSelect(n sqlparser.SelectStatement, st *Statement) {
	switch n := n.(type) {
	case *sqlparser.Select:
		if l, ok := clause(n.Lock, st); ok {
			s.lockTables(n.From, l)
		}
	case *sqlparser.SetOp:
		s.lockSelect(n.Left, st)
		s.lockSelect(n.Right, st)
	case *sqlparser.ParenSelect:
		s.lockSelect(n.Select, st)
	}
}

func clause(text string, st *Statement) (rel.Lock, bool) {
	text = strings.TrimSpace(strings.ToLower(text))
	if text == "" {
		return rel.Lock{}, false
	}
	l := rel.Exclusive
	if strings.HasPrefix(text, "lock in share mode") {
		l = lockShared
	}
	l.SkipLocked = strings.HasSuffix(text, "skip locked") || st.skipLocked
	l.NoWait = st.noWait
	return l, true
}

// LockedTables are the tables of a LOCK TABLES, true for those to be written. A
// view stands for the tables that it reads.
func (s *Session) LockedTables(n *sqlparser.LockTables) (names []catalog.TableName, writes map[catalog.TableName]bool) {
	writes = map[catalog.TableName]bool{}
	for _, t := range n.Tables {
		a, ok := t.Table.(*sqlparser.AliasedTableExpr)
		if !ok {
			continue
		}
		if name, ok := a.Expr.(sqlparser.TableName); ok {
			write := t.Lock == sqlparser.LockWrite || t.Lock == sqlparser.LockLowPriorityWrite
			full := s.named(name.DbQualifier.String(), name.Name.String())
			for _, table := range s.tablesOf(full, 0) {
				if _, twice := writes[table]; !twice {
					names = append(names, table)
				}
				writes[table] = writes[table] || write
			}
		}
	}
	return names, writes
}

// maxViewDepth bounds views over views.
const maxViewDepth = 16

// tablesOf is a table itself, or what a view of that name reads.
func (s *Session) tablesOf(name catalog.TableName, depth int) (tables []catalog.TableName) {
	d := &database{e: s.engine, name: name.Namespace}
	view := d.find(catalog.SQLView, name.Qualifier)
	if view == nil || depth == maxViewDepth {
		return []catalog.TableName{name}
	}
	ast, err := sqlparser.Parse(view.Body)
	if err != nil {
		return nil // it was valid once; reading it will say what is wrong
	}
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		if a, ok := n.(*sqlparser.AliasedTableExpr); ok {
			if t, ok := a.Expr.(sqlparser.TableName); ok {
				of := catalog.TableName{Namespace: t.DbQualifier.String(), Qualifier: t.Name.String()}
				if of.Namespace == "" {
					of.Namespace = name.Namespace
				}
				tables = append(tables, s.tablesOf(of, depth+1)...)
			}
		}
		return true, nil
	}, ast)
	return tables
}
