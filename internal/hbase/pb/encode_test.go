package pb

// What the encoders append must read back with google's decoder as what was
// meant, and must not depend on what the buffer held before.

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// readBack decodes b behind the prefix into m, strictly.
func readBack(t *testing.T, b []byte, m proto.Message) {
	t.Helper()
	if string(b[:3]) != "pre" {
		t.Fatal("the bytes before the message changed")
	}
	if err := proto.Unmarshal(b[3:], m); err != nil {
		t.Fatal(err)
	}
	if u := m.ProtoReflect().GetUnknown(); len(u) > 0 {
		t.Fatalf("unknown fields: %x", u)
	}
}

func wantEqual(t *testing.T, got, want proto.Message) {
	t.Helper()
	if !proto.Equal(got, want) {
		t.Fatalf("got  %v\nwant %v", got, want)
	}
}

func randomCell(r *rand.Rand) cell.Cell {
	types := []cell.Type{cell.Put, cell.Delete, cell.DeleteFamilyVersion, cell.DeleteColumn, cell.DeleteFamily}
	return cell.Cell{
		Row: randomBytes(r), Family: randomBytes(r), Qualifier: randomBytes(r), Value: randomBytes(r),
		Timestamp: r.Int64() >> r.IntN(63), Type: types[r.IntN(len(types))],
	}
}

func protoCell(c *cell.Cell) *pbtest.Cell {
	return &pbtest.Cell{
		Row: c.Row, Family: c.Family, Qualifier: c.Qualifier, Value: c.Value,
		Timestamp: proto.Uint64(uint64(c.Timestamp)), CellType: pbtest.CellType(c.Type).Enum(),
	}
}

func randomResult(r *rand.Rand) (*Result, *pbtest.Result) {
	a, b := new(Result), new(pbtest.Result)
	for range r.IntN(4) {
		c := randomCell(r)
		a.Cells, b.Cell = append(a.Cells, c), append(b.Cell, protoCell(&c))
	}
	if r.IntN(2) == 0 {
		a.CellCount, a.HasCellCount = r.Int32(), true
		b.AssociatedCellCount = proto.Int32(a.CellCount)
	}
	if r.IntN(2) == 0 {
		a.Exists, a.HasExists = r.IntN(2) == 0, true
		b.Exists = proto.Bool(a.Exists)
	}
	if r.IntN(2) == 0 {
		a.Stale, b.Stale = true, proto.Bool(true)
	}
	if r.IntN(2) == 0 {
		a.Partial, b.Partial = true, proto.Bool(true)
	}
	return a, b
}

func TestAppendResponses(t *testing.T) {
	r := newRand(t)
	for range 500 {
		res, want := randomResult(r)
		var get pbtest.GetResponse
		readBack(t, AppendGetResponse([]byte("pre"), res), &get)
		wantEqual(t, &get, &pbtest.GetResponse{Result: want})

		var mutate pbtest.MutateResponse
		readBack(t, AppendMutateResponse([]byte("pre"), res, true), &mutate)
		wantEqual(t, &mutate, &pbtest.MutateResponse{Result: want, Processed: proto.Bool(true)})
		readBack(t, AppendMutateResponse([]byte("pre"), nil, false), &mutate)
		wantEqual(t, &mutate, &pbtest.MutateResponse{Processed: proto.Bool(false)})
		readBack(t, AppendMutateResult([]byte("pre"), res), &mutate)
		wantEqual(t, &mutate, &pbtest.MutateResponse{Result: want})
	}
}

func TestAppendMultiResponse(t *testing.T) {
	r := newRand(t)
	for range 500 {
		b, want := []byte("pre"), new(pbtest.MultiResponse)
		for range r.IntN(4) {
			rar := new(pbtest.RegionActionResult)
			var m Mark
			b, m = BeginRegionActionResult(b)
			if r.IntN(5) == 0 {
				b = AppendRegionException(b, "a.B", "text")
				rar.Exception = &pbtest.NameBytesPair{Name: proto.String("a.B"), Value: []byte("text")}
			} else {
				for range r.IntN(5) {
					i := r.Uint32() >> r.IntN(32)
					roe := &pbtest.ResultOrException{Index: proto.Uint32(i)}
					switch r.IntN(4) {
					case 0:
						b = AppendActionException(b, i, "c.D", "more")
						roe.Exception = &pbtest.NameBytesPair{Name: proto.String("c.D"), Value: []byte("more")}
					case 1:
						b = AppendActionServiceResult(b, i, "e.F", []byte{1})
						roe.ServiceResult = &pbtest.CoprocessorServiceResult{Value: &pbtest.NameBytesPair{Name: proto.String("e.F"), Value: []byte{1}}}
					case 2:
						res, pres := randomResult(r)
						b, roe.Result = AppendActionResult(b, i, res), pres
					case 3:
						var o, in Mark
						b, o = BeginResultOrException(b, i)
						b, in = BeginActionResult(b)
						c := randomCell(r)
						b = End(End(AppendResultCell(b, &c), in), o)
						roe.Result = &pbtest.Result{Cell: []*pbtest.Cell{protoCell(&c)}}
					}
					rar.ResultOrException = append(rar.ResultOrException, roe)
				}
				if r.IntN(2) == 0 {
					b, rar.Processed = AppendRegionProcessed(b, true), proto.Bool(true)
				}
			}
			b = End(b, m)
			want.RegionActionResult = append(want.RegionActionResult, rar)
		}
		if r.IntN(2) == 0 {
			b, want.Processed = AppendMultiProcessed(b, false), proto.Bool(false)
		}
		var got pbtest.MultiResponse
		readBack(t, b, &got)
		wantEqual(t, &got, want)
	}
}

func TestAppendScanResponse(t *testing.T) {
	r := newRand(t)
	var resp ScanResponse
	for range 500 {
		resp.Reset()
		want := &pbtest.ScanResponse{MoreResultsInRegion: proto.Bool(false)}
		for range r.IntN(5) {
			n, p := r.Uint32()>>r.IntN(32), r.IntN(2) == 0
			resp.CellsPerResult, resp.PartialPerResult = append(resp.CellsPerResult, n), append(resp.PartialPerResult, p)
			want.CellsPerResult, want.PartialFlagPerResult = append(want.CellsPerResult, n), append(want.PartialFlagPerResult, p)
		}
		flip := func() bool { return r.IntN(2) == 0 }
		if flip() {
			resp.ScannerID, resp.HasScannerID = r.Uint64(), true
			want.ScannerId = proto.Uint64(resp.ScannerID)
		}
		if flip() {
			resp.MoreResults, resp.HasMoreResults = flip(), true
			want.MoreResults = proto.Bool(resp.MoreResults)
		}
		if flip() {
			resp.TTL, resp.HasTTL = 60000, true
			want.Ttl = proto.Uint32(60000)
		}
		if flip() {
			resp.HasStale = true
			want.Stale = proto.Bool(false)
		}
		if flip() {
			resp.MoreInRegion = true
			want.MoreResultsInRegion = proto.Bool(true)
		}
		if flip() {
			resp.Heartbeat, want.HeartbeatMessage = true, proto.Bool(true)
		}
		if flip() {
			resp.HasMetrics, want.ScanMetrics = true, new(pbtest.ScanMetrics)
			for range r.IntN(3) {
				m := Metric{string(randomBytes(r)), r.Int64() - r.Int64()}
				resp.Metrics = append(resp.Metrics, m)
				want.ScanMetrics.Metrics = append(want.ScanMetrics.Metrics, &pbtest.NameInt64Pair{Name: proto.String(m.Name), Value: proto.Int64(m.Value)})
			}
		}
		if flip() {
			resp.ReadPoint, resp.HasReadPoint = r.Uint64(), true
			want.MvccReadPoint = proto.Uint64(resp.ReadPoint)
		}
		if flip() {
			resp.Cursor = randomBytes(r)
			want.Cursor = &pbtest.Cursor{Row: resp.Cursor}
		}
		b := []byte("pre")
		for range r.IntN(3) {
			var m Mark
			b, m = BeginScanResult(b)
			c, partial := randomCell(r), flip()
			b = EndScanResult(AppendResultCell(b, &c), m, partial)
			res := &pbtest.Result{Cell: []*pbtest.Cell{protoCell(&c)}}
			if partial {
				res.Partial = proto.Bool(true)
			}
			want.Results = append(want.Results, res)
		}
		var got pbtest.ScanResponse
		readBack(t, AppendScanResponse(b, &resp), &got)
		wantEqual(t, &got, want)
	}
}

// TestPerResultListsAreUnpacked: an old client reads no packed list.
func TestPerResultListsAreUnpacked(t *testing.T) {
	got := AppendScanResponse(nil, &ScanResponse{CellsPerResult: []uint32{1, 300}, PartialPerResult: []bool{false, true}})
	if want := "\x08\x01\x08\xac\x02\x38\x00\x38\x01\x40\x00"; string(got) != want {
		t.Errorf("% x", got)
	}
}

func TestAppendResponseHeader(t *testing.T) {
	var got pbtest.ResponseHeader
	readBack(t, AppendResponseHeader([]byte("pre"), 7, nil, 0), &got)
	wantEqual(t, &got, &pbtest.ResponseHeader{CallId: proto.Uint32(7), CellBlockMeta: &pbtest.CellBlockMeta{Length: proto.Uint32(0)}})
	e := &Exception{Class: "a.B", StackTrace: "a.B: x\n\tat y", DoNotRetry: true, ServerOverloaded: true, Hostname: "h", Port: -1}
	readBack(t, AppendResponseHeader([]byte("pre"), 1<<32-1, e, NoCellBlock), &got)
	wantEqual(t, &got, &pbtest.ResponseHeader{CallId: proto.Uint32(1<<32 - 1), Exception: &pbtest.ExceptionResponse{
		ExceptionClassName: proto.String("a.B"), StackTrace: proto.String(e.StackTrace), DoNotRetry: proto.Bool(true),
		ServerOverloaded: proto.Bool(true), Hostname: proto.String("h"), Port: proto.Int32(-1),
	}})
	// Call id -1 is the five bytes of 0xFFFFFFFF, not ten.
	if b := AppendResponseHeader(nil, 1<<32-1, nil, NoCellBlock); len(b) != 6 {
		t.Errorf("% x", b)
	}
	var cr pbtest.GetConnectionRegistryResponse
	readBack(t, AppendConnectionRegistryResponse([]byte("pre"), "id"), &cr)
	wantEqual(t, &cr, &pbtest.GetConnectionRegistryResponse{ClusterId: proto.String("id")})
}

func TestAppendCoprocessorResponses(t *testing.T) {
	var got pbtest.CoprocessorServiceResponse
	readBack(t, AppendCoprocessorResponse([]byte("pre"), []byte("t,,1"), "a.B", []byte{2}), &got)
	wantEqual(t, &got, &pbtest.CoprocessorServiceResponse{
		Region: &pbtest.RegionSpecifier{Type: pbtest.RegionSpecifier_REGION_NAME.Enum(), Value: []byte("t,,1")},
		Value:  &pbtest.NameBytesPair{Name: proto.String("a.B"), Value: []byte{2}},
	})
	var mr pbtest.MutateRowsResponse
	readBack(t, AppendMutateRowsResponse([]byte("pre"), true), &mr)
	wantEqual(t, &mr, &pbtest.MutateRowsResponse{Processed: proto.Bool(true)})
	var ar pbtest.AggregateResponse
	readBack(t, AppendAggregateResponse([]byte("pre"), &AggregateResponse{FirstParts: [][]byte{{1}, {}}, SecondPart: []byte{3}, HasSecondPart: true, NextChunkStartRow: []byte("r"), WaitIntervalMS: 9}), &ar)
	wantEqual(t, &ar, &pbtest.AggregateResponse{FirstPart: [][]byte{{1}, {}}, SecondPart: []byte{3}, NextChunkStartRow: []byte("r"), WaitIntervalMs: proto.Uint64(9)})
}

func TestAppendMetaValues(t *testing.T) {
	var ri pbtest.RegionInfo
	readBack(t, AppendRegionInfo([]byte("pre"), &RegionInfo{ID: 5, Namespace: []byte("n"), Qualifier: []byte("q"), StartKey: []byte("a"), EndKey: nil, Split: true, Replica: 1}), &ri)
	wantEqual(t, &ri, &pbtest.RegionInfo{
		RegionId: proto.Uint64(5), TableName: &pbtest.TableName{Namespace: []byte("n"), Qualifier: []byte("q")},
		StartKey: []byte("a"), EndKey: []byte{}, Offline: proto.Bool(false), Split: proto.Bool(true), ReplicaId: proto.Int32(1),
	})
}

// TestEndMovesLongMessages: at every length around the steps of a varint.
func TestEndMovesLongMessages(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 129, 16383, 16384, 16385, 2097151, 2097152} {
		b, m := begin([]byte("pre"), 1)
		b = End(append(b, make([]byte, n)...), m)
		if got, want := len(b), 3+sizeBytes(n); got != want {
			t.Fatalf("%d: %d bytes, want %d", n, got, want)
		}
		p := parser{in: b[3:]}
		if !p.next() || len(p.b) != n || p.next() || p.err != nil {
			t.Fatalf("%d: reads back as %d bytes, %v", n, len(p.b), p.err)
		}
	}
}
