package wide

import (
	"testing"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/kv/memkv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// stepless fails the test when an iterator is moved by a plain step.
type stepless struct {
	kv.Iterator
	t *testing.T
}

func (it stepless) Next() bool {
	it.t.Error("Next visits what was overwritten in memory")
	return it.Iterator.Next()
}

// A row that is read alone is left by seeks: a rewrite of a row that was written
// 200,000 times would otherwise step over all of that, with the row locked.
func TestLoadOneSeeks(t *testing.T) {
	e := memkv.New(cell.Merger{})
	defer e.Close()
	prefix := keys.AppendRow(nil, 7, []byte("row"))
	b := e.NewBatch()
	for id := uint32(1); id <= 3; id++ {
		b.Put(keys.AppendPacked(append([]byte(nil), prefix...), id), []byte{byte(id)})
	}
	b.Put(append(keys.AppendCells(append([]byte(nil), prefix...), 2), "not looked at"...), nil)
	if _, err := e.Apply(b, kv.DurabilityAsync, nil); err != nil {
		t.Fatal(err)
	}
	it, err := e.NewIter(kv.IterOptions{KeyRange: prefixRange(prefix), Prefix: true})
	if err != nil {
		t.Fatal(err)
	}
	defer it.Close()
	for _, wanted := range [][]uint32{nil, {1, 3}, {2}} {
		var row rowData
		it.SeekGE(prefix)
		r := rowReader{it: stepless{it, t}, wanted: wanted}
		if err := r.loadOne(&row); err != nil {
			t.Fatal(err)
		}
		want := wanted
		if want == nil {
			want = []uint32{1, 2, 3}
		}
		if len(row.fams) != len(want) {
			t.Fatalf("wanted families %v, got %d", want, len(row.fams))
		}
		for _, id := range want {
			if v := row.family(id); len(v) != 1 || v[0] != byte(id) {
				t.Errorf("family %d has %x", id, v)
			}
		}
	}
}
