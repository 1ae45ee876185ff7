package sql

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/rel"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/answer"
	"github.com/basaltdb/basalt/internal/sql/general"
)

// session is one client's session. How a statement goes:
//
//	Query or Execute -> parsed once -> run: a chore of the session (chores.go), or
//	inside a transaction (transaction.go) by the general engine
type session struct {
	engine  *engine
	id      uint32
	o       SessionOptions
	general *general.Session

	tx transaction

	statements map[*stmt]struct{}
	named      map[string]*stmt // PREPARE name FROM
	shapes     shapes
	// settings counts the statements that may have changed a variable.
	settings int
	// parsed is the statement that Split read last, for Query.
	parsed *general.Statement

	mu         sync.Mutex // guards cancel and killed
	cancel     context.CancelFunc
	killed     bool
	disconnect func()
}

// start begins the session anew for a login.
func (s *session) start(o SessionOptions) error {
	s.o = o
	s.id = o.ConnectionID
	if o.Disconnect != nil {
		s.disconnect = o.Disconnect
	}
	user, host := o.Account.User, o.Account.Host
	if user == "" {
		user = o.User
	}
	if host == "" {
		host = "localhost"
	}
	s.general = s.engine.general.NewSession(general.SessionOptions{
		ID: s.id, User: user, Host: host, Address: o.Address, FoundRows: o.FoundRows,
	})
	if err := s.general.SetStatus(map[string]string{"Ssl_version": o.TLSVersion, "Ssl_cipher": o.TLSCipher}); err != nil {
		s.general.Close()
		return err
	}
	s.named = map[string]*stmt{}
	s.tx = transaction{}
	if o.Collation != 0 {
		s.general.SetNames(o.Collation)
	}
	if err := s.readVariables(); err != nil {
		s.general.Close()
		return err
	}
	if o.Database != "" {
		if err := s.UseDatabase(context.Background(), o.Database); err != nil {
			s.general.Close()
			return err
		}
	}
	return nil
}

// interrupt cancels the running statement and, if asked, ends the session.
func (s *session) interrupt(connection bool) {
	s.mu.Lock()
	if s.cancel != nil {
		s.cancel()
	}
	var disconnect func()
	if connection && !s.killed {
		s.killed = true
		disconnect = s.disconnect
	}
	s.mu.Unlock()
	if disconnect != nil {
		disconnect()
	}
}

// begin makes the context of one statement; its end must be called.
func (s *session) begin(ctx context.Context) (context.Context, func(), error) {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.killed {
		cancel()
		e := general.Errorf(1317, "Query execution was interrupted")
		e.Fatal = true
		return nil, nil, e
	}
	s.cancel = cancel
	s.engine.queries.Add(1)
	return ctx, func() {
		s.mu.Lock()
		s.cancel = nil
		s.mu.Unlock()
		cancel()
	}, nil
}

// blank tells whether there is no statement in a text.
func blank(text string) bool { return strings.Trim(text, "; \t\r\n") == "" }

func (s *session) Split(text string) (stmt, rest string) {
	s.parsed = nil
	text = strings.TrimLeft(text, "; \t\r\n")
	if blank(text) {
		return "", ""
	}
	if !strings.Contains(strings.TrimRight(text, "; \t\r\n"), ";") {
		return text, ""
	}
	st, after, err := s.general.Parse(context.Background(), text)
	if err != nil {
		// Query says what is wrong, after which nothing else runs.
		return text, ""
	}
	stmt, rest = strings.TrimRight(text[:after], "; \t\r\n"), text[after:]
	if blank(rest) {
		rest = ""
	}
	st.Text = stmt
	s.parsed = st
	return stmt, rest
}

// parse parses a text that must hold one statement.
func (s *session) parse(ctx context.Context, text string) (*general.Statement, error) {
	if p := s.parsed; p != nil && p.Text == text {
		s.parsed = nil
		return p, nil
	}
	s.parsed = nil
	st, after, err := s.general.Parse(ctx, text)
	if err != nil {
		return nil, err
	}
	if !blank(text[after:]) {
		return nil, general.Errorf(1064, "You have an error in your SQL syntax; check the manual that corresponds to your MySQL "+
			"server version for the right syntax to use near '%.80s' at line 1", strings.TrimSpace(text[after:]))
	}
	st.Text = strings.TrimRight(text, "; \t\r\n")
	return st, nil
}

func (s *session) Query(ctx context.Context, text string, sink Sink) (Result, error) {
	ctx, end, err := s.begin(ctx)
	if err != nil {
		return Result{}, err
	}
	defer end()
	return s.query(ctx, text, sink)
}

func (s *session) query(ctx context.Context, text string, sink Sink) (Result, error) {
	if r, done, err := s.chore(ctx, text, sink); done {
		return r, err
	}
	if r, done, err := s.textFast(ctx, text, sink); done {
		s.parsed = nil
		return r, err
	}
	st, err := s.parse(ctx, text)
	if err != nil {
		return Result{}, err
	}
	if st.Params > 0 {
		return Result{}, general.Errorf(1064, "You have an error in your SQL syntax; a ? stands only in prepared statements")
	}
	return s.run(ctx, st, nil, sink)
}

// stmt is a prepared statement. Chores that the parser does not know have no st.
type stmt struct {
	s       *session
	text    string
	st      *general.Statement
	columns []Column
	// database was the current one when it was prepared.
	database string
	compiled compiled
}

func (s *session) Prepare(ctx context.Context, text string) (Stmt, error) {
	ctx, end, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return s.prepare(ctx, text)
}

func (s *session) prepare(ctx context.Context, text string) (*stmt, error) {
	p := &stmt{s: s, text: text, database: s.Database()}
	if !isChore(text) {
		var err error
		if p.st, err = s.parse(ctx, text); err != nil {
			return nil, err
		}
		s.general.Tx = s.tx.rel
		if p.columns, err = s.general.Describe(ctx, p.st); err != nil {
			return nil, err
		}
	}
	s.statements[p] = struct{}{}
	return p, nil
}

func (p *stmt) Params() []Column {
	if p.st == nil {
		return nil
	}
	out := make([]Column, p.st.Params)
	for i := range out {
		out[i] = Column{Name: "?", Type: answer.TypeVarString, Collation: 63, Flags: answer.FlagBinary}
	}
	return out
}

func (p *stmt) Columns() []Column { return p.columns }

func (p *stmt) Execute(ctx context.Context, args []row.Value, sink Sink) (Result, error) {
	ctx, end, err := p.s.begin(ctx)
	if err != nil {
		return Result{}, err
	}
	defer end()
	return p.execute(ctx, args, sink)
}

func (p *stmt) execute(ctx context.Context, args []row.Value, sink Sink) (Result, error) {
	if p.st == nil {
		return p.s.query(ctx, p.text, sink)
	}
	if len(args) != p.st.Params {
		return Result{}, general.Errorf(1210, "Incorrect arguments to EXECUTE")
	}
	if r, done, err := p.runFast(ctx, args, sink); done {
		return r, err
	}
	return p.s.run(ctx, p.st, args, sink)
}

func (p *stmt) Close() { delete(p.s.statements, p) }

func (s *session) UseDatabase(ctx context.Context, name string) error {
	_, err := s.query(ctx, "USE `"+strings.ReplaceAll(name, "`", "``")+"`", discard{})
	return err
}

func (s *session) Fields(ctx context.Context, table, pattern string) ([]Column, []*string, error) {
	ctx, end, err := s.begin(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer end()
	st, err := s.parse(ctx, "SELECT * FROM `"+strings.ReplaceAll(table, "`", "``")+"` LIMIT 0")
	if err != nil {
		return nil, nil, err
	}
	s.general.Tx = s.tx.rel
	all, err := s.general.Describe(ctx, st)
	if err != nil {
		return nil, nil, err
	}
	var out []Column
	for _, c := range all {
		if pattern == "" || general.Like(pattern, c.Name) {
			out = append(out, c)
		}
	}
	return out, make([]*string, len(out)), nil
}

func (s *session) Reset(ctx context.Context) error {
	o := s.o
	o.Database = s.Database()
	return s.ChangeUser(ctx, o)
}

func (s *session) ChangeUser(ctx context.Context, o SessionOptions) error {
	s.tx.rollback()
	s.tx.unlock()
	clear(s.statements)
	s.general.Close()
	if o.Disconnect == nil {
		o.Disconnect = s.disconnect
	}
	o.ConnectionID = s.id
	return s.start(o)
}

func (s *session) Database() string { return s.general.GetCurrentDatabase() }

func (s *session) Status() Status {
	var st Status
	if s.tx.autocommit {
		st |= StatusAutocommit
	}
	if s.tx.open() {
		st |= StatusInTransaction
		if s.tx.readOnly {
			st |= StatusInReadOnlyTransaction
		}
	}
	if s.tx.noBackslash {
		st |= StatusNoBackslashEscapes
	}
	return st
}

func (s *session) MaxAllowedPacket() int {
	if n, ok := s.number("max_allowed_packet"); ok {
		return int(n)
	}
	return 64 << 20
}

func (s *session) IdleTimeout() time.Duration {
	name := "wait_timeout"
	if s.o.Interactive {
		name = "interactive_timeout"
	}
	n, ok := s.number(name)
	if !ok {
		n = 28800
	}
	return time.Duration(n) * time.Second
}

func (s *session) number(name string) (int64, bool) {
	return s.general.Number(name)
}

func (s *session) Close() {
	s.tx.rollback()
	s.tx.unlock()
	s.general.Close()
	s.engine.forget(s.id)
}

// discard is the sink of statements whose rows nobody wants.
type discard struct{}

func (discard) Columns([]Column) error { return nil }
func (discard) Row([]row.Value) error  { return nil }

// isolationOf is the level that a name of SQL means.
func isolationOf(name string) (rel.Isolation, error) {
	switch strings.ToUpper(strings.ReplaceAll(name, " ", "-")) {
	case "REPEATABLE-READ":
		return rel.RepeatableRead, nil
	case "READ-COMMITTED", "READ-UNCOMMITTED":
		// READ UNCOMMITTED may show less than it is allowed to.
		return rel.ReadCommitted, nil
	}
	return 0, general.Errorf(1235, "This version of Basalt doesn't yet support 'isolation level %s'", name)
}

func (discard) LocalFile(string) (io.ReadCloser, error) {
	return nil, errors.New("no client to ask for a file")
}
