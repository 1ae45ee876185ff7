package wide

import (
	"bytes"
	"sort"

	"github.com/basaltdb/basalt/internal/catalog"
)

// plan is a query bound to a table: the families it reads, in order of name,
// with a matcher and a source each.
type plan struct {
	query    *Query
	matchers []*matcher
	spare    []*matcher // of earlier queries
	sources  []source
	// ids of the families, for the row reader; nil when all are read.
	ids  []uint32
	lone bool
}

// match adds a matcher for a family.
func (p *plan) match(q *Query, f *catalog.Family, columns [][]byte, now int64) {
	var m *matcher
	if n := len(p.spare); n > 0 {
		m, p.spare = p.spare[n-1], p.spare[:n-1]
	} else {
		m = new(matcher)
	}
	m.init(q, f, columns, now)
	p.matchers = append(p.matchers, m)
}

// bind checks the families of a query and prepares to read them.
func bind(p *plan, q *Query, t *catalog.Table, now int64) error {
	p.query = q
	p.spare = append(p.spare, p.matchers...)
	p.matchers = p.matchers[:0]
	p.ids = p.ids[:0]
	// A table that only ever had one family has one packed key a row.
	p.lone = len(t.Families) == 1 && t.NextFamilyID <= t.Families[0].ID+1 && t.Families[0].ID <= 1
	if len(q.Columns) == 0 {
		for _, f := range t.Families {
			p.match(q, f, nil, now)
		}
	} else if err := p.bindColumns(q, t, now); err != nil {
		return err
	}
	for _, m := range p.matchers {
		p.ids = append(p.ids, m.family.ID)
	}
	if cap(p.sources) < len(p.matchers) {
		p.sources = make([]source, len(p.matchers))
	}
	p.sources = p.sources[:len(p.matchers)]
	for i, m := range p.matchers {
		p.sources[i].cur.Family = m.family.Name
	}
	return nil
}

func (p *plan) bindColumns(q *Query, t *catalog.Table, now int64) error {
	for i := range q.Columns {
		c := &q.Columns[i]
		f := t.Family(c.Family)
		if f == nil {
			return &NoFamilyError{Family: c.Family, Table: t.Name.String()}
		}
		columns := sortedColumns(c.Qualifiers)
		merged := false
		for _, m := range p.matchers {
			if m.family == f {
				// The family was named twice: both selections together.
				if m.columns == nil || columns == nil {
					m.columns = nil
				} else {
					m.columns = sortedColumns(append(append([][]byte(nil), m.columns...), columns...))
				}
				merged = true
			}
		}
		if !merged {
			p.match(q, f, columns, now)
		}
	}
	if len(p.matchers) > 1 {
		sort.Slice(p.matchers, func(i, j int) bool {
			return bytes.Compare(p.matchers[i].family.Name, p.matchers[j].family.Name) < 0
		})
	}
	return nil
}

// sortedColumns returns columns sorted and without repetitions; nil stays nil.
func sortedColumns(columns [][]byte) [][]byte {
	sorted := true
	for i := 1; i < len(columns); i++ {
		if bytes.Compare(columns[i-1], columns[i]) >= 0 {
			sorted = false
			break
		}
	}
	if sorted {
		return columns
	}
	c := append([][]byte(nil), columns...)
	sort.Slice(c, func(i, j int) bool { return bytes.Compare(c[i], c[j]) < 0 })
	n := 1
	for i := 1; i < len(c); i++ {
		if !bytes.Equal(c[i], c[n-1]) {
			c[n] = c[i]
			n++
		}
	}
	return c[:n]
}

// closeSources ends the iterators over cell keys.
func (p *plan) closeSources() {
	for i := range p.sources {
		p.sources[i].close()
	}
}
