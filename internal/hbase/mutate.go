package hbase

import (
	"context"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// mutate answers Mutate: one mutation of one row, perhaps under a condition.
func (s *Service) mutate(ctx context.Context, c *rpc.Call, r *rpc.Reply) error {
	w := takeWork()
	defer giveWork(w)
	req := &w.mutateRequest
	if err := req.Decode(c.Param); err != nil {
		return malformed(err)
	}
	region, err := s.region(req.Region.Value)
	if err != nil {
		return err
	}
	op := opMutate
	var condition *wide.Condition
	if req.HasCondition {
		op, condition = opCheck, &w.condition
		if err := s.bindCondition(condition, &req.Condition); err != nil {
			return s.exception(err, region, op)
		}
	}
	cells := wire.NewCells(codecOf(c.Client), c.Cells)
	w.arena, err = s.bindMutation(&w.mutation, &req.Mutation, req.NonceGroup, &cells, w.arena[:0])
	if err != nil {
		return s.exception(err, region, op)
	}
	for try := 0; ; try++ {
		out, err := s.write(ctx, region, &w.mutation, condition)
		r.Mark = max(r.Mark, out.Mark)
		switch {
		case err == nil:
			s.answerMutate(c, r, w, condition != nil, &out)
			return nil
		case !again(err, try):
			return s.exception(err, region, op)
		}
		if region, err = s.region(req.Region.Value); err != nil {
			return err
		}
	}
}

// write applies one mutation to a stored table.
func (s *Service) write(ctx context.Context, r *catalog.Region, m *wide.Mutation, condition *wide.Condition) (wide.Outcome, error) {
	if isVirtual(r) {
		return wide.Outcome{}, readOnlyTable(r)
	}
	return s.store.Mutate(ctx, r, m, condition)
}

// answerMutate writes a MutateResponse. An increment or append without a
// condition answers with a result, if only an empty one, and does not say
// processed.
func (s *Service) answerMutate(c *rpc.Call, r *rpc.Reply, w *work, guarded bool, out *wide.Outcome) {
	var result *pb.Result
	delta := isDelta(&w.mutation)
	if delta && out.Applied {
		result = new(pb.Result)
		if resultForm(c.Client) == inBlock {
			result.CellCount, result.HasCellCount = int32(len(out.Result)), true
			r.Cells = appendCells(r.Cells, codecOf(c.Client), out.Result)
		} else {
			result.Cells = out.Result
		}
	}
	switch {
	case guarded:
		r.Message = pb.AppendMutateResponse(r.Message, result, out.Applied)
	case delta:
		r.Message = pb.AppendMutateResult(r.Message, result)
	default:
		r.Message = pb.AppendMutateResponse(r.Message, nil, true)
	}
}

func appendCells(dst []byte, codec wire.Codec, cells []cell.Cell) []byte {
	for i := range cells {
		dst = wire.AppendCell(dst, codec, &cells[i])
	}
	return dst
}
