package hbase

import (
	"reflect"
	"strings"
	"testing"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
)

func TestGetForms(t *testing.T) {
	f := newFixture(t, Limits{})
	f.put("r", "a", "1")
	f.put("r", "b", "2")
	want := []string{"r/f:a=1", "r/f:b=2"}
	req := message{}.bytes(1, f.region("t", "r")).bytes(2, getProto("r"))

	resp, block := f.ok("Get", req, nil)
	result := resp.msg(t, 1)
	cells, rest := takeKVs(t, block, int(result.num(2)))
	if got := show(cells); !reflect.DeepEqual(got, want) || len(rest) > 0 || result.has(1) || result.has(3) {
		t.Errorf("with a codec and a version: %v, %d bytes left, inline %v", got, len(rest), result.has(1))
	}

	// Without a version the cells go inline, codec or not.
	for name, client := range map[string]*rpc.Client{"no version": goClient(), "no codec": plainClient()} {
		f.client = client
		resp, block := f.ok("Get", req, nil)
		result := resp.msg(t, 1)
		if got := show(inlineCells(t, result)); !reflect.DeepEqual(got, want) || len(block) > 0 || result.has(2) {
			t.Errorf("%s: %v, cell block of %d bytes", name, got, len(block))
		}
	}
}

func TestGetMissingRow(t *testing.T) {
	f := newFixture(t, Limits{})
	for _, client := range []*rpc.Client{java(), goClient()} {
		f.client = client
		resp, block := f.ok("Get", message{}.bytes(1, f.region("t", "r")).bytes(2, getProto("r")), nil)
		if !resp.has(1) || len(block) > 0 || len(inlineCells(t, resp.msg(t, 1))) > 0 {
			t.Errorf("a missing row gives %v and %d bytes, want an empty result", resp, len(block))
		}
	}
}

func TestGetExistence(t *testing.T) {
	f := newFixture(t, Limits{})
	f.put("r", "a", "1")
	for row, want := range map[string]bool{"r": true, "s": false} {
		resp, block := f.ok("Get", message{}.bytes(1, f.region("t", row)).bytes(2, getProto(row).flag(10, true)), nil)
		result := resp.msg(t, 1)
		if !result.has(3) || result.flag(3) != want || len(block) > 0 || result.num(2) != 0 {
			t.Errorf("%s: exists %v (there: %v), %d bytes of cells; want %v alone", row, result.flag(3), result.has(3), len(block), want)
		}
	}
}

func TestGetErrors(t *testing.T) {
	f := newFixture(t, Limits{})
	f.create("split", nil, "m")
	get := func(region message, get message) message { return message{}.bytes(1, region).bytes(2, get) }

	f.fails("NotServingRegionException", "Get", get(specifier([]byte("t,,1.0123456789abcdef0123456789abcdef.")), getProto("r")), nil)
	f.fails("NoSuchColumnFamilyException", "Get", get(f.region("t", "r"), getProto("r").bytes(2, message{}.str(1, "x"))), nil)
	e := f.fails("WrongRegionException", "Get", get(f.region("split", "a"), getProto("z")), nil)
	if !strings.HasPrefix(e.Message, "Requested row out of range for Get on HRegion split,,") {
		t.Errorf("row outside its region: %q", e.Message)
	}
	f.fails("DoNotRetryIOException", "Get", get(f.region("t", "r"), getProto("")), nil)
	f.fails("DoNotRetryIOException", "Get", get(f.region("t", "r"), getProto("r").bytes(5, message{}.num(1, 9).num(2, 3))), nil)
	f.fails("DoNotRetryIOException", "Get", get(f.region("t", "r"), getProto("r").bytes(4, message{}.str(1, "org.example.Own"))), nil)
	f.fails("DoNotRetryIOException", "Get", message{0xff}, nil)
	f.fails("UnknownProtocolException", "Get", get(f.region("t", "r"), getProto("r").flag(11, true)), nil)

	if err := f.catalog.Disable(catalog.ParseTableName("t")); err != nil {
		t.Fatal(err)
	}
	f.fails("NotServingRegionException", "Get", get(f.region("t", "r"), getProto("r")), nil)
}

// Case B21: after a split the old region's name is unknown, never an empty row.
func TestStaleRegionName(t *testing.T) {
	f := newFixture(t, Limits{})
	f.put("a", "q", "1")
	f.put("z", "q", "2")
	stale := f.region("t", "a")
	region := f.catalog.View().Tables[catalog.ParseTableName("t")].Regions[0]
	if err := f.catalog.SplitRegion(region.Encoded, []byte("m")); err != nil {
		t.Fatal(err)
	}
	for _, row := range []string{"a", "z"} {
		f.fails("NotServingRegionException", "Get", message{}.bytes(1, stale).bytes(2, getProto(row)), nil)
		if got := f.row(row); len(got) != 1 {
			t.Errorf("row %s after the split: %v", row, got)
		}
	}
}

// Clients name regions in three ways, and one of them sends the wrong type.
func TestRegionSpecifiers(t *testing.T) {
	f := newFixture(t, Limits{})
	f.put("r", "q", "1")
	region := f.catalog.View().Tables[catalog.ParseTableName("t")].Regions[0]
	for _, spec := range []message{
		specifier(region.Name),
		message{}.num(1, 2).bytes(2, region.Name),
		message{}.num(1, 2).str(2, region.Encoded),
		message{}.num(1, 1).str(2, region.Encoded),
	} {
		resp, _ := f.ok("Get", message{}.bytes(1, spec).bytes(2, getProto("r")), nil)
		if resp.msg(t, 1).num(2) != 1 {
			t.Errorf("region named by %x: row not found", []byte(spec))
		}
	}
}

func TestMetaTable(t *testing.T) {
	f := newFixture(t, Limits{})
	f.create("t2", nil, "m")
	metaRegion := specifier([]byte("hbase:meta,,1"))

	// tableExists asks so.
	state := message{}.bytes(1, metaRegion).bytes(2, getProto("t").bytes(2, message{}.str(1, "table").str(2, "state")))
	if resp, _ := f.ok("Get", state, nil); resp.msg(t, 1).num(2) != 1 {
		t.Error("no table:state for t")
	}
	// gohbase probes with a row that has no comma.
	probe := message{}.bytes(1, metaRegion).bytes(2, getProto(strings.Repeat("\x00", 17)).flag(10, true))
	if resp, _ := f.ok("Get", probe, nil); resp.msg(t, 1).flag(3) {
		t.Error("the probe row exists in hbase:meta")
	}
	// A client looks up the region of t2,x: reversed from above it.
	scan := message{}.bytes(1, metaRegion).num(4, 1).flag(5, true).flag(7, true).flag(8, true).bytes(2, message{}.
		bytes(1, message{}.str(1, "info")).str(3, "t2,x,99999999999999").str(4, "t2,,").flag(22, true).flag(15, true))
	resp, block := f.ok("Scan", scan, nil)
	if len(resp[1]) != 1 {
		t.Fatalf("%d results of a region lookup", len(resp[1]))
	}
	cells, _ := takeKVs(t, block, int(resp.num(1)))
	if !strings.HasPrefix(string(cells[0].Row), "t2,m,") {
		t.Errorf("the region of t2,x is %q", cells[0].Row)
	}
	// hbase:meta is not written.
	f.fails("DoNotRetryIOException", "Mutate", message{}.bytes(1, metaRegion).bytes(2, putProto("x", "info", "q", "v")), nil)
}

// asynchbase wants closest_row_before refused, the Node client wants it served.
func TestClosestRowBefore(t *testing.T) {
	f := newFixture(t, Limits{})
	metaRegion := specifier([]byte("hbase:meta,,1"))
	get := func(row string) message {
		return message{}.bytes(1, metaRegion).bytes(2, getProto(row).bytes(2, message{}.str(1, "info")).flag(11, true))
	}
	f.client = goClient()
	f.fails("UnknownProtocolException", "Get", get("t,r,99999999999999"), nil)
	f.client = plainClient()
	resp, _ := f.ok("Get", get("t,r,99999999999999"), nil)
	cells := inlineCells(t, resp.msg(t, 1))
	if len(cells) == 0 || !strings.HasPrefix(string(cells[0].Row), "t,,") {
		t.Errorf("closest row before t,r: %v", show(cells))
	}
	if resp, _ := f.ok("Get", get("u,r,99999999999999"), nil); resp.has(1) {
		t.Errorf("a table that does not exist has a region: %v", resp)
	}
}
