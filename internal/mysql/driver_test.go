// Shows the door from a stock client, go-sql-driver/mysql, over a session that
// knows a few words.
package mysql

import (
	"context"
	"crypto/tls"
	stdsql "database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// start serves a fake engine on loopback and on a Unix socket.
func start(t testing.TB, change func(*Config)) (s *Server, e *fakeEngine, address, socket string) {
	t.Helper()
	e = newFakeEngine()
	cert, err := SelfSigned(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Engine: e, TLS: &tls.Config{Certificates: []tls.Certificate{cert}}}
	if change != nil {
		change(&c)
	}
	s = NewServer(c)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	socket = filepath.Join(t.TempDir(), "s")
	unix, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []net.Listener{tcp, unix} {
		go s.Serve(l)
	}
	t.Cleanup(func() {
		s.Close()
		if n := e.open(); n != 0 {
			t.Errorf("%d sessions are not closed", n)
		}
		if st := s.Stats(); st.Connections != 0 || st.QueuedBytes != 0 || s.stmts.Load() != 0 {
			t.Errorf("left over: %+v, %d statements", st, s.stmts.Load())
		}
	})
	return s, e, tcp.Addr().String(), socket
}

func open(t testing.TB, address string, change func(*mysql.Config)) *stdsql.DB {
	t.Helper()
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr = "root", "tcp", address
	c.Logger = log{}
	if change != nil {
		change(c)
	}
	connector, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	db := stdsql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

type log struct{}

func (log) Print(...any) {}

// texts are all rows of a query as text.
func texts(t testing.TB, db *stdsql.DB, query string, args ...any) [][]string {
	t.Helper()
	r, err := db.Query(query, args...)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer r.Close()
	columns, _ := r.Columns()
	var all [][]string
	for r.Next() {
		raw, into, out := make([]stdsql.RawBytes, len(columns)), make([]any, len(columns)), make([]string, len(columns))
		for i := range raw {
			into[i] = &raw[i]
		}
		if err := r.Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i := range raw {
			if out[i] = string(raw[i]); raw[i] == nil {
				out[i] = "NULL"
			}
		}
		all = append(all, out)
	}
	if err := r.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return all
}

func errorCode(err error) string {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return fmt.Sprintf("%d %s", e.Number, e.SQLState[:])
	}
	return fmt.Sprint(err)
}

func TestLogins(t *testing.T) {
	_, e, address, socket := start(t, nil)
	for _, f := range []struct {
		user, password, database, net, tls string
		want                               string
	}{
		{user: "root"},
		{user: "root", net: "unix"},
		{user: "native", password: "secret"},
		{user: "native", password: "secret", tls: "skip-verify"},
		{user: "native", password: "Secret", want: "1045 28000"},
		{user: "native", want: "1045 28000"},
		{user: "sha2", password: "Secret", want: "1045 28000"},
		{user: "sha2", password: "secret"}, // in full, by the RSA key
		{user: "sha2", password: "secret"}, // fast
		{user: "sha2", password: "Secret", want: "1045 28000"},
		{user: "sha2", want: "1045 28000"},
		{user: "root", password: "any", want: "1045 28000"},
		{user: "nobody", password: "any", want: "1045 28000"},
		{user: "nobody", want: "1045 28000"},
		{user: "locked", want: "3118 HY000"},
		{user: "tls", password: "secret", want: "1045 28000"},
		{user: "tls", password: "secret", tls: "skip-verify"}, // in full, in TLS
		{user: "root", database: "db"},
		{user: "root", database: "nope", want: "1049 42000"},
	} {
		db := open(t, address, func(c *mysql.Config) {
			c.User, c.Passwd, c.DBName, c.TLSConfig = f.user, f.password, f.database, f.tls
			if f.net == "unix" {
				c.Net, c.Addr = f.net, socket
			}
		})
		got := ""
		if err := db.Ping(); err != nil {
			got = errorCode(err)
		}
		if got != f.want {
			t.Errorf("%+v: %s", f, got)
		}
		if o := e.last; f.want == "" && (o.User != f.user || o.Database != f.database || (o.TLSCipher != "") != (f.tls != "") || len(o.Attributes) == 0 ||
			(o.Address == "localhost") != (f.net == "unix")) {
			t.Errorf("%+v: %+v", f, o)
		}
		db.Close()
	}
}

func TestTypes(t *testing.T) {
	_, _, address, _ := start(t, nil)
	for _, compress := range []bool{false, true} {
		db := open(t, address, func(c *mysql.Config) { c.Apply(mysql.EnableCompression(compress)) })
		// The driver reads numbers of text rows, and writes them in its own way.
		want := slices.Clone(valueText)
		want[7], want[9] = "42", "1.5e+300"
		if got := texts(t, db, "values"); !reflect.DeepEqual(got, [][]string{want}) {
			t.Errorf("text: %q", got)
		}
		s, err := db.Prepare("values")
		if err != nil {
			t.Fatal(err)
		}
		into := make([]any, len(valueColumns))
		for i := range into {
			into[i] = new(any)
		}
		if err := s.QueryRow().Scan(into...); err != nil {
			t.Fatal(err)
		}
		for i, want := range want {
			v := *into[i].(*any)
			got := fmt.Sprint(v)
			switch b := v.(type) {
			case []byte:
				got = string(b)
			case nil:
				got = "NULL"
			}
			if got != want {
				t.Errorf("binary, %s: %q, want %q", valueColumns[i].Name, got, want)
			}
		}
		got := texts(t, db, "echo ? ? ? ? ?", int64(-5), uint64(1<<63), 1.25, "text", nil)
		if !reflect.DeepEqual(got, [][]string{{"-5", "9223372036854775808", "1.25", "text", "NULL"}}) {
			t.Errorf("%q", got)
		}
		db.Close()
	}
}

// Payloads around the size at which they are cut, in both directions, compressed
// and not.
func TestLargePackets(t *testing.T) {
	_, _, address, _ := start(t, nil)
	for _, compress := range []bool{false, true} {
		db := open(t, address, func(c *mysql.Config) { c.Apply(mysql.EnableCompression(compress)) })
		for _, n := range []int{1<<24 - 12, 1<<24 - 7, 1<<24 - 6, 1 << 24, 1<<25 - 10} {
			s := strings.Repeat("a", n)
			// What the session has of a text that it does not know comes back, cut.
			if _, err := db.Exec(s); errorCode(err) != "1064 42000" {
				t.Fatalf("%d: %v", n, err)
			}
			var length int
			var got stdsql.RawBytes
			r, err := db.Query(fmt.Sprintf("rows 2 %d", n))
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; r.Next(); i++ {
				if err := r.Scan(&length, &got); err != nil || len(got) != n || length != i {
					t.Errorf("%d: row %d is %d, has %d bytes, %v", n, i, length, len(got), err)
				}
			}
			if err := r.Err(); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := db.Exec(strings.Repeat("a", 65<<20)); err == nil {
			t.Error("a packet over max_allowed_packet")
		}
		db.Close()
	}
}

func TestResults(t *testing.T) {
	_, _, address, _ := start(t, nil)
	db := open(t, address, func(c *mysql.Config) { c.MultiStatements = true })
	r, err := db.Exec("ok")
	if err != nil {
		t.Fatal(err)
	}
	affected, _ := r.RowsAffected()
	id, _ := r.LastInsertId()
	if affected != 3 || id != 300 {
		t.Error(affected, id)
	}
	for query, want := range map[string]string{
		"fail 1146 42S02": "1146 42S02", "broken": "1105 HY000", "what": "1064 42000", "": "1065 42000",
		"ok; fail 1062 23000; ok": "1062 23000",
	} {
		if _, err := db.Exec(query); errorCode(err) != want {
			t.Errorf("%q: %v", query, err)
		}
	}
	if _, err := db.Prepare("fail 1064 42000"); errorCode(err) != "1064 42000" {
		t.Error(err)
	}
	// On a connection of its own, which that ends.
	if _, err := open(t, address, nil).Exec("panic"); errorCode(err) != "1105 HY000" {
		t.Error(err)
	}
	rows, err := db.Query("rows 1 1; sets 2; ok; rows 0 0")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	sets := 1
	for rows.NextResultSet() {
		sets++
	}
	if sets != 4 || rows.Err() != nil {
		t.Errorf("%d sets, %v", sets, rows.Err())
	}
}

func TestLoadLocal(t *testing.T) {
	_, _, address, _ := start(t, nil)
	db := open(t, address, nil)
	lines := strings.Repeat("a line of text\n", 200_000)
	for _, name := range []string{"Reader::lines", "Reader::none"} {
		if name == "Reader::lines" {
			mysql.RegisterReaderHandler("lines", func() io.Reader { return strings.NewReader(lines) })
		} else {
			mysql.RegisterReaderHandler("none", func() io.Reader { return strings.NewReader("") })
		}
		r, err := db.Exec("load " + name)
		if err != nil {
			t.Fatal(err)
		}
		n, _ := r.RowsAffected()
		if want := int64(strings.Count(lines, "\n")); name == "Reader::lines" && n != want || name != "Reader::lines" && n != 0 {
			t.Errorf("%s: %d lines", name, n)
		}
	}
	// The client cannot send it: it sends nothing, and what is read next is in order.
	db.Exec("load refused")
	if _, err := db.Exec("ok"); err != nil {
		t.Error(err)
	}
}

func TestTooManyConnections(t *testing.T) {
	s, _, address, _ := start(t, func(c *Config) { c.MaxConnections = 2 })
	db := open(t, address, nil)
	for range 2 {
		c, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	if err := open(t, address, nil).Ping(); errorCode(err) != "1040 \x00\x00\x00\x00\x00" {
		t.Errorf("%q", errorCode(err))
	}
	if n := s.Stats().Refused; n != 1 {
		t.Error(n)
	}
}

func TestTooManyStatements(t *testing.T) {
	_, _, address, _ := start(t, func(c *Config) { c.MaxStatements = 2 })
	db := open(t, address, func(c *mysql.Config) {})
	db.SetMaxOpenConns(1)
	for range 2 {
		if _, err := db.Prepare("ok"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Prepare("ok"); errorCode(err) != "1461 42000" {
		t.Error(err)
	}
}

// A drain lets statements finish, and cuts off what does not.
func TestShutdown(t *testing.T) {
	s, _, address, _ := start(t, nil)
	db := open(t, address, nil)
	if err := db.Ping(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		_, err := db.Exec("sleep")
		ended <- err
	}()
	time.Sleep(20 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("with a statement that does not end: %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("the statement did not end")
	}
	if err := s.Serve(nil2{}); err != ErrServerClosed {
		t.Error(err)
	}
	s, _, address, _ = start(t, nil)
	db = open(t, address, nil)
	if err := db.Ping(); err != nil {
		t.Fatal(err)
	}
	if err := s.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

type nil2 struct{ net.Listener }

func (nil2) Close() error { return nil }

func TestKill(t *testing.T) {
	_, e, address, _ := start(t, nil)
	db := open(t, address, nil)
	ended := make(chan error)
	go func() {
		_, err := db.Exec("sleep")
		ended <- err
	}()
	for e.open() == 0 {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	if err := e.Kill(e.last.ConnectionID, true); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil {
		t.Error("it lives")
	}
}

func TestManyClients(t *testing.T) {
	_, _, address, _ := start(t, nil)
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			db := open(t, address, nil)
			for range 20 {
				if got := texts(t, db, "echo ?", "a"); !reflect.DeepEqual(got, [][]string{{"a"}}) {
					t.Errorf("%q", got)
				}
			}
			db.Close()
		})
	}
	all.Wait()
}
