package pb

import (
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/basaltdb/basalt/internal/hbase/pb/pbtest"
)

// FuzzDecode feeds any bytes to every decoder: errors are fine, panics are not,
// and what google's decoder takes ours must take.
func FuzzDecode(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, m := range []proto.Message{
		&pbtest.RequestHeader{}, &pbtest.ConnectionHeader{}, &pbtest.GetRequest{}, &pbtest.MutateRequest{},
		&pbtest.MultiRequest{}, &pbtest.ScanRequest{}, &pbtest.CoprocessorServiceRequest{},
		&pbtest.MutateRowsRequest{}, &pbtest.AggregateRequest{},
	} {
		for range 5 {
			fill(r, m.ProtoReflect(), 0)
			f.Add(marshal(f, m))
		}
	}
	f.Add([]byte("\x0b\x0b\x0c\x0c"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var (
			rh  RequestHeader
			ch  ConnectionHeader
			gr  GetRequest
			mr  MutateRequest
			sr  ScanRequest
			cr  CoprocessorRequest
			ar  AggregateRequest
			mu  MultiRequest
			mrr MutateRowsRequest
			ra  RegionAction
			a   Action
			m   Mutation
			c   Condition
			v   Value
		)
		if err := rh.Decode(b); err != nil && proto.Unmarshal(b, new(pbtest.RequestHeader)) == nil {
			t.Errorf("refused a good RequestHeader: %v", err)
		}
		if err := sr.Decode(b); err != nil && proto.Unmarshal(b, new(pbtest.ScanRequest)) == nil {
			t.Errorf("refused a good ScanRequest: %v", err)
		}
		_, _, _, _ = ch.Decode(b), gr.Decode(b), cr.Decode(b), ar.Decode(b)
		walk := func(m *Mutation) {
			for it := m.Values(); it.Next(&v); {
				m.Attributes.Get("_ttl")
			}
		}
		if mr.Decode(b) == nil {
			walk(&mr.Mutation)
		}
		if mu.Decode(b) == nil {
			for ras := mu.RegionActions(); ras.Next(&ra); {
				for as := ra.Actions(); as.Next(&a); {
					if a.HasMutation {
						walk(&a.Mutation)
					}
				}
			}
		}
		if mrr.Decode(b) == nil {
			for it := mrr.Mutations(); it.Next(&m); {
				walk(&m)
			}
			for it := mrr.Conditions(); it.Next(&c); {
				_ = c
			}
		}
	})
}
