package hbase

import (
	"context"
	"errors"
	"slices"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/hbase/wire"
	"github.com/basaltdb/basalt/internal/wide"
)

// multiCall is one Multi under way.
type multiCall struct {
	s     *Service
	ctx   context.Context
	call  *rpc.Call
	reply *rpc.Reply
	w     *work

	// cells are those of the request that no action has taken yet. Each action
	// takes or skips its own, whatever becomes of it: what an action left over
	// would be written by the next.
	cells wire.Cells
	// region is that of the region action at hand.
	specifier []byte
	region    *catalog.Region
	// processed is MultiResponse.processed.
	processed, hasProcessed bool
	// cut is what remaining actions get once the answer is large enough.
	cut *rpc.Error
}

// multi answers Multi: actions on many rows, grouped by region. Each region
// action has one result, and in it one result or exception for each action, in
// the order of the request; gets leave their cells in the cell block in that
// order too.
func (s *Service) multi(ctx context.Context, c *rpc.Call, r *rpc.Reply) error {
	w := takeWork()
	defer giveWork(w)
	req := &w.multiRequest
	if err := req.Decode(c.Param); err != nil {
		return malformed(err)
	}
	if err := s.checkMulti(w); err != nil {
		return err
	}
	m := &multiCall{s: s, ctx: ctx, call: c, reply: r, w: w, cells: wire.NewCells(codecOf(c.Client), c.Cells)}
	w.inline = w.inline[:0]
	actions := req.RegionActions()
	for actions.Next(&w.regionAction) {
		if err := m.regionAction(); err != nil {
			return err
		}
		if req.HasCondition {
			// Clients that send one condition for all send one region action.
			break
		}
	}
	if err := actions.Err(); err != nil {
		return malformed(err)
	}
	if req.HasCondition && !m.hasProcessed && w.regionAction.Count == 0 {
		m.processed, m.hasProcessed = true, true
	}
	if m.hasProcessed {
		r.Message = pb.AppendMultiProcessed(r.Message, m.processed)
	}
	return nil
}

// checkMulti counts the actions before any is carried out.
func (s *Service) checkMulti(w *work) error {
	n := 0
	var first []byte
	w.regionAction = pb.RegionAction{}
	actions := w.multiRequest.RegionActions()
	for actions.Next(&w.regionAction) {
		if n == 0 {
			first = w.regionAction.Region.Value
		}
		n += w.regionAction.Count
	}
	if err := actions.Err(); err != nil {
		return malformed(err)
	}
	if n > s.limits.MaxMultiActions {
		return refuse("Rejecting large batch operation for current batch with firstRegionName: %s , Requested Number of Rows: %d , Size Threshold: %d",
			catalog.DisplayBytes(first), n, s.limits.MaxMultiActions)
	}
	return nil
}

// regionAction carries out w.regionAction and appends its result. An error of
// it is one of the whole call: the request cannot be read.
func (m *multiCall) regionAction() error {
	w := m.w
	ra := &w.regionAction
	m.specifier = ra.Region.Value
	m.region = nil
	var open pb.Mark
	m.reply.Message, open = pb.BeginRegionActionResult(m.reply.Message)
	w.answers = w.answers[:0]
	region, err := m.s.region(m.specifier)
	switch {
	case err != nil:
		err = m.failRegion(err)
	case ra.HasCondition || w.multiRequest.HasCondition:
		m.enter(region)
		err = m.conditional()
	case ra.Atomic:
		m.enter(region)
		err = m.atomic()
	default:
		m.enter(region)
		if err = m.plain(); err == nil {
			m.appendAnswers()
		}
	}
	m.reply.Message = pb.End(m.reply.Message, open)
	return err
}

func (m *multiCall) enter(r *catalog.Region) {
	m.region = r
}

// relookup finds the region again after its table was replaced.
func (m *multiCall) relookup() error {
	r, err := m.s.region(m.specifier)
	if err == nil {
		m.enter(r)
	}
	return err
}

// failRegion answers a region action with one exception and skips its cells.
func (m *multiCall) failRegion(err error) error {
	if skipped := m.skipActions(0); skipped != nil {
		return skipped
	}
	m.appendException(err, opMutate)
	return nil
}

func (m *multiCall) appendException(err error, op operation) {
	e := m.s.exception(err, m.region, op)
	m.reply.Message = pb.AppendRegionException(m.reply.Message, e.Class, exceptionText(e))
}

// skipActions skips the cells of the actions from the n-th on.
func (m *multiCall) skipActions(n int) error {
	actions := m.w.regionAction.Actions()
	for i := 0; actions.Next(&m.w.action); i++ {
		if i >= n && m.w.action.HasMutation {
			skipCells(&m.w.action.Mutation, &m.cells)
		}
	}
	if err := actions.Err(); err != nil {
		return malformed(err)
	}
	return nil
}

// exceptionText is what goes beside the class of an exception inside a Multi:
// in the form of a stack trace, as for a whole call.
func exceptionText(e *rpc.Error) string {
	return e.Class + ": " + e.Message + "\n\tat basalt.Multi\n"
}

// mutation returns the i-th mutation of w, made if it is not there yet.
func (w *work) mutationAt(i int) *wide.Mutation {
	if i == len(w.mutations) {
		w.mutations = append(w.mutations, new(wide.Mutation))
	}
	return w.mutations[i]
}

// atomic carries out a region action whose mutations, all of one row, happen
// together.
func (m *multiCall) atomic() error {
	ms, err := m.bindRow()
	if errors.Is(err, errUnreadable) {
		return err
	}
	var out wide.Outcome
	if err == nil {
		out, err = m.mutateRow(ms, nil)
	}
	if err != nil {
		m.appendException(err, opMutate)
		return nil
	}
	m.appendRowAnswers(ms, &out, true)
	m.reply.Message = pb.AppendRegionProcessed(m.reply.Message, true)
	m.processed, m.hasProcessed = true, true
	return nil
}

// conditional carries out a region action under a condition: its own, or, for
// clients before 2.4, the request's. Those look for the outcome in the whole
// answer only.
func (m *multiCall) conditional() error {
	w := m.w
	old := w.multiRequest.HasCondition
	condition := &w.regionAction.Condition
	if old {
		condition = &w.multiRequest.Condition
	}
	ms, err := m.bindRow()
	if errors.Is(err, errUnreadable) {
		return err
	}
	out := wide.Outcome{Applied: true}
	if err == nil && len(ms) > 0 {
		if err = m.s.bindCondition(&w.condition, condition); err == nil {
			out, err = m.mutateRow(ms, &w.condition)
		}
	}
	if err != nil {
		m.appendException(err, opCheck)
		return nil
	}
	m.appendRowAnswers(ms, &out, false)
	if old {
		m.processed, m.hasProcessed = out.Applied, true
	} else {
		m.reply.Message = pb.AppendRegionProcessed(m.reply.Message, out.Applied)
	}
	return nil
}

// errUnreadable marks errors that end the call: what follows in the request
// cannot be found.
var errUnreadable = errors.New("hbase: unreadable request")

// bindRow binds all mutations of the region action. After an error the cells of
// all of them are taken or skipped.
func (m *multiCall) bindRow() ([]*wide.Mutation, error) {
	w := m.w
	w.arena = w.arena[:0]
	n := 0
	var failed error
	actions := w.regionAction.Actions()
	for actions.Next(&w.action) {
		a := &w.action
		switch {
		case !a.HasMutation:
			if failed == nil {
				failed = refuse("Atomic put and/or delete only, not a get or a coprocessor call")
			}
		case failed != nil:
			skipCells(&a.Mutation, &m.cells)
		default:
			w.arena, failed = m.s.bindMutation(w.mutationAt(n), &a.Mutation, w.multiRequest.NonceGroup, &m.cells, w.arena)
			n++
		}
	}
	if err := actions.Err(); err != nil {
		e := malformed(err)
		e.Cause = errUnreadable
		return nil, e
	}
	return w.mutations[:n], failed
}

// mutateRow applies mutations of one row together. The nonce is that of the
// last increment or append.
func (m *multiCall) mutateRow(ms []*wide.Mutation, condition *wide.Condition) (out wide.Outcome, err error) {
	if len(ms) == 0 {
		return out, nil
	}
	var group, nonce uint64
	for _, mutation := range ms {
		if isDelta(mutation) {
			group, nonce = mutation.NonceGroup, mutation.Nonce
		}
	}
	for try := 0; ; try++ {
		if isVirtual(m.region) {
			return out, readOnlyTable(m.region)
		}
		out, err = m.s.store.MutateRow(m.ctx, m.region, ms[0].Row, ms, condition, group, nonce)
		m.reply.Mark = max(m.reply.Mark, out.Mark)
		if !again(err, try) {
			return out, err
		}
		if err = m.relookup(); err != nil {
			return out, err
		}
	}
}

// appendRowAnswers answers the mutations of one row, by position. The first has
// the cells of increments and appends, inline. All have a result if results is
// set, otherwise only the first, and only if there is one.
func (m *multiCall) appendRowAnswers(ms []*wide.Mutation, out *wide.Outcome, results bool) {
	hasResult := out.Applied && slices.ContainsFunc(ms, isDelta)
	for i := range ms {
		dst, roe := pb.BeginResultOrException(m.reply.Message, uint32(i))
		if results || i == 0 && hasResult {
			var result pb.Mark
			dst, result = pb.BeginActionResult(dst)
			if i == 0 {
				for j := range out.Result {
					dst = pb.AppendResultCell(dst, &out.Result[j])
				}
			}
			dst = pb.End(dst, result)
		}
		m.reply.Message = pb.End(dst, roe)
	}
}

// isDelta tells increments and appends, which have results, from puts and
// deletes.
func isDelta(m *wide.Mutation) bool {
	return m.Kind == wide.KindIncrement || m.Kind == wide.KindAppend
}

// largeMulti tells whether a Multi may take long: by its size.
func (s *Service) largeMulti(c *rpc.Call) bool {
	return len(c.Param)+len(c.Cells) > s.limits.InlineBytes
}
