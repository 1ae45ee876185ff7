package mysql

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/basaltdb/basalt/internal/mysql/password"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql"
)

// fakeEngine stands for the language: its sessions know a few words.
//
//	rows N BYTES     N rows: a number, and so many x
//	values           one row with a value of each kind
//	echo ?...        the arguments as they came
//	kinds ?...       what they are, as text
//	sets N           N result sets, and an OK
//	fail CODE STATE  an error; broken: one that is no sql.Error
//	sleep            until it is cancelled
//	panic
//	load NAME        the lines of a file of the client's, counted
//	use NAME; max BYTES; idle TIME
//	ok               affected rows 3, id 300, a warning and an info
type fakeEngine struct {
	mu       sync.Mutex
	accounts map[string]sql.Account
	sessions map[uint32]*fakeSession
	last     sql.SessionOptions
}

func newFakeEngine() *fakeEngine {
	return &fakeEngine{sessions: make(map[uint32]*fakeSession), accounts: map[string]sql.Account{
		"root":   {User: "root", Plugin: password.SHA2, LocalOnly: true},
		"native": {User: "native", Plugin: password.Native, Stored: password.HashNative("secret")},
		"sha2":   {User: "sha2", Plugin: password.SHA2, Stored: password.HashSHA2("secret")},
		"locked": {User: "locked", Plugin: password.SHA2, Locked: true},
		"tls":    {User: "tls", Plugin: password.SHA2, Stored: password.HashSHA2("secret"), RequireTLS: true},
	}}
}

func (e *fakeEngine) Account(user, address string) (sql.Account, bool) {
	a, ok := e.accounts[user]
	return a, ok
}

func (e *fakeEngine) NewSession(o sql.SessionOptions) (sql.Session, error) {
	if o.Database == "nope" {
		return nil, &sql.Error{Code: 1049, State: "42000", Message: "Unknown database 'nope'"}
	}
	s := &fakeSession{engine: e, options: o, database: o.Database, status: sql.StatusAutocommit}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sessions[o.ConnectionID] = s
	e.last = o
	return s, nil
}

func (e *fakeEngine) open() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.sessions)
}

func (e *fakeEngine) Kill(id uint32, connection bool) error {
	e.mu.Lock()
	s := e.sessions[id]
	e.mu.Unlock()
	if s == nil {
		return &sql.Error{Code: 1094, State: "HY000", Message: "Unknown thread id"}
	}
	s.options.Disconnect()
	return nil
}

func (e *fakeEngine) Statistics() string { return "Uptime: 1" }
func (e *fakeEngine) Version() string    { return "8.0.40-fake" }
func (e *fakeEngine) Close() error       { return nil }

type fakeSession struct {
	engine   *fakeEngine
	options  sql.SessionOptions
	database string
	status   sql.Status
	maxBytes int
	idle     time.Duration
}

func (s *fakeSession) Split(text string) (string, string) {
	stmt, rest, _ := strings.Cut(text, ";")
	return strings.TrimSpace(stmt), strings.TrimSpace(rest)
}

var intColumn = sql.Column{Name: "n", Type: sql.TypeLongLong, Collation: 63, Length: 20}
var textColumn = sql.Column{Name: "t", Type: sql.TypeVarString, Collation: 255, Length: 100}

func (s *fakeSession) Query(ctx context.Context, text string, sink sql.Sink) (sql.Result, error) {
	return s.run(ctx, text, nil, sink)
}

func (s *fakeSession) run(ctx context.Context, text string, args []sql.Value, sink sql.Sink) (sql.Result, error) {
	word, rest, _ := strings.Cut(text, " ")
	switch word {
	case "rows":
		var n, size int
		fmt.Sscan(rest, &n, &size)
		if err := sink.Columns([]sql.Column{intColumn, textColumn}); err != nil {
			return sql.Result{}, err
		}
		pad := []byte(strings.Repeat("x", size))
		for i := range n {
			if err := sink.Row([]sql.Value{row.IntValue(int64(i)), row.BytesValue(pad)}); err != nil {
				return sql.Result{}, err
			}
		}
		return sql.Result{Rows: true}, nil
	case "values":
		sink.Columns(valueColumns)
		return sql.Result{Rows: true, Warnings: 1}, sink.Row(valueRow)
	case "echo", "kinds":
		columns := make([]sql.Column, len(args))
		out := make([]sql.Value, len(args))
		for i, a := range args {
			if out[i], columns[i] = a, columnOf(a); word == "kinds" {
				out[i], columns[i] = row.BytesValue(fmt.Appendf(nil, "%d %d %q", a.Kind, a.Num, a.Bytes)), textColumn
			}
		}
		sink.Columns(columns)
		return sql.Result{Rows: true}, sink.Row(out)
	case "sets":
		n, _ := strconv.Atoi(rest)
		for i := range n {
			sink.Columns([]sql.Column{intColumn})
			if err := sink.Row([]sql.Value{row.IntValue(int64(i))}); err != nil {
				return sql.Result{}, err
			}
		}
		return sql.Result{}, nil
	case "fail":
		var e sql.Error
		fmt.Sscan(rest, &e.Code, &e.State)
		e.Message = "failed as asked for"
		return sql.Result{}, fmt.Errorf("wrapped: %w", &e)
	case "broken":
		return sql.Result{}, fmt.Errorf("not for clients")
	case "sleep":
		<-ctx.Done()
		return sql.Result{}, &sql.Error{Code: 1317, State: "70100", Message: "Query execution was interrupted"}
	case "panic":
		panic("as asked for")
	case "load":
		f, err := sink.LocalFile(rest)
		if err != nil {
			return sql.Result{}, err
		}
		defer f.Close()
		if rest == "refused" {
			return sql.Result{}, &sql.Error{Code: 1148, State: "42000", Message: "not read"}
		}
		lines := bufio.NewReader(f)
		for n := uint64(0); ; n++ {
			if _, err := lines.ReadBytes('\n'); err == io.EOF {
				return sql.Result{AffectedRows: n}, nil
			} else if err != nil {
				return sql.Result{}, err
			}
		}
	case "max":
		s.maxBytes, _ = strconv.Atoi(rest)
	case "idle":
		s.idle, _ = time.ParseDuration(rest)
	case "use":
		s.database = rest
	case "ok":
		return sql.Result{AffectedRows: 3, LastInsertID: 300, Warnings: 1, Info: "Records: 3"}, nil
	case "SHOW", "KILL", "FLUSH":
		return sql.Result{AffectedRows: uint64(len(text))}, nil
	case "":
		return sql.Result{}, &sql.Error{Code: 1065, State: "42000", Message: "Query was empty"}
	default:
		return sql.Result{}, &sql.Error{Code: 1064, State: "42000", Message: "You have an error in " + text}
	}
	return sql.Result{}, nil
}

// columnOf makes a column that a value fits into.
func columnOf(v sql.Value) sql.Column {
	c := textColumn
	switch v.Kind {
	case row.Int:
		c.Type = sql.TypeLongLong
	case row.Uint:
		c.Type, c.Flags = sql.TypeLongLong, sql.FlagUnsigned
	case row.Float:
		c.Type, c.Decimals = sql.TypeFloat, 31
	case row.Double:
		c.Type, c.Decimals = sql.TypeDouble, 31
	case row.DateTime:
		c.Type, c.Decimals = sql.TypeDateTime, 6
	case row.Time:
		c.Type, c.Decimals = sql.TypeTime, 6
	}
	return c
}

var civil = row.Civil{Year: 2024, Month: 2, Day: 29, Hour: 23, Minute: 59, Second: 58, Micro: 123000}

// valueColumns and valueRow have each type.
var valueColumns = []sql.Column{
	{Name: "tiny", Type: sql.TypeTiny}, {Name: "utiny", Type: sql.TypeTiny, Flags: sql.FlagUnsigned},
	{Name: "short", Type: sql.TypeShort}, {Name: "int24", Type: sql.TypeInt24}, {Name: "long", Type: sql.TypeLong},
	{Name: "ulonglong", Type: sql.TypeLongLong, Flags: sql.FlagUnsigned}, {Name: "year", Type: sql.TypeYear, Flags: sql.FlagUnsigned},
	{Name: "zerofill", Type: sql.TypeLong, Flags: sql.FlagUnsigned | sql.FlagZerofill, Length: 6},
	{Name: "float", Type: sql.TypeFloat, Decimals: 31}, {Name: "double", Type: sql.TypeDouble, Decimals: 31},
	{Name: "date", Type: sql.TypeDate}, {Name: "datetime", Type: sql.TypeDateTime, Decimals: 3}, {Name: "zerodate", Type: sql.TypeDateTime},
	{Name: "time", Type: sql.TypeTime}, {Name: "decimal", Type: sql.TypeDecimal, Decimals: 2}, {Name: "bit", Type: sql.TypeBit},
	{Name: "text", Type: sql.TypeVarString, Collation: 255}, {Name: "blob", Type: sql.TypeBlob, Flags: sql.FlagBlob | sql.FlagBinary},
	{Name: "json", Type: sql.TypeJSON}, {Name: "null", Type: sql.TypeLong}, {Name: "empty", Type: sql.TypeVarString},
}

var valueRow = []sql.Value{
	row.IntValue(-128), row.UintValue(255), row.IntValue(-32768), row.IntValue(-8388608), row.IntValue(-2147483648),
	row.UintValue(1<<64 - 1), row.UintValue(1999), row.UintValue(42), row.FloatValue(0.25), row.DoubleValue(1.5e300),
	row.DateTimeValue(row.Civil{Year: 2024, Month: 2, Day: 29}), row.DateTimeValue(civil), row.DateTimeValue(row.Civil{}),
	row.TimeValue(-(101*time.Hour + 2*time.Minute + 3*time.Second)), row.BytesValue([]byte("-12.30")), row.BytesValue([]byte{2, 1}),
	row.BytesValue([]byte("grüße")), row.BytesValue([]byte{0, 1, 0xff}), row.BytesValue([]byte(`{"a": 1}`)), {}, row.BytesValue(nil),
}

// valueText is valueRow as text.
var valueText = []string{"-128", "255", "-32768", "-8388608", "-2147483648", "18446744073709551615", "1999", "000042", "0.25", "1.5e300",
	"2024-02-29", "2024-02-29 23:59:58.123", "0000-00-00 00:00:00", "-101:02:03", "-12.30", "\x02\x01", "grüße", "\x00\x01\xff", `{"a": 1}`, "NULL", ""}

func (s *fakeSession) Prepare(ctx context.Context, text string) (sql.Stmt, error) {
	if strings.HasPrefix(text, "fail ") {
		_, err := s.run(ctx, text, nil, nil)
		return nil, err
	}
	st := &fakeStmt{session: s, text: text, params: make([]sql.Column, strings.Count(text, "?"))}
	switch {
	case strings.HasPrefix(text, "rows"):
		st.columns = []sql.Column{intColumn, textColumn}
	case strings.HasPrefix(text, "values"):
		st.columns = valueColumns
	}
	for i := range st.params {
		st.params[i] = sql.Column{Name: "?", Type: sql.TypeVarString}
	}
	return st, nil
}

func (s *fakeSession) UseDatabase(_ context.Context, name string) error {
	if name == "nope" {
		return &sql.Error{Code: 1049, State: "42000", Message: "Unknown database 'nope'"}
	}
	s.database = name
	return nil
}

func (s *fakeSession) Fields(_ context.Context, table, pattern string) ([]sql.Column, []*string, error) {
	if table != "t" {
		return nil, nil, &sql.Error{Code: 1146, State: "42S02", Message: "Table doesn't exist"}
	}
	seven := "7"
	return []sql.Column{intColumn, textColumn}, []*string{&seven, nil}, nil
}

func (s *fakeSession) Reset(context.Context) error { s.status = sql.StatusAutocommit; return nil }

func (s *fakeSession) ChangeUser(_ context.Context, o sql.SessionOptions) error {
	s.options, s.database = o, o.Database
	return nil
}

func (s *fakeSession) Status() sql.Status         { return s.status }
func (s *fakeSession) Database() string           { return s.database }
func (s *fakeSession) IdleTimeout() time.Duration { return cmp.Or(s.idle, time.Hour) }
func (s *fakeSession) MaxAllowedPacket() int {
	if s.maxBytes != 0 {
		return s.maxBytes
	}
	return 64 << 20
}

func (s *fakeSession) Close() {
	s.engine.mu.Lock()
	defer s.engine.mu.Unlock()
	delete(s.engine.sessions, s.options.ConnectionID)
}

type fakeStmt struct {
	session         *fakeSession
	text            string
	params, columns []sql.Column
	closed          bool
}

func (s *fakeStmt) Params() []sql.Column  { return s.params }
func (s *fakeStmt) Columns() []sql.Column { return s.columns }
func (s *fakeStmt) Close()                { s.closed = true }
func (s *fakeStmt) Execute(ctx context.Context, args []sql.Value, sink sql.Sink) (sql.Result, error) {
	return s.session.run(ctx, s.text, args, sink)
}
