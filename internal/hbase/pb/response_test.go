package pb

// Responses that our encoders append, and those of google's, decode as what they
// are; other bytes give errors and no panics.

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
)

func TestDecodeResults(t *testing.T) {
	r := newRand(t)
	var m MutateResponse
	for range 300 {
		want, _ := randomResult(r)
		if err := m.Decode(AppendMutateResponse(nil, want, true)); err != nil || !m.HasResult || !m.Processed {
			t.Fatal(err, m)
		}
		same(t, m.Result, *want)
		var got Result
		if err := DecodeGetResponse(AppendGetResponse(nil, want), &got); err != nil {
			t.Fatal(err)
		}
		same(t, got, *want)
	}
}

func TestDecodeMultiResponse(t *testing.T) {
	r := newRand(t)
	for range 100 {
		want, _ := randomResult(r)
		b, at := BeginRegionActionResult(nil)
		b = AppendActionResult(b, 1, want)
		b = AppendActionException(b, 200, "a.B", "no")
		b = End(AppendRegionProcessed(b, true), at)
		b, at = BeginRegionActionResult(b)
		b = End(AppendRegionException(b, "c.D", "never"), at)
		it := NewRegionResults(b)
		var rr RegionResult
		var ar ActionResult
		if !it.Next(&rr) || !rr.HasProcessed || !rr.Processed || rr.HasException {
			t.Fatal(it.Err(), rr)
		}
		as := rr.Actions()
		if !as.Next(&ar) || ar.Index != 1 || !ar.HasResult {
			t.Fatal(as.Err(), ar)
		}
		same(t, ar.Result, *want)
		if !as.Next(&ar) || ar.Index != 200 || ar.HasResult || ar.Exception != (NamedText{"a.B", "no"}) {
			t.Fatal(as.Err(), ar)
		}
		if as.Next(&ar) || as.Err() != nil {
			t.Fatal(as.Err())
		}
		if !it.Next(&rr) || !rr.HasException || rr.Exception.Name != "c.D" || it.Next(&rr) || it.Err() != nil {
			t.Fatal(it.Err(), rr)
		}
	}
}

func TestDecodeScanResponse(t *testing.T) {
	want := ScanResponse{
		CellsPerResult: []uint32{1, 300}, PartialPerResult: []bool{false, true}, ScannerID: 1 << 63, HasScannerID: true,
		MoreResults: true, HasMoreResults: true, TTL: 60000, HasTTL: true, HasStale: true, MoreInRegion: true, Heartbeat: true,
		Metrics: []Metric{{"ROWS_SCANNED", 5}}, HasMetrics: true, ReadPoint: 77, HasReadPoint: true, Cursor: []byte("row"),
	}
	b := AppendScanResponse(nil, &want)
	b, m := BeginScanResult(b)
	b = EndScanResult(b, m, true)
	var got ScanResponse
	for range 2 {
		if err := got.Decode(b); err != nil {
			t.Fatal(err)
		}
		same(t, got, want)
	}
	it, r := NewScanResults(b), Result{}
	if !it.Next(&r) || !r.Partial || it.Next(&r) || it.Err() != nil {
		t.Fatal(it.Err(), r)
	}
	// {1: packed 1, 300}, {7: packed 0, 1}
	if err := got.Decode([]byte("\x0a\x03\x01\xac\x02\x3a\x02\x00\x01")); err != nil {
		t.Fatal(err)
	}
	same(t, got.CellsPerResult, want.CellsPerResult)
	same(t, got.PartialPerResult, want.PartialPerResult)
}

func TestDecodeResponseHeader(t *testing.T) {
	e := Exception{Class: "a.B", StackTrace: "a.B: x", Hostname: "h", Port: 5, DoNotRetry: true, ServerOverloaded: true}
	var h ResponseHeader
	if err := h.Decode(AppendResponseHeader(nil, 300, &e, 70000)); err != nil {
		t.Fatal(err)
	}
	same(t, h, ResponseHeader{CallID: 300, HasException: true, Exception: e, CellBlockLength: 70000})
}

func TestDecodeRegionInfo(t *testing.T) {
	want := RegionInfo{ID: 5, Namespace: []byte("n"), Qualifier: []byte("t"), StartKey: []byte("a"), EndKey: []byte("b"), Offline: true, Split: true, Replica: 2}
	var got RegionInfo
	if err := got.Decode(AppendRegionInfo(nil, &want)); err != nil {
		t.Fatal(err)
	}
	same(t, got, want)
}

func FuzzDecodeResponses(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, m := range []proto.Message{
		&pbtest.ResponseHeader{}, &pbtest.GetResponse{}, &pbtest.MutateResponse{}, &pbtest.MultiResponse{}, &pbtest.ScanResponse{},
	} {
		for range 5 {
			fill(r, m.ProtoReflect(), 0)
			f.Add(marshal(f, m))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var (
			h  ResponseHeader
			m  MutateResponse
			s  ScanResponse
			ri RegionInfo
			re Result
			rr RegionResult
			ar ActionResult
		)
		if err := h.Decode(b); err != nil && proto.Unmarshal(b, new(pbtest.ResponseHeader)) == nil {
			t.Errorf("refused a good ResponseHeader: %v", err)
		}
		if err := m.Decode(b); err != nil && proto.Unmarshal(b, new(pbtest.MutateResponse)) == nil {
			t.Errorf("refused a good MutateResponse: %v", err)
		}
		if err := s.Decode(b); err != nil && proto.Unmarshal(b, new(pbtest.ScanResponse)) == nil {
			t.Errorf("refused a good ScanResponse: %v", err)
		}
		_ = ri.Decode(b)
		for it := NewScanResults(b); it.Next(&re); {
		}
		for it := NewRegionResults(b); it.Next(&rr); {
			for as := rr.Actions(); as.Next(&ar); {
			}
		}
	})
}
