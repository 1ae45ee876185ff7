package sql

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/basaltdb/basalt/internal/rel/row"
)

// What these tests want to show: a statement answers and does the same by its
// fast plan and by the general engine, whatever its arguments are.

// byFast runs a prepared statement and tells whether its fast plan ran it.
func byFast(t testing.TB, s Session, text string, args []row.Value) (string, bool) {
	t.Helper()
	p, err := s.Prepare(context.Background(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer p.Close()
	var sink table
	r, done, err := p.(*stmt).runFast(context.Background(), args, &sink)
	if !done {
		r, err = s.(*session).run(context.Background(), p.(*stmt).st, args, &sink)
	}
	return answered(&sink, r, err), done
}

func byGeneral(t testing.TB, s Session, text string, args []row.Value) string {
	t.Helper()
	p, err := s.Prepare(context.Background(), text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer p.Close()
	var sink table
	r, err := s.(*session).run(context.Background(), p.(*stmt).st, args, &sink)
	return answered(&sink, r, err)
}

// literals puts arguments into a text, "" if one has no literal there.
func literals(text string, args []row.Value) string {
	for _, v := range args {
		literal := "NULL"
		switch v.Kind {
		case row.Int, row.Uint:
			literal = show(nil, v)
		case row.Double, row.Float:
			return ""
		case row.Bytes:
			if !utf8.Valid(v.Bytes) {
				return ""
			}
			literal = "'" + string(v.Bytes) + "'"
		}
		text = strings.Replace(text, "?", literal, 1)
	}
	return text
}

// byText runs a text as a client's query and tells whether a fast plan did it.
func byText(s Session, text string) (string, bool) {
	var sink table
	r, done, err := s.(*session).textFast(context.Background(), text, &sink)
	if !done {
		sink = table{}
		r, err = s.Query(context.Background(), text, &sink)
	}
	return answered(&sink, r, err), done
}

func answered(sink *table, r Result, err error) string {
	if err != nil {
		return "ERROR " + err.Error()
	}
	out := fmt.Sprintf("%d rows", r.AffectedRows)
	if r.Rows {
		out = ""
		for _, c := range sink.columns {
			out += fmt.Sprintf("%s type %d flags %x charset %d len %d dec %d; ", c.Name, c.Type, c.Flags, c.Collation, c.Length, c.Decimals)
		}
	}
	return out + " " + r.Info + "\n" + sink.b.String()
}

var fastTables = []string{
	"CREATE TABLE %s.t (id INT PRIMARY KEY, k INT NOT NULL DEFAULT 0, c CHAR(6) NOT NULL DEFAULT '', v VARCHAR(5), u TINYINT UNSIGNED, d DOUBLE, b VARBINARY(4), dt DATETIME(3), de DECIMAL(6,2), KEY (k), UNIQUE KEY (v))",
	"CREATE TABLE %s.w (a VARCHAR(4) COLLATE utf8mb4_0900_ai_ci, b BIGINT, n INT, PRIMARY KEY (a, b))",
}

// fastStatements have, for each argument, what it mostly is: a number or a text.
var fastStatements = []struct{ text, kinds string }{
	{"SELECT c FROM t WHERE id = ?", "i"},
	{"SELECT * FROM t WHERE id = ?", "i"},
	{"SELECT c, id, k AS kk FROM t AS x WHERE x.id = ?", "i"},
	{"SELECT c FROM t WHERE id BETWEEN ? AND ?", "ii"},
	{"SELECT v, c FROM t WHERE id BETWEEN ? AND ? ORDER BY c", "ii"},
	{"SELECT DISTINCT c FROM t WHERE id BETWEEN ? AND ? ORDER BY c", "ii"},
	{"SELECT k, c FROM t WHERE id >= ? AND id <= ? ORDER BY k DESC, c", "ii"},
	{"SELECT SUM(k) FROM t WHERE id BETWEEN ? AND ?", "ii"},
	{"SELECT COUNT(*) FROM t WHERE id BETWEEN ? AND ?", "ii"},
	{"SELECT * FROM w WHERE a = ? AND b = ?", "si"},
	{"SELECT b, n FROM w WHERE a = ?", "s"},
	{"SELECT n FROM w WHERE a = ? AND b >= ?", "si"},
	{"UPDATE t SET k = k + 1 WHERE id = ?", "i"},
	{"UPDATE t SET k = k - ? WHERE id = ?", "ii"},
	{"UPDATE t SET c = ? WHERE id = ?", "si"},
	{"UPDATE t SET v = ?, u = ? WHERE id = ?", "sii"},
	{"UPDATE t SET d = ?, b = ? WHERE id = ?", "isi"},
	{"UPDATE w SET n = ? WHERE a = ? AND b = ?", "isi"},
	{"DELETE FROM t WHERE id = ?", "i"},
	{"DELETE FROM w WHERE b = ? AND a = ?", "is"},
	{"INSERT INTO t (id, k, c, v) VALUES (?, ?, ?, ?)", "iiss"},
	{"INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)", "iissiis"},
	{"INSERT INTO w (a, b, n) VALUES (?, ?, ?), (?, ?, ?)", "siisii"},
}

func randomArg(r *rand.Rand, kind byte) row.Value {
	if r.IntN(6) > 0 {
		if kind == 'i' {
			return row.IntValue(int64(r.IntN(12)))
		}
		return row.BytesValue([]byte{"abcdABCD"[r.IntN(8)]})
	}
	texts := []string{"a", "A", "b", "ä", "a ", "", "abcdef", "toolongtext", "7", "x\xff", "1.5", " 3", "B"}
	switch r.IntN(20) {
	case 0:
		return row.Value{}
	case 1:
		return row.IntValue([]int64{-1, 127, 128, 255, 256, math.MaxInt32, math.MaxInt32 + 1, math.MinInt64}[r.IntN(8)])
	case 2:
		return row.UintValue(math.MaxUint64 - uint64(r.IntN(2)))
	case 3:
		return row.DoubleValue([]float64{0.5, 1, -2.25, 1e300}[r.IntN(4)])
	case 4, 5, 6, 7, 8:
		return row.BytesValue([]byte(texts[r.IntN(len(texts))]))
	}
	return row.IntValue(int64(r.IntN(12)))
}

func TestFastIsGeneral(t *testing.T) {
	seed := rand.Uint64()
	defer func() {
		if t.Failed() {
			t.Log("seed", seed)
		}
	}()
	n := 4000
	if testing.Short() {
		n = 500
	}
	checkFast(t, seed, n)
}

func FuzzFastIsGeneral(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { checkFast(t, seed, 100) })
}

func checkFast(t *testing.T, seed uint64, n int) {
	r := rand.New(rand.NewPCG(seed, 0))
	f := openMem(t)
	m := f.session("main")
	sessions := map[string]Session{}
	for _, db := range []string{"fast", "plain"} {
		f.mustExec(m, "CREATE DATABASE "+db)
		for _, text := range fastTables {
			f.mustExec(m, fmt.Sprintf(text, db))
		}
		sessions[db] = f.connect(SessionOptions{Database: db, FoundRows: seed%2 == 0})
		defer sessions[db].Close()
	}
	count := map[string]int{}
	for i := range n {
		st := fastStatements[r.IntN(len(fastStatements))]
		text := st.text
		args := make([]row.Value, len(st.kinds))
		for j := range args {
			args[j] = randomArg(r, st.kinds[j])
		}
		switch r.IntN(40) {
		case 0:
			text, args = "BEGIN", nil
		case 1:
			text, args = []string{"COMMIT", "ROLLBACK"}[r.IntN(2)], nil
		}
		if args == nil {
			exec(sessions["fast"], text)
			exec(sessions["plain"], text)
			continue
		}
		got, fast := "", false
		if literal := literals(text, args); literal != "" && r.IntN(2) == 0 {
			text = literal
			got, fast = byText(sessions["fast"], text)
			args = nil
		} else {
			got, fast = byFast(t, sessions["fast"], text, args)
		}
		if fast {
			count[st.text]++
		}
		want := byGeneral(t, sessions["plain"], text, args)
		if got != want {
			t.Fatalf("%d: %s with %v\nfast %v\n%s\ngeneral\n%s", i, text, args, fast, got, want)
		}
		if r.IntN(20) == 0 {
			for _, table := range []string{"SELECT * FROM t", "SELECT * FROM w"} {
				if a, b := exec(sessions["fast"], table), exec(sessions["plain"], table); a != b {
					t.Fatalf("%d: after %s with %v (fast %v)\nfast\n%s\ngeneral\n%s", i, text, args, fast, a, b)
				}
			}
		}
	}
	if n >= 4000 {
		for _, st := range fastStatements {
			if count[st.text] == 0 {
				t.Errorf("never fast: %s", st.text)
			}
		}
	}
}
