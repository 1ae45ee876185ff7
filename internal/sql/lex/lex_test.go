package lex

import (
	"fmt"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/rel/row"
)

// What these tests want to show: literals come out as arguments, and a text that
// could mean anything else is left alone.

func show(n *Normal) string {
	var args []string
	for _, v := range n.Args {
		if v.Kind == row.Bytes {
			args = append(args, fmt.Sprintf("%q", v.Bytes))
		} else {
			args = append(args, fmt.Sprint(v.Num))
		}
	}
	return string(n.Text) + " <- " + strings.Join(args, ", ")
}

func TestParse(t *testing.T) {
	var n Normal
	for _, c := range []struct{ text, want string }{
		{"SELECT c FROM t WHERE id=5", "SELECT c FROM t WHERE id=? <- 5"},
		{"SELECT c1 FROM t2 WHERE id BETWEEN 1 AND 18446744073709551615", "SELECT c1 FROM t2 WHERE id BETWEEN ? AND ? <- 1, 18446744073709551615"},
		{"UPDATE `a 1` SET c='it''s \\n\\'x' WHERE id = -3", "UPDATE `a 1` SET c=? WHERE id = -? <- \"it's \\n'x\", 3"},
		{"INSERT INTO t VALUES ('', 'ä',NULL,\n7)", "INSERT INTO t VALUES (?, ?,NULL, ?) <- \"\", \"ä\", 7"},
	} {
		if !n.Parse(c.text, true) || show(&n) != c.want {
			t.Errorf("%s: %s", c.text, show(&n))
		}
	}
	for _, text := range []string{"SELECT 1.5", "SELECT .5", "SELECT 1e3", "SELECT 0x1F", "SELECT x'00'", "SELECT _utf8'a'", "SELECT \"a\"",
		"SELECT /* c */ 1", "SELECT 1 -- c", "SELECT 1 # c", "SELECT @a", "SELECT 1; SELECT 2", "SELECT 'a", "SELECT `a", "SELECT ?",
		"SELECT 'a\\", "SELECT '\\%'", "SELECT 'a' 'b'x", "SELECT 99999999999999999999", strings.Repeat("x", MaxBytes+1), "SELECT N'a'"} {
		if n.Parse(text, true) {
			t.Errorf("%.50s: %s", text, show(&n))
		}
	}
	if !n.Parse("SELECT 'a\\'", false) || show(&n) != `SELECT ? <- "a\\"` {
		t.Error(show(&n))
	}
}

// A normal text has no literals any more.
func FuzzParse(f *testing.F) {
	f.Add("SELECT c FROM t WHERE id = 5 AND x = 'a''b\\n'", true)
	f.Add("\xff'\x00'", false)
	f.Fuzz(func(t *testing.T, text string, backslash bool) {
		var n, again Normal
		if !n.Parse(text, backslash) {
			return
		}
		again.Parse(strings.ReplaceAll(string(n.Text), "?", " "), backslash)
		if len(again.Args) != 0 || strings.Count(string(n.Text), "?") < len(n.Args) {
			t.Fatalf("%q: %s", text, show(&n))
		}
	})
}
