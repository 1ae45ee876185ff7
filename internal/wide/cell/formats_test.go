package cell_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// What this test wants to show: docs/formats.md is true, byte for byte, and
// what it shows does not change: stored data looks like this.

// documentedVectors reads the blocks of docs/formats.md that start with
// "```vector name": hex bytes, and after # a remark.
func documentedVectors(t *testing.T) map[string][]byte {
	t.Helper()
	text, err := os.ReadFile("../../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	vectors := map[string][]byte{}
	name, digits := "", ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if n, ok := strings.CutPrefix(line, "```vector "); ok {
			name, digits = n, ""
			continue
		}
		if name == "" {
			continue
		}
		if line != "```" {
			line, _, _ = strings.Cut(line, "#")
			digits += strings.ReplaceAll(line, " ", "")
			continue
		}
		b, err := hex.DecodeString(strings.TrimSpace(digits))
		if err != nil {
			t.Fatalf("vector %s: %v", name, err)
		}
		if _, twice := vectors[name]; twice {
			t.Fatalf("two vectors %s", name)
		}
		vectors[name], name = b, ""
	}
	return vectors
}

func TestDocumentedFormats(t *testing.T) {
	vectors := documentedVectors(t)
	f := func(name string, got []byte) {
		t.Helper()
		want, ok := vectors[name]
		if !ok {
			t.Errorf("no vector %s in the document; it is %x", name, got)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x\nwant %x", name, got, want)
		}
		delete(vectors, name)
	}

	var uvarints []byte
	for _, v := range []uint64{0, 247, 248, 256, 1 << 32} {
		uvarints = keys.AppendUvarint(uvarints, v)
	}
	f("key/uvarints", uvarints)
	f("key/row", keys.AppendRow(nil, 7, []byte("r\x001")))
	f("key/row-end", keys.AppendRowEnd(nil, 7, []byte("r\x001")))
	f("key/packed", keys.AppendPacked(keys.AppendRow(nil, 7, []byte("row")), 1))
	f("key/cell", keys.AppendCell(keys.AppendRow(nil, 300, []byte("row")), 2, []byte("q"), 1700000000000, byte(cell.Put)))

	const ts = 1700000000000
	two := []cell.Cell{
		{Qualifier: []byte("a"), Timestamp: ts, Type: cell.Put, Value: []byte("1")},
		{Qualifier: []byte("b"), Timestamp: ts, Type: cell.Put, Value: []byte("two")},
	}
	f("packed/columns", cell.AppendPacked(nil, two, nil, false))
	all := []cell.Cell{
		{Qualifier: nil, Timestamp: ts, Type: cell.DeleteFamily},
		{Qualifier: []byte("q"), Timestamp: ts + 1, Type: cell.Put, Value: []byte("v"), Tags: cell.AppendTTLTag(nil, 60000)},
		{Qualifier: []byte("q"), Timestamp: ts, Type: cell.Put, Value: []byte("old"), Seq: 300},
		{Qualifier: []byte("q"), Timestamp: ts - 1, Type: cell.Put, Value: []byte("a large value")},
	}
	f("packed/everything", cell.AppendPacked(nil, all, func(i int) bool { return i == 3 }, true))
	f("packed/header", cell.AppendPacked(nil, nil, nil, true))
	newer := []cell.Cell{{Qualifier: []byte("b"), Timestamp: ts, Type: cell.Put, Value: []byte("2")}}
	parts, err := cell.Merger{}.Fold(nil, [][]byte{cell.AppendPacked(nil, two, nil, false), cell.AppendPacked(nil, newer, nil, false)})
	if err != nil {
		t.Fatal(err)
	}
	f("packed/parts", parts)
	var many []cell.Cell
	for i := range 18 {
		many = append(many, cell.Cell{Qualifier: []byte{'a' + byte(i)}, Timestamp: ts, Type: cell.Put})
	}
	f("packed/restart", cell.AppendPacked(nil, many, nil, false))

	f("cell/plain", cell.AppendCellValue(nil, &cell.Cell{Value: []byte("v")}))
	f("cell/everything", cell.AppendCellValue(nil, &cell.Cell{Value: []byte("v"), Tags: cell.AppendTTLTag(nil, 60000), Seq: 300}))
	f("tags/ttl", cell.AppendTTLTag(nil, 60000))
	for name := range vectors {
		t.Errorf("nothing checks the vector %s", name)
	}

	if name := (cell.Merger{}).Name(); name != "basalt.packed.1" {
		t.Errorf("the merger is called %s", name)
	}
}
