package pb

// Requests that we encode are read by google's decoder without a byte that it
// does not know, and by our own as what they were made from.

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// same compares what two structs print: an empty slice and none are the same.
func same(t *testing.T, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Fatalf("got  %s\nwant %s", g, w)
	}
}

// strict decodes with google's decoder and looks for unknown fields.
func strict(t *testing.T, b []byte, m proto.Message) {
	t.Helper()
	readBack(t, append([]byte("pre"), b...), m)
}

func TestEncodeGetRequest(t *testing.T) {
	r := newRand(t)
	for range 500 {
		var m pbtest.GetRequest
		fill(r, m.ProtoReflect(), 0)
		var a, b GetRequest
		if a.Decode(marshal(t, &m)) != nil {
			continue
		}
		out := AppendGetRequest(nil, a.Region.Value, &a.Get)
		strict(t, out, new(pbtest.GetRequest))
		if err := b.Decode(out); err != nil {
			t.Fatal(err)
		}
		a.Region.Type = RegionName
		same(t, b, a)
	}
}

func TestEncodeScanRequest(t *testing.T) {
	r := newRand(t)
	for range 500 {
		var m pbtest.ScanRequest
		fill(r, m.ProtoReflect(), 0)
		var a, b ScanRequest
		if a.Decode(marshal(t, &m)) != nil {
			continue
		}
		if a.HasRegion {
			a.Region.Type = RegionName
		}
		out := AppendScanRequest(nil, &a)
		strict(t, out, new(pbtest.ScanRequest))
		if err := b.Decode(out); err != nil {
			t.Fatal(err)
		}
		same(t, b, a)
	}
}

func randomMutation(r *rand.Rand) (Mutation, []cell.Cell) {
	m := Mutation{
		Row: randomBytes(r), HasRow: true, Type: r.Uint32N(4), TimeRange: AllTime,
		Durability: r.Uint32N(5), HasNonce: r.IntN(2) == 0,
	}
	if m.HasNonce {
		m.Nonce = r.Uint64()
	}
	if r.IntN(2) == 0 {
		m.Attributes = Attributes{{Name: []byte("a"), Value: randomBytes(r)}}
	}
	if r.IntN(2) == 0 {
		m.HasTimeRange, m.TimeRange = true, TimeRange{r.Int64(), r.Int64()}
	}
	if r.IntN(2) == 0 {
		m.HasTimestamp, m.Timestamp = true, r.Int64()
	}
	var cells []cell.Cell
	for range r.IntN(6) {
		c := randomCell(r)
		if m.Type != MutateDelete {
			c.Type = cell.Put
		} else {
			c.Value, c.Type = nil, cell.Type(8+2*r.IntN(4))
		}
		if r.IntN(2) == 0 {
			c.Family = []byte("f")
		}
		if r.IntN(3) == 0 {
			c.Timestamp = cell.Latest
		}
		c.Row = nil
		cells = append(cells, c)
	}
	m.HasValues = len(cells) > 0
	return m, cells
}

func wantMutation(t *testing.T, got *Mutation, want Mutation, cells []cell.Cell) {
	t.Helper()
	n := 0
	var v Value
	it := got.Values()
	for ; it.Next(&v); n++ {
		c := cell.Cell{Family: v.Family, Qualifier: v.Qualifier, Value: v.Value, Timestamp: cell.Latest, Type: cell.Put}
		if v.HasTimestamp {
			c.Timestamp = v.Timestamp
		}
		if v.HasDeleteType {
			c.Type = []cell.Type{cell.Delete, cell.DeleteColumn, cell.DeleteFamily, cell.DeleteFamilyVersion}[v.DeleteType]
		}
		same(t, c, cells[n])
	}
	if n != len(cells) || it.Err() != nil {
		t.Fatalf("%d of %d cells; %v", n, len(cells), it.Err())
	}
	got.raw = nil
	same(t, *got, want)
}

func TestEncodeMutateRequest(t *testing.T) {
	r := newRand(t)
	for range 500 {
		m, cells := randomMutation(r)
		var condition *Condition
		if r.IntN(2) == 0 {
			condition = &Condition{Row: randomBytes(r), TimeRange: AllTime}
			if r.IntN(2) == 0 {
				condition.HasFilter, condition.Filter = true, Named{Name: randomBytes(r), Data: randomBytes(r)}
			} else {
				condition.Family, condition.Qualifier, condition.CompareType = randomBytes(r), randomBytes(r), r.Uint32N(7)
				condition.HasComparator, condition.Comparator = true, Named{Name: randomBytes(r), Data: randomBytes(r)}
			}
		}
		out := AppendMutateRequest(nil, []byte("region"), &m, cells, condition, 7)
		strict(t, out, new(pbtest.MutateRequest))
		var back MutateRequest
		if err := back.Decode(out); err != nil {
			t.Fatal(err)
		}
		if back.NonceGroup != 7 || string(back.Region.Value) != "region" || back.HasCondition != (condition != nil) {
			t.Fatalf("%+v", back)
		}
		if condition != nil {
			same(t, back.Condition, *condition)
		}
		wantMutation(t, &back.Mutation, m, cells)
	}
}

func TestEncodeMultiRequest(t *testing.T) {
	r := newRand(t)
	for range 200 {
		var out []byte
		out, at := BeginRegionAction(out, []byte("region"))
		out = AppendRegionAtomic(out)
		g := Get{Row: randomBytes(r), TimeRange: AllTime, MaxVersions: 1, CacheBlocks: true}
		m, cells := randomMutation(r)
		out = AppendActionGet(out, 300, &g)
		out = AppendActionMutation(out, 4, &m, cells)
		out = AppendRegionCondition(out, &Condition{Row: []byte("r"), HasFilter: true})
		out = AppendMultiNonceGroup(End(out, at), 99)
		strict(t, out, new(pbtest.MultiRequest))
		var back MultiRequest
		var ra RegionAction
		var a Action
		if err := back.Decode(out); err != nil || back.NonceGroup != 99 {
			t.Fatal(err, back)
		}
		ras := back.RegionActions()
		if !ras.Next(&ra) || !ra.Atomic || !ra.HasCondition || ra.Count != 2 {
			t.Fatal(ras.Err(), ra)
		}
		as := ra.Actions()
		if !as.Next(&a) || a.Index != 300 || !a.HasGet {
			t.Fatal(as.Err(), a)
		}
		same(t, a.Get, g)
		if !as.Next(&a) || a.Index != 4 || !a.HasMutation {
			t.Fatal(as.Err(), a)
		}
		wantMutation(t, &a.Mutation, m, cells)
	}
}

func TestEncodeHeaders(t *testing.T) {
	r := newRand(t)
	for range 200 {
		h := RequestHeader{
			CallID: r.Uint32(), HasCallID: true, Method: []byte("Get"), RequestParam: true,
			HasCellBlock: true, CellBlockLength: r.Uint32(), Priority: 1 + r.Uint32N(300), TimeoutMS: 1 + r.Uint32(), HasTimeout: true,
		}
		out := AppendRequestHeader(nil, &h)
		strict(t, out, new(pbtest.RequestHeader))
		var back RequestHeader
		if err := back.Decode(out); err != nil {
			t.Fatal(err)
		}
		same(t, back, h)
	}
	c := ConnectionHeader{
		EffectiveUser: "u", RealUser: "v", Service: "ClientService", Codec: "c", Compressor: "d",
		HasVersion: true, Version: "2.6.1", VersionMajor: 2, VersionMinor: 6,
	}
	out := AppendConnectionHeader(nil, &c)
	m := new(pbtest.ConnectionHeader)
	strict(t, out, m)
	if m.GetVersionInfo().GetSrcChecksum() == "" {
		t.Error("a required text is missing")
	}
	var back ConnectionHeader
	if err := back.Decode(out); err != nil {
		t.Fatal(err)
	}
	same(t, back, c)
}
