package client

import (
	"context"

	"github.com/basaltdb/basalt/client/filter"
	"github.com/basaltdb/basalt/client/internal/rpc"
	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// mutateCall is a mutation, perhaps with a condition, as one call.
type mutateCall struct {
	m          *mutation
	condition  *pb.Condition
	nonceGroup uint64
	name       string
}

func (c *mutateCall) rowKey() []byte { return c.m.m.Row }
func (c *mutateCall) op() string     { return c.name }
func (c *mutateCall) method() string { return "Mutate" }

// repeatable: puts and deletes have the same effect twice, increments and
// appends carry a nonce. A condition may have been true because of the first
// time.
func (c *mutateCall) repeatable() bool { return c.condition == nil }

func (c *mutateCall) appendTo(dst, region []byte) []byte {
	return pb.AppendMutateRequest(dst, region, &c.m.m, c.m.cells, c.condition, c.nonceGroup)
}

func (t *Table) mutate(ctx context.Context, name string, m *mutation, condition *pb.Condition) (*CheckResult, error) {
	if err := m.check(); err != nil {
		return nil, t.opError(name, m.m.Row, 0, err)
	}
	m.withNonce()
	response, err := t.call(ctx, &mutateCall{m, condition, t.c.nonceGroup, name})
	if err != nil {
		return nil, err
	}
	r, err := decodeMutate(response)
	if err != nil {
		return nil, t.opError(name, m.m.Row, 1, err)
	}
	return r, nil
}

func decodeMutate(response rpc.Response) (*CheckResult, error) {
	var m pb.MutateResponse
	if err := m.Decode(response.Message); err != nil {
		return nil, err
	}
	c := &CheckResult{Processed: m.Processed}
	if m.HasResult {
		cells := newCellReader(response.Cells)
		c.Result = new(Result)
		if err := cells.result(&m.Result, c.Result); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Put writes a row's cells, all or none.
func (t *Table) Put(ctx context.Context, p *Put) error {
	return t.blind(ctx, "put", &p.mutation)
}

// Delete deletes cells of a row, all or none.
func (t *Table) Delete(ctx context.Context, d *Delete) error {
	return t.blind(ctx, "delete", &d.mutation)
}

// blind is a put or delete, whose answer is that there is one.
func (t *Table) blind(ctx context.Context, name string, m *mutation) error {
	if err := m.check(); err != nil {
		return t.opError(name, m.m.Row, 0, err)
	}
	_, err := t.call(ctx, &mutateCall{m: m, name: name})
	return err
}

// Append appends to columns of a row. The result has the new values.
//
// Each Append made by NewAppend is carried out once, however often it has to be
// sent. Using one again is a new operation only after it was answered.
func (t *Table) Append(ctx context.Context, a *Append) (*Result, error) {
	return t.count(ctx, "append", &a.mutation)
}

// Increment adds to columns of a row. The result has the new values. As with
// Append, sending it more than once does not count twice.
func (t *Table) Increment(ctx context.Context, i *Increment) (*Result, error) {
	return t.count(ctx, "increment", &i.mutation)
}

func (t *Table) count(ctx context.Context, name string, m *mutation) (*Result, error) {
	c, err := t.mutate(ctx, name, m, nil)
	if err != nil {
		return nil, err
	}
	m.m.HasNonce = false
	if c.Result == nil {
		c.Result = new(Result)
	}
	return c.Result, nil
}

// CheckAndMutate changes a row if a condition holds.
type CheckAndMutate struct {
	row       []byte
	condition pb.Condition
	checked   bool
	action    Op
}

// CheckResult is the outcome of a CheckAndMutate, and of a RowMutations.
type CheckResult struct {
	// Processed: the condition held and the row was changed.
	Processed bool
	// Result has the new values of increments and appends; nil when there is
	// none.
	Result *Result
}

// NewCheckAndMutate makes a CheckAndMutate of a row. It needs a condition, one
// of the If methods, and what to do: Then.
func NewCheckAndMutate(row []byte) *CheckAndMutate {
	return &CheckAndMutate{row: row, condition: pb.Condition{Row: row}}
}

// IfEquals: the newest value of the column is value.
func (c *CheckAndMutate) IfEquals(family string, qualifier, value []byte) *CheckAndMutate {
	return c.IfMatches(family, qualifier, filter.Equal, value)
}

// IfNotExists: the column is not there, or its value is empty.
func (c *CheckAndMutate) IfNotExists(family string, qualifier []byte) *CheckAndMutate {
	return c.compare(family, qualifier, filter.Equal, filter.Null())
}

// IfMatches: value OP the newest value of the column. Mind the direction: Less
// holds when value is less than what is stored, the other way round than with
// filters. It is HBase's.
func (c *CheckAndMutate) IfMatches(family string, qualifier []byte, op filter.Op, value []byte) *CheckAndMutate {
	return c.compare(family, qualifier, op, filter.Binary(value))
}

func (c *CheckAndMutate) compare(family string, qualifier []byte, op filter.Op, with filter.Comparator) *CheckAndMutate {
	c.condition.Family, c.condition.Qualifier, c.condition.CompareType = []byte(family), qualifier, uint32(op)
	c.condition.Comparator = pb.Named{Name: []byte(with.Class), Data: with.Data}
	c.condition.HasFilter, c.checked = false, true
	return c
}

// IfFilter: a Get of the row with that filter finds a cell.
func (c *CheckAndMutate) IfFilter(f filter.Filter) *CheckAndMutate {
	c.condition.Filter, c.condition.HasFilter, c.checked = named(f), true, true
	return c
}

// SetTimeRange looks at versions from min up to max only.
func (c *CheckAndMutate) SetTimeRange(min, max int64) *CheckAndMutate {
	c.condition.TimeRange, c.condition.HasTimeRange = pb.TimeRange{Min: min, Max: max}, true
	return c
}

// Then is what to do: a Mutation or a *RowMutations, of the same row.
func (c *CheckAndMutate) Then(action Op) *CheckAndMutate {
	c.action = action
	return c
}

func (c *CheckAndMutate) rowKey() []byte { return c.row }

func (c *CheckAndMutate) check() error {
	switch {
	case !c.checked:
		return invalid("a CheckAndMutate without a condition")
	case c.action == nil:
		return invalid("a CheckAndMutate without an action")
	case string(c.action.rowKey()) != string(c.row):
		return invalid("a CheckAndMutate of row %.80q with an action on row %.80q", c.row, c.action.rowKey())
	}
	if !c.condition.HasFilter {
		if err := checkFamily(c.condition.Family); err != nil {
			return err
		}
	}
	switch c.action.(type) {
	case Mutation, *RowMutations:
		return c.action.check()
	}
	return invalid("a CheckAndMutate with a %T", c.action)
}

// CheckAndMutate changes a row if a condition holds, as one step.
//
// When a server went away after it was asked, the outcome is not known: the
// error is ErrUndetermined, and what to do is the caller's to decide.
func (t *Table) CheckAndMutate(ctx context.Context, c *CheckAndMutate) (*CheckResult, error) {
	const name = "check and mutate"
	if err := c.check(); err != nil {
		return nil, t.opError(name, c.row, 0, err)
	}
	if m, ok := c.action.(Mutation); ok {
		return t.mutate(ctx, name, m.base(), &c.condition)
	}
	return t.rowMutations(ctx, name, c)
}

// RowMutations are several changes of one row that are made as one.
type RowMutations struct {
	row       []byte
	mutations []Mutation
}

// NewRowMutations makes a RowMutations of a row, or of what is added to it.
func NewRowMutations(row []byte, mutations ...Mutation) *RowMutations {
	return &RowMutations{row: row, mutations: mutations}
}

// Add adds mutations of the row. HBase takes increments and appends among them
// from 2.4 on.
func (r *RowMutations) Add(mutations ...Mutation) *RowMutations {
	r.mutations = append(r.mutations, mutations...)
	return r
}

func (r *RowMutations) rowKey() []byte { return r.row }

func (r *RowMutations) check() error {
	if len(r.mutations) == 0 {
		return invalid("row mutations without a mutation")
	}
	for _, m := range r.mutations {
		if string(m.Row()) != string(r.row) {
			return invalid("row mutations of row %.80q with one of row %.80q", r.row, m.Row())
		}
		if err := m.check(); err != nil {
			return err
		}
	}
	return nil
}

// counts: doing them twice is not as doing them once.
func (r *RowMutations) counts() bool {
	for _, m := range r.mutations {
		if m.base().counts() {
			return true
		}
	}
	return false
}

// MutateRow makes several changes of one row as one. The result has the new
// values of increments and appends.
//
// Row mutations with an increment or append that were sent and not answered are
// not sent again: the error is ErrUndetermined.
func (t *Table) MutateRow(ctx context.Context, r *RowMutations) (*Result, error) {
	const name = "mutate row"
	if err := r.check(); err != nil {
		return nil, t.opError(name, r.row, 0, err)
	}
	c, err := t.rowMutations(ctx, name, r)
	if err != nil {
		return nil, err
	}
	if c.Result == nil {
		c.Result = new(Result)
	}
	return c.Result, nil
}

func (t *Table) rowMutations(ctx context.Context, name string, op Op) (*CheckResult, error) {
	results := make([]BatchResult, 1)
	if err := t.run(ctx, name, []Op{op}, results); err != nil {
		return nil, results[0].Err
	}
	return &CheckResult{results[0].Processed, results[0].Result}, nil
}
