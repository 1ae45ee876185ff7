package sql

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/memkv"
	"github.com/basaltdb/basalt/internal/kv/pebblekv"
	"github.com/basaltdb/basalt/internal/rel/row"
	"github.com/basaltdb/basalt/internal/sql/answer"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// What the scripts of testdata want to show: what statements answer, on the
// model engine and on the real one. A script has statements, each with its
// answer after "----"; "name>" before a statement is the session that runs it,
// and "reopen" as a statement closes everything and opens it again.

var rewrite = flag.Bool("rewrite", false, "write the answers of scripts anew")

// fixture is an engine for a test.
type fixture struct {
	t        testing.TB
	kv       kv.Engine
	reopen   func() kv.Engine
	engine   Engine
	sessions map[string]Session
	nextID   uint32
}

func openMem(t testing.TB) *fixture {
	e := memkv.New(cell.Merger{})
	return newFixture(t, func() kv.Engine { return e }, false)
}

func openPebble(t testing.TB) *fixture {
	dir := t.TempDir()
	return newFixture(t, func() kv.Engine {
		e, err := pebblekv.Open(pebblekv.Options{Dir: dir, Merger: cell.Merger{}, Sync: kv.SyncOS, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		return e
	}, true)
}

func newFixture(t testing.TB, open func() kv.Engine, closes bool) *fixture {
	f := &fixture{t: t, reopen: open}
	f.open()
	t.Cleanup(func() {
		f.close(closes)
	})
	return f
}

func (f *fixture) open() {
	f.kv = f.reopen()
	c, err := catalog.Open(f.kv, catalog.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	if f.engine, err = Open(Options{Engine: f.kv, Catalog: c}); err != nil {
		f.t.Fatal(err)
	}
	f.sessions = map[string]Session{}
	if c.View().Namespaces["test"] == nil {
		f.mustExec(f.session("setup"), "CREATE DATABASE test")
		f.session("setup").Close()
		delete(f.sessions, "setup")
	}
}

func (f *fixture) close(kv bool) {
	for _, s := range f.sessions {
		s.Close()
	}
	if err := f.engine.Close(); err != nil {
		f.t.Error(err)
	}
	if kv {
		if err := f.kv.Close(); err != nil {
			f.t.Error(err)
		}
	}
}

func (f *fixture) session(name string) Session {
	if s := f.sessions[name]; s != nil {
		return s
	}
	s := f.connect(SessionOptions{})
	f.sessions[name] = s
	return s
}

func (f *fixture) connect(o SessionOptions) Session {
	f.nextID++
	o.ConnectionID, o.User, o.Address = f.nextID, "root", "localhost"
	var ok bool
	if o.Account, ok = f.engine.Account("root", "localhost"); !ok {
		f.t.Fatal("no root account")
	}
	s, err := f.engine.NewSession(o)
	if err != nil {
		f.t.Fatal(err)
	}
	if o.Database == "" {
		// The database is made by open; before that there is none to use.
		_ = s.UseDatabase(context.Background(), "test")
	}
	return s
}

// table is a sink that writes rows as text.
type table struct {
	b       strings.Builder
	columns []answer.Column
	rows    int
}

func (t *table) Columns(c []answer.Column) error {
	t.columns = c
	for i := range c {
		if i > 0 {
			t.b.WriteString(" | ")
		}
		t.b.WriteString(c[i].Name)
	}
	t.b.WriteString("\n")
	return nil
}

func (t *table) Row(values []row.Value) error {
	t.rows++
	for i, v := range values {
		if i > 0 {
			t.b.WriteString(" | ")
		}
		t.b.WriteString(show(&t.columns[i], v))
	}
	t.b.WriteString("\n")
	return nil
}

func (t *table) LocalFile(string) (io.ReadCloser, error) { return nil, errors.New("no file") }

func show(c *answer.Column, v row.Value) string {
	switch v.Kind {
	case row.Null:
		return "NULL"
	case row.Int:
		return strconv.FormatInt(v.Int(), 10)
	case row.Uint:
		return strconv.FormatUint(v.Num, 10)
	case row.Float:
		return strconv.FormatFloat(v.Float64(), 'g', -1, 32)
	case row.Double:
		return strconv.FormatFloat(v.Float64(), 'g', -1, 64)
	case row.DateTime:
		d := v.Civil()
		s := fmt.Sprintf("%04d-%02d-%02d", d.Year, d.Month, d.Day)
		if c.Type != answer.TypeDate {
			s += fmt.Sprintf(" %02d:%02d:%02d", d.Hour, d.Minute, d.Second)
			if c.Decimals > 0 {
				s += fmt.Sprintf(".%06d", d.Micro)[:1+c.Decimals]
			}
		}
		return s
	case row.Time:
		return fmt.Sprintf("%gs", float64(v.Micros())/1e6)
	}
	s := string(v.Bytes)
	if c.Type == answer.TypeBit || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' || r == 0xFFFD }) {
		return fmt.Sprintf("0x%X", v.Bytes)
	}
	return strings.ReplaceAll(s, "\n", "\\n")
}

// exec runs a statement and gives its answer as text.
func exec(s Session, text string, args ...row.Value) string {
	var t table
	var r Result
	var err error
	if len(args) > 0 {
		var p Stmt
		if p, err = s.Prepare(context.Background(), text); err == nil {
			r, err = p.Execute(context.Background(), args, &t)
			p.Close()
		}
	} else {
		r, err = s.Query(context.Background(), text, &t)
	}
	if err != nil {
		if e := (*Error)(nil); errors.As(err, &e) {
			return fmt.Sprintf("ERROR %d (%s): %s\n", e.Code, e.State, e.Message)
		}
		return "ERROR of no client: " + err.Error() + "\n"
	}
	if !r.Rows {
		out := fmt.Sprintf("ok, %d rows", r.AffectedRows)
		if r.LastInsertID > 0 {
			out += fmt.Sprintf(", id %d", r.LastInsertID)
		}
		if r.Warnings > 0 {
			out += fmt.Sprintf(", %d warnings", r.Warnings)
		}
		if r.Info != "" {
			out += ", " + r.Info
		}
		return out + "\n"
	}
	return t.b.String()
}

func (f *fixture) mustExec(s Session, text string) string {
	f.t.Helper()
	out := exec(s, text)
	if strings.HasPrefix(out, "ERROR") {
		f.t.Fatalf("%s\n%s", text, out)
	}
	return out
}

func TestScripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".sql")
		t.Run(name+"/mem", func(t *testing.T) { runScript(t, openMem(t), path, false) })
		t.Run(name+"/pebble", func(t *testing.T) { runScript(t, openPebble(t), path, *rewrite) })
	}
}

func runScript(t *testing.T, f *fixture, path string, rewrite bool) {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	in := bufio.NewScanner(strings.NewReader(string(b)))
	in.Buffer(nil, 1<<20)
	line := 0
	var statement, want []string
	answering := false
	at := 0
	flush := func() {
		text := strings.TrimSpace(strings.Join(statement, "\n"))
		if text == "" {
			return
		}
		got := ""
		switch name, rest, ok := strings.Cut(text, ">"); {
		case text == "reopen":
			_, mem := f.kv.(*memkv.DB)
			f.close(!mem)
			f.open()
		case ok && len(name) < 10 && !strings.ContainsAny(name, " \n("):
			got = exec(f.session(name), strings.TrimSpace(rest))
		default:
			got = exec(f.session("main"), text)
		}
		fmt.Fprintf(&out, "%s\n----\n%s\n", text, got)
		if w := strings.TrimSpace(strings.Join(want, "\n")); !rewrite && strings.TrimSpace(got) != w {
			t.Errorf("%s:%d: %s\ngot:\n%swant:\n%s", path, at, text, got, w)
		}
		statement, want, answering = nil, nil, false
	}
	for in.Scan() {
		line++
		text := in.Text()
		switch {
		case strings.HasPrefix(text, "#"):
			flush()
			fmt.Fprintln(&out, text)
		case text == "----":
			answering = true
		case text == "" && answering:
			flush()
		case text == "":
			if len(statement) > 0 {
				statement = append(statement, text)
			}
		case answering:
			want = append(want, text)
		default:
			if len(statement) == 0 {
				at = line
			}
			statement = append(statement, text)
		}
	}
	flush()
	if rewrite {
		if err := os.WriteFile(path, []byte(strings.TrimRight(out.String(), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
