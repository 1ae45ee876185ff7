package wide

import (
	"bytes"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// holds checks a condition against the row of the write at hand, which is
// locked. A put under it is stamped no earlier than the cell it was checked
// against.
func (s *Store) holds(st *mutState, r *catalog.Region, c *Condition) (bool, error) {
	q := Query{TimeRange: c.TimeRange, StoreLimit: -1, MaxVersions: 1, Filter: c.Filter}
	if c.Filter == nil {
		q.Columns = []Column{{Family: c.Family, Qualifiers: [][]byte{c.Qualifier}}}
	}
	got, err := s.readLocked(st, r, &q)
	if err != nil {
		return false, err
	}
	ok, ts := c.matches(got)
	if ok && ts > st.write.stamp {
		st.write.stamp = ts
	}
	return ok, nil
}

// matches decides as HBase does; ts is that of the cell that was looked at.
func (c *Condition) matches(got []cell.Cell) (ok bool, ts int64) {
	if len(got) > 0 {
		ts = got[0].Timestamp
	}
	if c.Filter != nil {
		return len(got) > 0, ts
	}
	if len(c.Value) == 0 {
		empty := len(got) == 0 || len(got[0].Value) == 0
		return empty == (c.Op != NotEqual), ts
	}
	if len(got) != 1 {
		return false, ts
	}
	d := bytes.Compare(c.Value, got[0].Value)
	switch c.Op {
	case Less:
		return d < 0, ts
	case LessOrEqual:
		return d <= 0, ts
	case Equal:
		return d == 0, ts
	case NotEqual:
		return d != 0, ts
	case GreaterOrEqual:
		return d >= 0, ts
	case Greater:
		return d > 0, ts
	}
	return false, ts
}
