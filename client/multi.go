package client

import (
	"fmt"

	"github.com/basaltdb/basalt/client/internal/rpc"
	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/wire"
)

// multi is one Multi request: actions for regions of one server.
type multi struct {
	server  *server
	message []byte
	cells   []byte
	parts   []part
	actions []int // places in the batch, part after part
}

// part is one RegionAction. A single one is atomic, or has a condition: its
// results are one, whatever the number of its actions.
type part struct {
	g        *region
	from, to int // in multi.actions
	single   bool
}

// addPlain adds a region action of gets and mutations that go each by itself.
func (m *multi) addPlain(g *region, ops []Op, places []int) {
	from := len(m.actions)
	var at pb.Mark
	m.message, at = pb.BeginRegionAction(m.message, g.Name)
	for i, place := range places {
		switch o := ops[place].(type) {
		case *Get:
			m.message = pb.AppendActionGet(m.message, uint32(i), &o.g)
		case Mutation:
			m.addMutation(uint32(i), o.base())
		}
	}
	m.message = pb.End(m.message, at)
	m.actions = append(m.actions, places...)
	m.parts = append(m.parts, part{g: g, from: from, to: len(m.actions)})
}

// addSingle adds a region action of one RowMutations or CheckAndMutate.
func (m *multi) addSingle(g *region, o Op, place int) {
	var at pb.Mark
	m.message, at = pb.BeginRegionAction(m.message, g.Name)
	action := o
	if c, ok := o.(*CheckAndMutate); ok {
		action = c.action
		m.message = pb.AppendRegionCondition(m.message, &c.condition)
	}
	switch a := action.(type) {
	case *RowMutations:
		m.message = pb.AppendRegionAtomic(m.message)
		for i, mutation := range a.mutations {
			m.addMutation(uint32(i), mutation.base())
		}
	case Mutation:
		m.addMutation(0, a.base())
	}
	m.message = pb.End(m.message, at)
	m.actions = append(m.actions, place)
	m.parts = append(m.parts, part{g: g, from: len(m.actions) - 1, to: len(m.actions), single: true})
}

// addMutation adds an action whose cells go into the cell block.
func (m *multi) addMutation(index uint32, o *mutation) {
	o.withNonce()
	head := o.m
	head.CellCount, head.HasCellCount = int32(len(o.cells)), true
	m.message = pb.AppendActionMutation(m.message, index, &head, nil)
	for i := range o.cells {
		m.cells = wire.AppendKeyValue(m.cells, &o.cells[i], false)
	}
}

// size is about what has gathered.
func (m *multi) size() int { return len(m.message) + len(m.cells) }

// What is known of an action while a response is read.
const (
	unanswered = iota
	done
	refused
)

// decode spreads a response over the results of the batch. Actions that failed
// are given to failed, with the region that was asked.
func (m *multi) decode(response rpc.Response, ops []Op, results []BatchResult, failed func(place int, g *region, err error)) {
	d := multiDecoder{m: m, ops: ops, results: results, cells: newCellReader(response.Cells), failed: failed}
	d.cells.more = len(m.actions) > 1
	parts := pb.NewRegionResults(response.Message)
	var r pb.RegionResult
	for i := range m.parts {
		p := &m.parts[i]
		if d.broken == nil && !parts.Next(&r) {
			if d.broken = parts.Err(); d.broken == nil {
				d.broken = fmt.Errorf("%w: %d region results for %d region actions", errMalformed, i, len(m.parts))
			}
		}
		if d.broken == nil && r.HasException {
			err := m.exception(&r.Exception)
			for _, place := range m.actions[p.from:p.to] {
				failed(place, p.g, err)
			}
			continue
		}
		d.part(p, &r)
	}
}

func (m *multi) exception(e *pb.NamedText) error {
	return remoteError(&pb.Exception{Class: e.Name, StackTrace: e.Text}, m.server.addr)
}

// multiDecoder reads the answers to the actions of a multi.
type multiDecoder struct {
	m       *multi
	ops     []Op
	results []BatchResult
	cells   cellReader
	failed  func(place int, g *region, err error)

	action pb.ActionResult
	states []uint8  // of the current part's actions
	slab   []Result // for results to come
	broken error    // what follows cannot be read
}

// part reads the answers to one region action.
func (d *multiDecoder) part(p *part, r *pb.RegionResult) {
	d.states = append(d.states[:0], make([]uint8, p.to-p.from)...)
	for as := r.Actions(); d.broken == nil; {
		if !as.Next(&d.action) {
			d.broken = as.Err()
			break
		}
		index := int(d.action.Index)
		if p.single {
			index = 0
		}
		if index >= len(d.states) {
			d.broken = fmt.Errorf("%w: result %d of %d actions", errMalformed, index, len(d.states))
			break
		}
		d.answer(p, index)
	}
	for k, place := range d.m.actions[p.from:p.to] {
		if d.states[k] == refused {
			continue
		}
		_, get := d.ops[place].(*Get)
		switch {
		case d.states[k] == unanswered && d.broken != nil:
			d.failed(place, p.g, d.broken)
		case d.states[k] == unanswered && get:
			d.failed(place, p.g, fmt.Errorf("%w: no result of a get", errMalformed))
		case p.single:
			d.results[place].Processed = r.Processed
		default:
			// Servers may leave out what was done and returns nothing.
			d.results[place].Processed = true
		}
	}
}

// answer takes in d.action, the answer to an action of a part.
func (d *multiDecoder) answer(p *part, index int) {
	place := d.m.actions[p.from+index]
	if d.action.HasException {
		// Each mutation of a row may carry the exception of all.
		if d.states[index] != refused {
			d.states[index] = refused
			d.failed(place, p.g, d.m.exception(&d.action.Exception))
		}
		return
	}
	if len(d.slab) == cap(d.slab) {
		d.slab = make([]Result, 0, min(len(d.m.actions), max(d.cells.block.Rest()/minCellBytes, 4)))
	}
	d.slab = append(d.slab, Result{})
	r := &d.slab[len(d.slab)-1]
	if d.broken = d.cells.result(&d.action.Result, r); d.broken != nil {
		return
	}
	if d.states[index] == unanswered {
		d.states[index] = done
	}
	if _, get := d.ops[place].(*Get); get || !r.Empty() {
		d.results[place].Result = r
	}
}
