package hbase

import (
	"context"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// mutateRows is MultiRowMutationService.MutateRows: puts and deletes on several
// rows of one region, done together if all conditions hold.
func (s *Service) mutateRows(ctx context.Context, r *catalog.Region, request []byte) (*serviceAnswer, kv.Mark, error) {
	var req pb.MutateRowsRequest
	if err := req.Decode(request); err != nil {
		return nil, 0, malformed(err)
	}
	ms, err := s.bindMutations(&req)
	if err != nil {
		return nil, 0, err
	}
	conditions, err := s.bindConditions(&req)
	if err != nil {
		return nil, 0, err
	}
	var mark kv.Mark
	for try := 0; ; try++ {
		out, err := s.store.MutateRows(ctx, r, ms, conditions)
		mark = max(mark, out.Mark)
		if again(err, try) {
			if r, err = s.region(r.Name); err == nil {
				continue
			}
		}
		if err != nil {
			return nil, mark, err
		}
		return &serviceAnswer{
			class: "org.apache.hadoop.hbase.protobuf.generated.MultiRowMutationProtos$MutateRowsResponse",
			value: pb.AppendMutateRowsResponse(nil, out.Applied),
		}, mark, nil
	}
}

func (s *Service) bindMutations(req *pb.MutateRowsRequest) ([]*wide.Mutation, error) {
	var (
		ms    []*wide.Mutation
		arena []cell.Cell
		p     pb.Mutation
		none  wire.Cells
	)
	mutations := req.Mutations()
	for mutations.Next(&p) {
		if p.CellCount > 0 {
			return nil, refuse("the mutations of MutateRows have their cells inline")
		}
		m := new(wide.Mutation)
		var err error
		if arena, err = s.bindMutation(m, &p, req.NonceGroup, &none, arena); err != nil {
			return nil, err
		}
		ms = append(ms, m)
		if len(ms) > s.limits.MaxMultiActions {
			return nil, refuse("more than %d mutations in one call", s.limits.MaxMultiActions)
		}
	}
	if err := mutations.Err(); err != nil {
		return nil, malformed(err)
	}
	return ms, nil
}

func (s *Service) bindConditions(req *pb.MutateRowsRequest) ([]*wide.Condition, error) {
	var (
		conditions []*wide.Condition
		p          pb.Condition
	)
	walk := req.Conditions()
	for walk.Next(&p) {
		c := new(wide.Condition)
		if err := s.bindCondition(c, &p); err != nil {
			return nil, err
		}
		conditions = append(conditions, c)
		if len(conditions) > s.limits.MaxMultiActions {
			return nil, refuse("more than %d conditions in one call", s.limits.MaxMultiActions)
		}
	}
	if err := walk.Err(); err != nil {
		return nil, malformed(err)
	}
	return conditions, nil
}
