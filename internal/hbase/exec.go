package hbase

import (
	"context"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/kv"
)

// serviceAnswer is a coprocessor's answer: a message and its Java class, which
// no client reads.
type serviceAnswer struct {
	class string
	value []byte
}

// execService answers ExecService: a call of a coprocessor on one region.
func (s *Service) execService(ctx context.Context, c *rpc.Call, r *rpc.Reply) error {
	var req pb.CoprocessorRequest
	if err := req.Decode(c.Param); err != nil {
		return malformed(err)
	}
	region, err := s.region(req.Region.Value)
	if err != nil {
		return err
	}
	got, mark, err := s.callService(ctx, region, &req.Call)
	r.Mark = max(r.Mark, mark)
	if err != nil {
		return s.exception(err, region, opMutate)
	}
	r.Message = pb.AppendCoprocessorResponse(r.Message, region.Name, got.class, got.value)
	return nil
}

// callService calls one of the two coprocessors that are built in: the only
// ones that HBase ships for everyone.
func (s *Service) callService(ctx context.Context, r *catalog.Region, call *pb.CoprocessorCall) (*serviceAnswer, kv.Mark, error) {
	switch {
	case isVirtual(r):
	case string(call.Service) == "MultiRowMutationService" && string(call.Method) == "MutateRows":
		return s.mutateRows(ctx, r, call.Request)
	case string(call.Service) == "AggregateService":
		return s.aggregate(ctx, r, string(call.Method), call.Request)
	}
	return nil, 0, rpc.Errorf(classUnknownProtocol, "No registered coprocessor service found for %s in region %s",
		call.Service, catalog.DisplayBytes(r.Name))
}

// execServerService answers ExecRegionServerService. There are no coprocessors
// of the whole server.
func (s *Service) execServerService(_ context.Context, c *rpc.Call, _ *rpc.Reply) error {
	var req pb.CoprocessorRequest
	if err := req.Decode(c.Param); err != nil {
		return malformed(err)
	}
	return rpc.Errorf(classUnknownProtocol, "No registered coprocessor executorService found for %s", req.Call.Service)
}

// unsupported refuses a method that stock clients may call.
func unsupported(what string) rpc.Handler {
	return func(context.Context, *rpc.Call, *rpc.Reply) error {
		return refuse("java.lang.UnsupportedOperationException: %s is not supported", what)
	}
}
