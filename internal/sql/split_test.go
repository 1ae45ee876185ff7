package sql

import (
	"errors"
	"slices"
	"testing"
)

// A text of comments does nothing; one of nothing at all is an error.
func TestComments(t *testing.T) {
	s := openMem(t).session("a")
	for text, want := range map[string]uint16{"--": 0, "-- a\n": 0, "/* a */ ;": 0, "# a": 0, "": 1065, " ;": 1065} {
		_, err := s.Query(t.Context(), text, nil)
		var e *Error
		if errors.As(err, &e); want == 0 && err != nil || want != 0 && (e == nil || e.Code != want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Where statements of one text end, also those that the parser gets in another
// form than they came in.
func TestSplit(t *testing.T) {
	s := openMem(t).session("a")
	for text, want := range map[string][]string{
		"":    nil,
		" ; ": nil,
		"ALTER TABLE t ADD c INT AFTER name; ALTER TABLE t ADD d INT AFTER status; SELECT 1": {"ALTER TABLE t ADD c INT AFTER name", "ALTER TABLE t ADD d INT AFTER status", "SELECT 1"},
		"SELECT 1":                         {"SELECT 1"},
		"SELECT ';' ; ":                    {"SELECT ';'"},
		"SELECT 1; SELECT 2;":              {"SELECT 1", "SELECT 2;"},
		"DO 1; SELECT 2; DO 3;":            {"DO 1", "SELECT 2", "DO 3;"},
		"\n\tDO\n1;\n\tDO ';';x":           {"DO\n1", "DO ';'", "x"},
		"SELECT 1; SELECT 2 FOR SHARE":     {"SELECT 1", "SELECT 2 FOR SHARE"},
		"DO 1; SELECT 2 FOR UPDATE NOWAIT": {"DO 1", "SELECT 2 FOR UPDATE NOWAIT"},
	} {
		var got []string
		for rest := text; ; {
			var stmt string
			if stmt, rest = s.Split(rest); stmt != "" {
				got = append(got, stmt)
			}
			if rest == "" {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
