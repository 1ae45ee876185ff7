package wide

import (
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/memkv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

func variants() []variant {
	mem := func(t *testing.T) kv.Engine { return memkv.New(cell.Merger{}) }
	return []variant{
		{name: "mem", engine: mem},
		{name: "rewritten", engine: mem, rewrite: true},
		{name: "spilled", engine: mem, rewrite: true, options: Options{SpillBytes: 1, SpillCells: 1, LargeValueBytes: 2}},
		{name: "stubs", engine: mem, options: Options{LargeValueBytes: 1}},
	}
}

func appendRowPrefix(t *catalog.Table, row []byte) []byte {
	return keys.AppendRow(nil, t.DataID(), row)
}
