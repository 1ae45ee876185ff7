package general

import (
	"context"
	"regexp"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Statement is a parsed statement. It may be run many times.
type Statement struct {
	Text string
	AST  sqlparser.Statement
	// Params is the number of ? in it.
	Params int
	// Of a locking clause that the parser does not know.
	skipLocked, noWait bool
	// aliases are those of tables with capital letters, by their small form: the
	// engine forgets the capitals, which clients see.
	aliases map[string]string
	// describes: it reads what information_schema has, in whatever words.
	describes bool
	// discards: its rows are not wanted (DO).
	discards bool
}

var doStatement = regexp.MustCompile(`(?i)^\s*do\b`)

// lockTail is a locking clause at the end of a statement, which the parser does
// not know in all its forms.
var lockTail = regexp.MustCompile(`(?is)\sfor\s+(update|share)(\s+of\s+[\w` + "`" + `.,\s]+?)?(\s+nowait|\s+skip\s+locked)?\s*$`)

// Parse parses one statement. after is the position in text behind it: there may
// be more.
func (s *Session) Parse(ctx context.Context, text string) (st *Statement, after int, err error) {
	c := sql.NewContext(ctx, sql.WithSession(s))
	options := sql.LoadSqlMode(c).ParserOptions()
	st = &Statement{Text: text}
	parsed := text
	if m := lockTail.FindStringSubmatch(strings.TrimRight(text, "; \t\r\n")); m != nil && m[2] == "" {
		cut := strings.TrimRight(text, "; \t\r\n")
		cut = cut[:len(cut)-len(m[0])]
		tail := strings.ToLower(strings.Join(strings.Fields(m[3]), " "))
		st.noWait, st.skipLocked = tail == "nowait", tail == "skip locked"
		parsed = cut + " for update"
		if strings.EqualFold(m[1], "share") {
			parsed = cut + " lock in share mode"
		}
	}
	shorter := 0 // how much parsed is, at its start
	if m := doStatement.FindString(text); m != "" {
		// DO is a SELECT whose rows nobody wants.
		shorter = len(m) - len("SELECT")
		parsed, st.discards = "SELECT"+parsed[len(m):], true
	}
	st.AST, after, err = sqlparser.ParseOneWithOptions(ctx, parsed, options)
	if err != nil && alterTable.MatchString(parsed) {
		// What it minds may be a column that is named like a word of its own.
		if quoted := quoteAfter(parsed); quoted != parsed {
			if ast, n, qerr := sqlparser.ParseOneWithOptions(ctx, quoted, options); qerr == nil {
				st.AST, after, err = ast, unquoted(parsed, quoted, n), nil
			}
		}
	}
	if err != nil {
		if err == sqlparser.ErrEmpty {
			return nil, len(text), Errorf(1065, "Query was empty")
		}
		return nil, 0, Errorf(1064, "You have an error in your SQL syntax; check the manual that corresponds to your MySQL server version for the right syntax to use: %s", err)
	}
	if after == 0 || strings.Trim(parsed[after:], "; \t\r\n") == "" {
		after = len(text)
	} else {
		// A locking clause at the end belongs to a later statement.
		st.noWait, st.skipLocked = false, false
		after += shorter
	}
	if _, load := st.AST.(*sqlparser.Load); load {
		// It has no parameters, and the walk does not stand its empty parts.
		return st, after, nil
	}
	_, st.describes = st.AST.(*sqlparser.Show)
	_ = sqlparser.Walk(func(n sqlparser.SQLNode) (bool, error) {
		st.noteTable(n)
		if v, ok := n.(*sqlparser.SQLVal); ok && v.Type == sqlparser.ValArg {
			if i, err := strconv.Atoi(strings.TrimPrefix(string(v.Val), ":v")); err == nil {
				st.Params = max(st.Params, i)
			}
		}
		return true, nil
	}, st.AST)
	return st, after, nil
}

// IsDDL tells whether a statement ends the transaction before and after it.
func (st *Statement) IsDDL() bool {
	switch n := st.AST.(type) {
	case *sqlparser.DDL:
		return !n.Temporary
	case *sqlparser.AlterTable, *sqlparser.DBDDL, *sqlparser.CreateUser, *sqlparser.DropUser, *sqlparser.RenameUser,
		*sqlparser.CreateRole, *sqlparser.DropRole, *sqlparser.GrantPrivilege, *sqlparser.GrantRole,
		*sqlparser.RevokePrivilege, *sqlparser.RevokeRole, *sqlparser.RevokeAllPrivileges:
		return true
	}
	return false
}

func (st *Statement) changesRows() bool {
	switch st.AST.(type) {
	case *sqlparser.Insert, *sqlparser.Update, *sqlparser.Delete, *sqlparser.Load:
		return true
	}
	return false
}

// comparesRows tells whether the engine compares old rows with new ones.
func (st *Statement) comparesRows() bool {
	switch n := st.AST.(type) {
	case *sqlparser.Update:
		return true
	case *sqlparser.Insert:
		return n.OnDup != nil
	}
	return false
}

// Writes tells whether a statement changes data or schemas.
func (st *Statement) Writes() bool { return st.changesRows() || st.IsDDL() }

// Reads tells whether a statement is a query of tables, which needs a snapshot.
func (st *Statement) Reads() bool {
	switch st.AST.(type) {
	case sqlparser.SelectStatement, *sqlparser.Call, *sqlparser.Explain:
		return true
	}
	return st.Writes()
}

// OnlyKeys tells whether an ALTER TABLE only has DISABLE KEYS or ENABLE KEYS.
func (st *Statement) OnlyKeys(n *sqlparser.AlterTable) bool {
	for _, d := range n.Statements {
		if d.IndexSpec == nil || !strings.EqualFold(d.IndexSpec.Action, "disable") && !strings.EqualFold(d.IndexSpec.Action, "enable") {
			return false
		}
	}
	return len(n.Statements) > 0
}
