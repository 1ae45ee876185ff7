package pb

import (
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
)

func getRequest() *pbtest.GetRequest {
	return &pbtest.GetRequest{
		Region: &pbtest.RegionSpecifier{Type: pbtest.RegionSpecifier_REGION_NAME.Enum(), Value: []byte("t1,,1700000000000.43ae7364b4a555b93267937f9bc49ec1.")},
		Get: &pbtest.Get{
			Row: []byte("user6284781860667377211"), MaxVersions: proto.Uint32(1), CacheBlocks: proto.Bool(true),
			Column:    []*pbtest.Column{{Family: []byte("f"), Qualifier: [][]byte{[]byte("field0"), []byte("field1")}}},
			TimeRange: &pbtest.TimeRange{From: proto.Uint64(0), To: proto.Uint64(1<<63 - 1)},
		},
	}
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	b := marshal(t, getRequest())
	var r GetRequest
	if n := testing.AllocsPerRun(100, func() {
		if err := r.Decode(b); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations for a GetRequest", n)
	}
}

func BenchmarkDecodeGetRequest(b *testing.B) {
	in := marshal(b, getRequest())
	b.ReportAllocs()
	var r GetRequest
	for b.Loop() {
		if err := r.Decode(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeGetRequestGoogle(b *testing.B) {
	in := marshal(b, getRequest())
	b.ReportAllocs()
	for b.Loop() {
		if err := proto.Unmarshal(in, new(pbtest.GetRequest)); err != nil {
			b.Fatal(err)
		}
	}
}
