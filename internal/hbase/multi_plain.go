package hbase

import (
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide"
)

// answer is what one action of a plain region action gets.
type answer struct {
	index    uint32
	form     answerForm
	cells    int32 // inBlock: how many
	from, to int   // inline: where in work.inline
	err      *rpc.Error
	service  *serviceAnswer
}

type answerForm uint8

const (
	// answerEmpty: a result without cells, as puts and deletes get.
	answerEmpty answerForm = iota
	answerCounted
	answerExists
	answerInline
	answerService
	answerFailed
)

// plain carries out actions that have nothing to do with each other. Gets,
// increments and appends happen in order; puts and deletes are collected and
// applied together, before the next increment or append but after the gets that
// stand between: as HBase does.
func (m *multiCall) plain() error {
	w := m.w
	w.arena, w.places = w.arena[:0], w.places[:0]
	actions := w.regionAction.Actions()
	for i := 0; actions.Next(&w.action); i++ {
		a := &w.action
		index := uint32(i)
		if a.HasIndex {
			index = a.Index
		}
		w.answers = append(w.answers, answer{index: index})
		switch {
		case m.full():
			if a.HasMutation {
				skipCells(&a.Mutation, &m.cells)
			}
			m.fail(i, m.cut)
		case a.HasGet:
			m.getAction(i, &a.Get)
		case a.HasMutation:
			m.mutationAction(i, &a.Mutation)
		case a.HasCall:
			m.serviceAction(i, &a.Call)
		default:
			m.fail(i, refuse("Unexpected Action type"))
		}
	}
	if err := actions.Err(); err != nil {
		return malformed(err)
	}
	m.applyCollected()
	return nil
}

func (m *multiCall) fail(i int, err error) {
	m.failAs(i, err, opMutate)
}

func (m *multiCall) failAs(i int, err error, op operation) {
	a := &m.w.answers[i]
	a.form, a.err = answerFailed, m.s.exception(err, m.region, op)
}

// full tells whether the answer is so large that the remaining actions are left
// to another call. Clients before 1.2 do not expect that; only a much
// larger answer is cut for them.
func (m *multiCall) full() bool {
	if m.cut != nil {
		return true
	}
	size := int64(len(m.reply.Cells) + len(m.reply.Message) + len(m.w.inline))
	switch {
	case size <= m.s.limits.MaxResultBytes:
	case m.call.Client.AtLeast(1, 2):
		m.cut = rpc.Retryf(classMultiTooLarge, "Max size exceeded CellSize: %d", size)
	case size > m.s.limits.MaxReplyBytes:
		m.cut = rpc.Retryf(classRegionTooBusy, "the answer to the batch is larger than %d bytes", m.s.limits.MaxReplyBytes)
	}
	return m.cut != nil
}

func (m *multiCall) getAction(i int, g *pb.Get) {
	w := m.w
	if g.ClosestRowBefore {
		m.fail(i, errClosestRow)
		return
	}
	if err := m.s.bindGet(&w.get, g); err != nil {
		m.failAs(i, err, opGet)
		return
	}
	form := resultForm(m.call.Client)
	if g.ExistenceOnly {
		form = counted
	}
	from := m.resultsAt(form)
	for try := 0; ; try++ {
		m.startResult(form, from)
		mark, err := m.s.read(m.ctx, m.region, &w.get, &w.sink)
		m.reply.Mark = max(m.reply.Mark, mark)
		if again(err, try) {
			err = m.relookup()
			if err == nil {
				continue
			}
		}
		if err != nil {
			m.failAs(i, err, opGet)
			return
		}
		m.keepResult(i, form, from)
		return
	}
}

// resultsAt is where in its buffer a result of that form starts.
func (m *multiCall) resultsAt(form sinkForm) int {
	if form == inline {
		return len(m.w.inline)
	}
	return len(m.reply.Cells)
}

func (m *multiCall) startResult(form sinkForm, from int) {
	buf := m.reply.Cells
	if form == inline {
		buf = m.w.inline
	}
	m.w.sink.forResult(form, codecOf(m.call.Client), buf[:from])
}

// keepResult makes what the sink took the answer of action i.
func (m *multiCall) keepResult(i int, form sinkForm, from int) {
	k, a := &m.w.sink, &m.w.answers[i]
	a.cells = int32(k.total)
	switch form {
	case counted:
		a.form = answerExists
	case inline:
		m.w.inline = k.buf
		a.form, a.from, a.to = answerInline, from, len(k.buf)
	default:
		m.reply.Cells = k.buf
		a.form = answerCounted
	}
}

// mutationAction binds a mutation; puts and deletes then wait for the others.
func (m *multiCall) mutationAction(i int, p *pb.Mutation) {
	w := m.w
	delta := p.Type == pb.MutateIncrement || p.Type == pb.MutateAppend
	if delta {
		m.applyCollected()
	}
	n := len(w.places)
	mutation := w.mutationAt(n)
	var err error
	w.arena, err = m.s.bindMutation(mutation, p, w.multiRequest.NonceGroup, &m.cells, w.arena)
	switch {
	case err != nil:
		m.fail(i, err)
	case isVirtual(m.region):
		m.fail(i, readOnlyTable(m.region))
	case delta:
		m.deltaAction(i, mutation)
	default:
		w.places = append(w.places, i)
	}
}

// deltaAction carries out an increment or append.
func (m *multiCall) deltaAction(i int, mutation *wide.Mutation) {
	out, err := m.mutateOne(mutation)
	if err != nil {
		m.fail(i, err)
		return
	}
	form := resultForm(m.call.Client)
	from := m.resultsAt(form)
	m.startResult(form, from)
	for j := range out.Result {
		m.w.sink.Cell(&out.Result[j])
	}
	m.keepResult(i, form, from)
}

func (m *multiCall) mutateOne(mutation *wide.Mutation) (out wide.Outcome, err error) {
	for try := 0; ; try++ {
		out, err = m.s.store.Mutate(m.ctx, m.region, mutation, nil)
		m.reply.Mark = max(m.reply.Mark, out.Mark)
		if !again(err, try) {
			return out, err
		}
		if err = m.relookup(); err != nil {
			return out, err
		}
	}
}

// applyCollected applies the puts and deletes that wait. Each has its own
// outcome; together they have one timestamp and one wait for the log.
func (m *multiCall) applyCollected() {
	w := m.w
	n := len(w.places)
	if n == 0 {
		return
	}
	for len(w.errs) < n {
		w.errs = append(w.errs, nil)
	}
	errs := w.errs[:n]
	for try := 0; ; try++ {
		clear(errs)
		mark := m.mutateBatch(w.mutations[:n], errs)
		m.reply.Mark = max(m.reply.Mark, mark)
		// A table that was replaced fails them all, before any is applied.
		if !again(errs[0], try) {
			break
		}
		if err := m.relookup(); err != nil {
			for i := range errs {
				errs[i] = err
			}
			break
		}
	}
	for i, err := range errs {
		if err != nil {
			m.fail(w.places[i], err)
		}
	}
	clear(errs)
	w.places, w.arena = w.places[:0], w.arena[:0]
}

func (m *multiCall) mutateBatch(ms []*wide.Mutation, errs []error) kv.Mark {
	if len(ms) > 1 {
		return m.s.store.MutateBatch(m.ctx, m.region, ms, errs)
	}
	out, err := m.s.store.Mutate(m.ctx, m.region, ms[0], nil)
	errs[0] = err
	return out.Mark
}

// serviceAction carries out a coprocessor call.
func (m *multiCall) serviceAction(i int, call *pb.CoprocessorCall) {
	got, mark, err := m.s.callService(m.ctx, m.region, call)
	m.reply.Mark = max(m.reply.Mark, mark)
	if err != nil {
		m.fail(i, err)
		return
	}
	w := m.w
	w.answers[i].form, w.answers[i].service = answerService, got
}

// appendAnswers writes the answers of a plain region action, in the order of
// the request: some clients demand that the indexes ascend.
func (m *multiCall) appendAnswers() {
	w := m.w
	dst := m.reply.Message
	for i := range w.answers {
		a := &w.answers[i]
		switch a.form {
		case answerEmpty:
			dst = pb.AppendActionResult(dst, a.index, &pb.Result{})
		case answerCounted:
			dst = pb.AppendActionResult(dst, a.index, &pb.Result{CellCount: a.cells, HasCellCount: true})
		case answerExists:
			dst = pb.AppendActionResult(dst, a.index, &pb.Result{Exists: a.cells > 0, HasExists: true})
		case answerInline:
			var roe, result pb.Mark
			dst, roe = pb.BeginResultOrException(dst, a.index)
			dst, result = pb.BeginActionResult(dst)
			dst = append(dst, w.inline[a.from:a.to]...)
			dst = pb.End(pb.End(dst, result), roe)
		case answerService:
			dst = pb.AppendActionServiceResult(dst, a.index, a.service.class, a.service.value)
		case answerFailed:
			dst = pb.AppendActionException(dst, a.index, a.err.Class, exceptionText(a.err))
		}
		a.err, a.service = nil, nil
	}
	m.reply.Message = dst
	w.inline = w.inline[:0]
}
