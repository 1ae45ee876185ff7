package wide

import (
	"bytes"
	"encoding/binary"
	"sort"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// stageDeltas computes the new cells of an increment or append from the row as
// it is, and adds them to the write and to the outcome.
func (s *Store) stageDeltas(st *mutState, r *catalog.Region, m *Mutation, out *Outcome) error {
	deltas := append([]cell.Cell(nil), m.Cells...)
	sort.SliceStable(deltas, func(i, j int) bool {
		if d := bytes.Compare(deltas[i].Family, deltas[j].Family); d != 0 {
			return d < 0
		}
		return bytes.Compare(deltas[i].Qualifier, deltas[j].Qualifier) < 0
	})
	for len(deltas) > 0 {
		n := 1
		for n < len(deltas) && bytes.Equal(deltas[n].Family, deltas[0].Family) {
			n++
		}
		f := r.Table.Family(deltas[0].Family)
		if err := s.stageFamilyDeltas(st, r, m, f, deltas[:n], out); err != nil {
			return err
		}
		deltas = deltas[n:]
	}
	if !m.NoResult {
		sort.SliceStable(out.Result, func(i, j int) bool { return cell.CompareFull(&out.Result[i], &out.Result[j]) < 0 })
	}
	return nil
}

func (s *Store) stageFamilyDeltas(st *mutState, r *catalog.Region, m *Mutation, f *catalog.Family, deltas []cell.Cell, out *Outcome) error {
	columns := make([][]byte, 0, len(deltas))
	for i := range deltas {
		columns = append(columns, deltas[i].Qualifier)
	}
	now, err := s.readColumns(st, r, f, sortedColumns(columns), m.TimeRange, 1)
	if err != nil {
		return err
	}
	for i := range deltas {
		d := &deltas[i]
		for len(now) > 0 && bytes.Compare(now[0].Qualifier, d.Qualifier) < 0 {
			now = now[1:]
		}
		var old *cell.Cell
		if len(now) > 0 && bytes.Equal(now[0].Qualifier, d.Qualifier) {
			old = &now[0]
		}
		c, err := newCell(m, d, old, st.write.now)
		if err != nil {
			return err
		}
		if err := s.checkSize(r.Table, m.Row, &c); err != nil {
			return err
		}
		st.write.add(f, &c)
		if !m.NoResult {
			c.Row = m.Row
			c.Seq = 0
			out.Result = append(out.Result, c.Clone())
		}
	}
	if !m.NoResult && out.Result == nil {
		out.Result = []cell.Cell{}
	}
	return nil
}

// newCell is the cell that a delta makes of the old one (nil: none).
func newCell(m *Mutation, d, old *cell.Cell, now int64) (cell.Cell, error) {
	c := cell.Cell{Family: d.Family, Qualifier: d.Qualifier, Type: cell.Put, Tags: d.Tags, Timestamp: d.Timestamp, Value: d.Value}
	if m.Kind == KindIncrement && len(d.Value) != 8 {
		return c, &NotALongError{Width: len(d.Value)}
	}
	if old == nil {
		if c.Timestamp == cell.Latest {
			c.Timestamp = now
		}
		if m.CellTTL > 0 {
			c.Tags = cell.ReplaceTTL(nil, c.Tags, m.CellTTL)
		}
		return c, nil
	}
	c.Timestamp = max(now, old.Timestamp+1)
	c.Tags = append(append([]byte(nil), d.Tags...), old.Tags...)
	if m.CellTTL > 0 {
		c.Tags = cell.ReplaceTTL(nil, c.Tags, m.CellTTL)
	}
	if m.Kind == KindAppend {
		c.Value = append(append(make([]byte, 0, len(old.Value)+len(d.Value)), old.Value...), d.Value...)
		return c, nil
	}
	if len(old.Value) != 8 {
		return c, &NotALongError{Width: len(old.Value)}
	}
	sum := binary.BigEndian.Uint64(old.Value) + binary.BigEndian.Uint64(d.Value)
	c.Value = binary.BigEndian.AppendUint64(nil, sum)
	return c, nil
}
