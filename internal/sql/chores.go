package sql

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/general"
)

// Chores are statements about the session itself: begins and ends of
// transactions, savepoints, statements prepared by text. The first two are known
// by their words, since the parser does not have all their forms.

// maxChoreBytes bounds the texts that are looked at.
const maxChoreBytes = 256

// words are a chore's words in capitals, nil if the text cannot be one.
// Comments are skipped; those for MySQL (/*!) are read.
func words(text string) []string {
	if len(text) > maxChoreBytes {
		return nil
	}
	text = strings.Trim(text, "; \t\r\n")
	for {
		at := strings.Index(text, "/*")
		if at < 0 {
			break
		}
		end := strings.Index(text[at:], "*/")
		if end < 0 {
			return nil
		}
		inner := ""
		if strings.HasPrefix(text[at:], "/*!") {
			inner = strings.TrimLeft(text[at+3:at+end], "0123456789")
		}
		text = text[:at] + " " + inner + " " + text[at+end+2:]
	}
	return strings.Fields(strings.ReplaceAll(text, ",", " , "))
}

func upper(in []string) []string {
	out := make([]string, len(in))
	for i, w := range in {
		out[i] = strings.ToUpper(w)
	}
	return out
}

// isChore tells whether a text is one of chore's.
func isChore(text string) bool {
	if len(text) > maxChoreBytes || strings.Contains(strings.TrimRight(text, "; \t\r\n"), ";") {
		return false
	}
	w := words(text)
	if len(w) == 0 {
		return false
	}
	switch u := upper(w); u[0] {
	case "COMMIT", "ROLLBACK", "SAVEPOINT":
		return true
	case "BEGIN":
		return len(u) == 1 || len(u) == 2 && u[1] == "WORK"
	case "START":
		return len(u) >= 2 && u[1] == "TRANSACTION"
	case "RELEASE":
		return len(u) == 3 && u[1] == "SAVEPOINT"
	case "SET":
		_, ok := transactionSetting(u)
		return ok || isNames(u)
	}
	return false
}

// chore runs a text that is one.
func (s *session) chore(ctx context.Context, text string, _ Sink) (r Result, done bool, err error) {
	if s.isComment(text) {
		return r, true, nil
	}
	if !isChore(text) {
		return r, false, nil
	}
	w := words(text)
	u := upper(w)
	switch u[0] {
	case "BEGIN":
		err = s.startTransaction(ctx, nil)
	case "START":
		err = s.startTransaction(ctx, u[2:])
	case "COMMIT":
		err = s.finish(ctx, u[1:], true)
	case "ROLLBACK":
		if to := savepointName(w, u); to != "" {
			err = s.rollbackTo(to)
		} else {
			err = s.finish(ctx, u[1:], false)
		}
	case "SAVEPOINT":
		if len(w) != 2 {
			return r, true, syntaxError(text)
		}
		err = s.savepoint(ctx, unquote(w[1]))
	case "RELEASE":
		err = s.release(unquote(w[2]))
	case "SET":
		if isNames(u) {
			if err = s.general.SetNamesCollate(strings.Trim(w[2], "'\""), strings.Trim(w[4], "'\"")); err == nil {
				err = s.readVariables()
			}
			break
		}
		c, _ := transactionSetting(u)
		err = s.setTransaction(c)
	}
	return r, true, err
}

// isComment tells whether a text is comments and nothing else, which is a
// statement that does nothing, while a text of nothing is an error.
func (s *session) isComment(text string) bool {
	start := strings.TrimLeft(text, " \t\r\n;")
	if start == "" || start[0] != '-' && start[0] != '#' && start[0] != '/' {
		return false
	}
	if start == "--" {
		return true // they begin a comment before a blank, or at the end
	}
	_, _, err := s.general.Parse(context.Background(), text)
	var e *Error
	return errors.As(err, &e) && e.Code == 1065
}

// isNames tells whether it is SET NAMES charset COLLATE collation.
func isNames(u []string) bool {
	return len(u) == 5 && u[1] == "NAMES" && u[3] == "COLLATE"
}

func syntaxError(text string) error {
	return general.Errorf(1064, "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server "+
		"version for the right syntax to use near '%.80s' at line 1", text)
}

func unquote(name string) string { return strings.ReplaceAll(strings.Trim(name, "`"), "``", "`") }

// savepointName is the name of ROLLBACK [WORK] TO [SAVEPOINT] name.
func savepointName(w, u []string) string {
	i := 1
	if i < len(u) && u[i] == "WORK" {
		i++
	}
	if i >= len(u) || u[i] != "TO" {
		return ""
	}
	i++
	if i < len(u)-1 && u[i] == "SAVEPOINT" {
		i++
	}
	if i != len(u)-1 {
		return ""
	}
	return unquote(w[i])
}

// startTransaction is BEGIN and START TRANSACTION with its characteristics.
func (s *session) startTransaction(ctx context.Context, u []string) error {
	consistent := false
	var readOnly *bool
	for _, c := range strings.Split(strings.Join(u, " "), " , ") {
		no, yes := false, true
		switch c {
		case "":
		case "WITH CONSISTENT SNAPSHOT":
			consistent = true
		case "READ ONLY":
			readOnly = &yes
		case "READ WRITE":
			readOnly = &no
		default:
			return syntaxError(c)
		}
	}
	if err := s.commit(ctx); err != nil {
		return err
	}
	s.tx.unlock()
	if readOnly != nil {
		s.tx.nextReadOnly = readOnly
	}
	if err := s.ensure(ctx); err != nil {
		return err
	}
	s.tx.explicit = true
	if consistent {
		if err := s.tx.rel.BeginStatement(); err != nil {
			return s.general.MapError(ctx, err)
		}
		s.tx.rel.Consistent()
	}
	return nil
}

// finish is COMMIT and ROLLBACK, with [WORK] [AND [NO] CHAIN] [[NO] RELEASE].
func (s *session) finish(ctx context.Context, u []string, commit bool) error {
	rest := strings.TrimPrefix(strings.Join(u, " "), "WORK")
	chain, release := false, false
	switch strings.TrimSpace(rest) {
	case "", "AND NO CHAIN", "NO RELEASE", "AND NO CHAIN NO RELEASE":
	case "AND CHAIN", "AND CHAIN NO RELEASE":
		chain = true
	case "RELEASE", "AND NO CHAIN RELEASE":
		release = true
	default:
		return syntaxError(strings.Join(u, " "))
	}
	isolation, readOnly := s.tx.isolation, s.tx.readOnly
	if s.tx.rel != nil {
		isolation = s.tx.rel.Isolation()
	}
	var err error
	if commit {
		err = s.commit(ctx)
	} else {
		s.tx.rollback()
	}
	if err != nil {
		return err
	}
	if chain {
		s.tx.nextIsolation, s.tx.nextReadOnly = &isolation, &readOnly
		if err := s.ensure(ctx); err != nil {
			return err
		}
		s.tx.explicit = true
	}
	if release {
		s.interrupt(true)
	}
	return nil
}

func (s *session) savepoint(ctx context.Context, name string) error {
	if s.tx.rel == nil && s.tx.autocommit {
		return nil // the savepoint of a transaction that ends here
	}
	if err := s.ensure(ctx); err != nil {
		return err
	}
	if i := s.findSavepoint(name); i >= 0 {
		s.tx.savepoints = append(s.tx.savepoints[:i:i], s.tx.savepoints[i+1:]...)
	}
	s.tx.savepoints = append(s.tx.savepoints, savepoint{name, s.tx.rel.Savepoint()})
	return nil
}

func (s *session) findSavepoint(name string) int {
	for i := range s.tx.savepoints {
		if strings.EqualFold(s.tx.savepoints[i].name, name) {
			return i
		}
	}
	return -1
}

func noSavepoint(name string) error { return general.Errorf(1305, "SAVEPOINT %s does not exist", name) }

func (s *session) rollbackTo(name string) error {
	i := s.findSavepoint(name)
	if i < 0 {
		return noSavepoint(name)
	}
	s.tx.savepoints = s.tx.savepoints[:i+1]
	return s.tx.rel.RollbackTo(s.tx.savepoints[i].at)
}

func (s *session) release(name string) error {
	i := s.findSavepoint(name)
	if i < 0 {
		return noSavepoint(name)
	}
	s.tx.savepoints = s.tx.savepoints[:i]
	return nil
}

// setting is a SET [SESSION | GLOBAL] TRANSACTION.
type setting struct {
	scope     string
	isolation string
	readOnly  *bool
}

func transactionSetting(u []string) (c setting, ok bool) {
	i := 1
	if i < len(u) && (u[i] == "SESSION" || u[i] == "GLOBAL" || u[i] == "LOCAL") {
		c.scope = strings.Replace(u[i], "LOCAL", "SESSION", 1)
		i++
	}
	if i >= len(u)-1 || u[i] != "TRANSACTION" {
		return c, false
	}
	yes, no := true, false
	for _, part := range strings.Split(strings.Join(u[i+1:], " "), " , ") {
		switch {
		case strings.HasPrefix(part, "ISOLATION LEVEL "):
			c.isolation = strings.TrimPrefix(part, "ISOLATION LEVEL ")
		case part == "READ ONLY":
			c.readOnly = &yes
		case part == "READ WRITE":
			c.readOnly = &no
		default:
			return c, false
		}
	}
	return c, true
}

func (s *session) setTransaction(c setting) error {
	var level rel.Isolation
	var err error
	if c.isolation != "" {
		if level, err = isolationOf(c.isolation); err != nil {
			return err
		}
	}
	switch c.scope {
	case "GLOBAL":
		return s.general.SetGlobalTransaction(strings.ReplaceAll(c.isolation, " ", "-"), c.readOnly)
	case "SESSION":
		if c.isolation != "" {
			if err := s.general.SetVariable("transaction_isolation", strings.ReplaceAll(c.isolation, " ", "-")); err != nil {
				return s.general.MapError(context.Background(), err)
			}
		}
		if c.readOnly != nil {
			if err := s.general.SetVariable("transaction_read_only", *c.readOnly); err != nil {
				return s.general.MapError(context.Background(), err)
			}
		}
		return s.readVariables()
	}
	if s.tx.open() {
		return general.Errorf(1568, "Transaction characteristics can't be changed while a transaction is in progress")
	}
	if c.isolation != "" {
		s.tx.nextIsolation = &level
	}
	if c.readOnly != nil {
		s.tx.nextReadOnly = c.readOnly
	}
	return nil
}

// parsedChore runs those chores that are known by their parsed form.
func (s *session) parsedChore(ctx context.Context, st *general.Statement, _ []row.Value, sink Sink) (r Result, done bool, err error) {
	switch n := st.AST.(type) {
	case *sqlparser.LockTables:
		if err := s.commit(ctx); err != nil {
			return r, true, err
		}
		s.tx.unlock()
		names, writes := s.general.LockedTables(n)
		if s.tx.held, err = s.engine.store.Hold(ctx, s.tx.lockWait, names, writes); err != nil {
			err = s.general.MapError(ctx, err)
		}
		return r, true, err
	case *sqlparser.UnlockTables:
		if s.tx.held != nil {
			err = s.commit(ctx)
			s.tx.unlock()
		}
		return r, true, err
	case *sqlparser.Kill:
		v, ok := n.ConnID.(*sqlparser.SQLVal)
		if !ok {
			return r, false, nil
		}
		id, perr := strconv.ParseUint(string(v.Val), 10, 32)
		if perr != nil {
			return r, false, nil
		}
		return r, true, s.engine.Kill(uint32(id), n.Connection)
	case *sqlparser.Prepare:
		text, err := s.general.PrepareText(n)
		if err != nil {
			return r, true, err
		}
		p, err := s.prepare(ctx, text)
		if err != nil {
			return r, true, err
		}
		if old := s.named[strings.ToLower(n.Name)]; old != nil {
			old.Close()
		}
		s.named[strings.ToLower(n.Name)] = p
		return r, true, nil
	case *sqlparser.Execute:
		p := s.named[strings.ToLower(n.Name)]
		if p == nil {
			return r, true, general.Errorf(1243, "Unknown prepared statement handler (%s) given to EXECUTE", n.Name)
		}
		args, err := s.general.UserVariables(n.VarList)
		if err != nil {
			return r, true, err
		}
		r, err := p.execute(ctx, args, sink)
		return r, true, err
	case *sqlparser.Deallocate:
		p := s.named[strings.ToLower(n.Name)]
		if p == nil {
			return r, true, general.Errorf(1243, "Unknown prepared statement handler (%s) given to DEALLOCATE PREPARE", n.Name)
		}
		p.Close()
		delete(s.named, strings.ToLower(n.Name))
		return r, true, nil
	}
	return r, false, nil
}
