package hbase

import (
	"reflect"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

func (f *fixture) mutateParam(row string, mutation message) message {
	return message{}.bytes(1, f.region("t", row)).bytes(2, mutation)
}

func TestMutatePutAndDelete(t *testing.T) {
	f := newFixture(t, Limits{})
	resp, _ := f.ok("Mutate", f.mutateParam("r", putProto("r", "f", "a", "1").bytes(3, column("g", "b", "2"))), nil)
	if !resp.flag(2) || resp.has(1) {
		t.Errorf("answer to a put: %v, want processed alone", resp)
	}
	if got, want := f.row("r"), []string{"r/f:a=1", "r/g:b=2"}; !reflect.DeepEqual(got, want) {
		t.Errorf("after the put: %v, want %v", got, want)
	}
	del := message{}.str(1, "r").num(2, 3).bytes(3, message{}.str(1, "f").bytes(2, message{}.str(1, "a").num(4, 1)))
	f.ok("Mutate", f.mutateParam("r", del), nil)
	if got, want := f.row("r"), []string{"r/g:b=2"}; !reflect.DeepEqual(got, want) {
		t.Errorf("after the delete of a column: %v, want %v", got, want)
	}
	f.ok("Mutate", f.mutateParam("r", message{}.str(1, "r").num(2, 3)), nil)
	if got := f.row("r"); len(got) != 0 {
		t.Errorf("after the delete of the row: %v", got)
	}
}

// The four delete types of the wire, each told from the others by what it hides.
func TestDeleteTypes(t *testing.T) {
	for _, tc := range []struct {
		name  string
		value message // QualifierValue
		want  []string
	}{
		{"one version", message{}.str(1, "a").num(3, 20).num(4, 0), []string{"10", "30", "b10"}},
		{"column", message{}.str(1, "a").num(3, 20).num(4, 1), []string{"30", "b10"}},
		{"family", message{}.num(3, 20).num(4, 2), []string{"30"}},
		{"family version", message{}.num(3, 20).num(4, 3), []string{"10", "30", "b10"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := newFixture(t, Limits{})
			for _, p := range []struct {
				q, v string
				ts   uint64
			}{{"a", "10", 10}, {"a", "20", 20}, {"a", "30", 30}, {"b", "b10", 10}} {
				f.ok("Mutate", f.mutateParam("r", message{}.str(1, "r").num(2, 2).num(4, p.ts).bytes(3, column("f", p.q, p.v))), nil)
			}
			f.ok("Mutate", f.mutateParam("r", message{}.str(1, "r").num(2, 3).bytes(3, message{}.str(1, "f").bytes(2, tc.value))), nil)
			resp, block := f.ok("Get", message{}.bytes(1, f.region("t", "r")).bytes(2, getProto("r").num(6, 10)), nil)
			cells, _ := takeKVs(t, block, int(resp.msg(t, 1).num(2)))
			got := map[string]bool{}
			for _, c := range cells {
				got[string(c.Value)] = true
			}
			want := map[string]bool{}
			for _, v := range tc.want {
				want[v] = true
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("left %v, want %v", got, want)
			}
		})
	}
}

func TestMutateCellBlock(t *testing.T) {
	f := newFixture(t, Limits{})
	block := appendKV(nil, cell.Cell{Row: []byte("r"), Family: []byte("f"), Qualifier: []byte("a"), Value: []byte("1"), Timestamp: cell.Latest, Type: cell.Put})
	// The row may be left to the cells.
	f.ok("Mutate", f.mutateParam("r", message{}.num(2, 2).num(8, 1)), block)
	if got, want := f.row("r"), []string{"r/f:a=1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("after the put: %v, want %v", got, want)
	}
	f.fails("DoNotRetryIOException", "Mutate", f.mutateParam("r", message{}.num(2, 2).num(8, 2)), block)
	f.fails("DoNotRetryIOException", "Mutate", f.mutateParam("r", message{}.str(1, "other").num(2, 2).num(8, 1)), block)
	f.fails("DoNotRetryIOException", "Mutate", f.mutateParam("r", message{}.num(2, 2).num(8, 1)), block[:len(block)-1])
	f.client = plainClient()
	f.fails("DoNotRetryIOException", "Mutate", f.mutateParam("r", message{}.num(2, 2).num(8, 1)), block)
}

func increment(row, qualifier string, delta byte) message {
	return message{}.str(1, row).num(2, 1).bytes(3, message{}.str(1, "f").bytes(2,
		message{}.str(1, qualifier).bytes(2, []byte{0, 0, 0, 0, 0, 0, 0, delta})))
}

func appendTo(row, qualifier, value string) message {
	return message{}.str(1, row).num(2, 0).bytes(3, column("f", qualifier, value))
}

func TestIncrementAndAppend(t *testing.T) {
	f := newFixture(t, Limits{})
	for range 2 {
		f.ok("Mutate", f.mutateParam("r", increment("r", "n", 5)), nil)
	}
	resp, block := f.ok("Mutate", f.mutateParam("r", increment("r", "n", 1)), nil)
	result := resp.msg(t, 1)
	cells, _ := takeKVs(t, block, int(result.num(2)))
	if len(cells) != 1 || cells[0].Value[7] != 11 || resp.has(2) {
		t.Errorf("increment: %v, processed there: %v", cells, resp.has(2))
	}
	f.ok("Mutate", f.mutateParam("r", appendTo("r", "s", "ab")), nil)
	f.client = plainClient()
	resp, block = f.ok("Mutate", f.mutateParam("r", appendTo("r", "s", "cd")), nil)
	if got := show(inlineCells(t, resp.msg(t, 1))); !reflect.DeepEqual(got, []string{"r/f:s=abcd"}) || len(block) > 0 {
		t.Errorf("append for a client without a codec: %v, %d bytes of cells", got, len(block))
	}
	// Without results wanted there is an empty one.
	resp, _ = f.ok("Mutate", f.mutateParam("r", appendTo("r", "s", "ef").bytes(5, message{}.str(1, "_rr_").bytes(2, []byte{0}))), nil)
	if !resp.has(1) || len(resp.bytes(1)) != 0 {
		t.Errorf("append without results: %v", resp)
	}
	f.put("r", "text", "abc")
	e := f.fails("DoNotRetryIOException", "Mutate", f.mutateParam("r", increment("r", "text", 1)), nil)
	if !strings.Contains(e.Message, "Field is not a long, it's 3 bytes wide") {
		t.Errorf("increment of text: %q", e.Message)
	}
}

// A retried increment counts once and shows the same result.
func TestNonce(t *testing.T) {
	f := newFixture(t, Limits{})
	req := f.mutateParam("r", increment("r", "n", 1).num(9, 77)).num(4, 5)
	for i := range 2 {
		resp, block := f.ok("Mutate", req, nil)
		cells, _ := takeKVs(t, block, int(resp.msg(t, 1).num(2)))
		if len(cells) != 1 || cells[0].Value[7] != 1 {
			t.Errorf("try %d: %v", i, cells)
		}
	}
}

// condition compares family f's qualifier; op is HBase's number.
func condition(row, qualifier string, op uint64, value string) message {
	return message{}.str(1, row).str(2, "f").str(3, qualifier).num(4, op).bytes(5, message{}.
		str(1, "org.apache.hadoop.hbase.filter.BinaryComparator").bytes(2, message{}.bytes(1, message{}.str(1, value))))
}

func TestConditions(t *testing.T) {
	f := newFixture(t, Limits{})
	f.put("r", "a", "5")
	for _, tc := range []struct {
		name string
		cond message
		want bool
	}{
		{"equal", condition("r", "a", 2, "5"), true},
		{"not equal", condition("r", "a", 3, "5"), false},
		{"expected less than stored", condition("r", "a", 0, "4"), true},
		{"expected greater than stored", condition("r", "a", 5, "4"), false},
		{"absent", condition("r", "none", 2, ""), true},
		{"not absent", condition("r", "none", 3, ""), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			resp, _ := f.ok("Mutate", f.mutateParam("r", putProto("r", "f", "x", "y")).bytes(3, tc.cond), nil)
			if resp.flag(2) != tc.want || !resp.has(2) || resp.has(1) {
				t.Errorf("processed %v, want %v (result there: %v)", resp.flag(2), tc.want, resp.has(1))
			}
		})
	}
	resp, block := f.ok("Mutate", f.mutateParam("r", increment("r", "n", 3)).bytes(3, condition("r", "a", 2, "5")), nil)
	cells, _ := takeKVs(t, block, int(resp.msg(t, 1).num(2)))
	if !resp.flag(2) || len(cells) != 1 {
		t.Errorf("increment under a condition: processed %v, %v", resp.flag(2), cells)
	}
	f.fails("DoNotRetryIOException", "Mutate", f.mutateParam("r", putProto("r", "f", "x", "y")).bytes(3, condition("s", "a", 2, "5")), nil)
	f.fails("NoSuchColumnFamilyException", "Mutate", f.mutateParam("r", putProto("r", "f", "x", "y")).
		bytes(3, message{}.str(1, "r").str(2, "no").str(3, "q").num(4, 2).bytes(5, message{}.str(1, "org.apache.hadoop.hbase.filter.BinaryComparator").bytes(2, message{}.bytes(1, message{})))), nil)
}

// Case B07: row keys around the limit.
func TestRowKeyLimits(t *testing.T) {
	f := newFixture(t, Limits{})
	for n, ok := range map[int]bool{1: true, 32766: true, 32767: true, 32768: false, 0: false} {
		row := strings.Repeat("k", n)
		param := message{}.bytes(1, f.region("t", "r")).bytes(2, putProto(row, "f", "q", "v"))
		if !ok {
			f.fails("DoNotRetryIOException", "Mutate", param, nil)
			continue
		}
		f.ok("Mutate", param, nil)
		if got := f.row(row); len(got) != 1 {
			t.Errorf("row of %d bytes: %d cells", n, len(got))
		}
	}
}

func TestMutateErrors(t *testing.T) {
	f := newFixture(t, Limits{})
	f.create("split", nil, "m")
	f.create("small", []catalog.BytesPair{{Name: []byte("hbase.server.keyvalue.maxsize"), Value: []byte("100")}})
	f.create("fixed", []catalog.BytesPair{{Name: []byte("READONLY"), Value: []byte("true")}})
	put := func(table, row, family string) message {
		return message{}.bytes(1, f.region(table, row)).bytes(2, putProto(row, family, "q", "v"))
	}
	f.fails("NoSuchColumnFamilyException", "Mutate", put("t", "r", "x"), nil)
	f.fails("FailedSanityCheckException", "Mutate", message{}.bytes(1, f.region("split", "a")).bytes(2, putProto("z", "f", "q", "v")), nil)
	e := f.fails("DoNotRetryIOException", "Mutate", message{}.bytes(1, f.region("small", "r")).bytes(2, putProto("r", "f", "q", strings.Repeat("v", 100))), nil)
	if !strings.Contains(e.Message, "exceeds limit of 100 bytes") {
		t.Errorf("large cell: %q", e.Message)
	}
	f.ok("Mutate", put("small", "r", "f"), nil)
	e = f.fails("DoNotRetryIOException", "Mutate", put("fixed", "r", "f"), nil)
	if !strings.Contains(e.Message, "region is read only") {
		t.Errorf("read-only table: %q", e.Message)
	}
	f.fails("DoNotRetryIOException", "Mutate", f.mutateParam("r", message{}.str(1, "r").num(2, 2).bytes(3, message{}.str(1, "f").bytes(2, message{}.str(1, "q")))), nil)
	f.fails("DoNotRetryIOException", "Mutate", f.mutateParam("r", message{}.str(1, "r").num(2, 9)), nil)
	f.fails("DoNotRetryIOException", "Mutate", message{}.bytes(1, f.region("t", "r")), nil)
}

// A cell's TTL travels as an attribute.
func TestCellTTL(t *testing.T) {
	f := newFixture(t, Limits{})
	f.ok("Mutate", f.mutateParam("r", putProto("r", "f", "q", "v").bytes(5, message{}.str(1, "_ttl").bytes(2, []byte{0, 0, 0, 0, 0, 0, 0x03, 0xe8}))), nil)
	if got := f.row("r"); len(got) != 1 {
		t.Errorf("before it expires: %v", got)
	}
	f.clock.Add(1001)
	if got := f.row("r"); len(got) != 0 {
		t.Errorf("after it expired: %v", got)
	}
}
