package filter

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/wide/cell"
	"github.com/cockroachdb/datadriven"
)

// TestScripts runs filters end to end. testdata/scripts is written by hand.
// testdata/recorded holds the answers of HBase 2.6.1, recorded with
//
//	javac -cp "$CP" testdata/recorder/FilterRecorder.java
//	BASALT_FILTER_PEER='java -cp "testdata/recorder:$CP" FilterRecorder' go test -run TestScripts -rewrite
//
// where CP is the class path of an HBase client and its configuration.
//
//	cells             rows of the table, one a line: row family:qualifier/timestamp=value ...
//	scan [reversed]   the filter; answers the rows that pass
//	decode            the filter; answers the error
func TestScripts(t *testing.T) {
	t.Run("scripts", func(t *testing.T) { runScripts(t, "testdata/scripts", nil) })
	t.Run("recorded", func(t *testing.T) { runScripts(t, "testdata/recorded", startPeer(t)) })
}

func runScripts(t *testing.T, dir string, p *peer) {
	datadriven.Walk(t, dir, func(t *testing.T, path string) {
		var cells []cell.Cell
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "cells":
				cells = parseCells(t, d.Input)
				if p != nil {
					p.load(cells)
				}
				return fmt.Sprintf("%d cells\n", len(cells))
			case "scan":
				tree, err := pack(strings.TrimSpace(d.Input))
				if err != nil {
					t.Fatalf("%s: %v", d.Pos, err)
				}
				if p != nil {
					return p.scan(tree, d.HasArg("reversed"))
				}
				return scanWith(t, tree, cells, d.HasArg("reversed"))
			case "decode":
				tree, err := pack(strings.TrimSpace(d.Input))
				if err != nil {
					t.Fatalf("%s: %v", d.Pos, err)
				}
				if _, err := Decode(classPrefix+tree.class, tree.bytes, Limits{}); err != nil {
					return err.Error() + "\n"
				}
				return "ok\n"
			}
			t.Fatalf("%s: unknown command %q", d.Pos, d.Cmd)
			return ""
		})
	})
}

// scanWith decodes a filter and runs it over cells.
func scanWith(t *testing.T, tree packed, cells []cell.Cell, reversed bool) string {
	t.Helper()
	f, err := Decode(classPrefix+tree.class, tree.bytes, Limits{})
	if err != nil {
		return "error " + err.Error() + "\n"
	}
	r := newReader(cells, f, reversed)
	rows := r.scan()
	for _, rule := range r.trace {
		t.Errorf("broken rule: %s", rule)
	}
	if err := Err(f); err != nil {
		return "error " + err.Error() + "\n"
	}
	return show(rows)
}

// parseCells reads what show writes.
func parseCells(t *testing.T, input string) []cell.Cell {
	var cells []cell.Cell
	for line := range strings.Lines(input) {
		words := strings.Fields(line)
		for _, w := range words[1:] {
			name, value, ok := strings.Cut(w, "=")
			slash := strings.LastIndexByte(name, '/')
			if !ok || slash < 0 {
				t.Fatalf("no cell: %q", w)
			}
			ts, err := strconv.ParseInt(name[slash+1:], 10, 64)
			family, qualifier, ok := strings.Cut(name[:slash], ":")
			if err != nil || !ok {
				t.Fatalf("no cell: %q", w)
			}
			cells = append(cells, cell.Cell{Row: untext(words[0]), Family: []byte(family),
				Qualifier: untext(qualifier), Timestamp: ts, Type: cell.Put, Value: untext(value)})
		}
	}
	sortCells(cells)
	return cells
}

// untext undoes text.
func untext(s string) []byte {
	if s == "''" {
		return nil
	}
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '%' {
			v, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			b = append(b, byte(v))
			i += 2
		} else {
			b = append(b, s[i])
		}
	}
	return b
}
