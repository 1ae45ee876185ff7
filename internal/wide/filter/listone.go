package filter

import (
	"bytes"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// oneList (MUST_PASS_ONE) keeps what any member keeps.
//
// The list answers with the smallest step of its members, so a member that
// wanted to move on may be shown cells that it has already ruled out. last
// remembers what each member ruled out, and the list answers in its name: the
// state of a member (counts, found flags) stays what it would be alone.
type oneList struct {
	members
	last []verdict
	// included says which members included the cell at hand: only these
	// transform it.
	included []bool
}

// verdict is a member's last code and, where later cells depend on it, a copy
// of the cell it was for.
type verdict struct {
	code Code
	set  bool
	cell cell.Cell
	buf  []byte
}

// remember keeps of c what ruledOut needs.
func (v *verdict) remember(c *cell.Cell, code Code) {
	v.code, v.set = code, code != Include && code != Skip
	if !v.set {
		return
	}
	take := func(b []byte) []byte {
		n := len(v.buf)
		v.buf = append(v.buf, b...)
		return v.buf[n:len(v.buf):len(v.buf)]
	}
	v.buf = v.buf[:0]
	if need := len(c.Row) + len(c.Family) + len(c.Qualifier); cap(v.buf) < need {
		v.buf = make([]byte, 0, 2*need)
	}
	v.cell = cell.Cell{
		Row: take(c.Row), Family: take(c.Family), Qualifier: take(c.Qualifier),
		Timestamp: c.Timestamp, Seq: c.Seq, Type: c.Type,
	}
}

// ruledOut tells whether f's last verdict covers c too.
func (l *oneList) ruledOut(f Filter, v *verdict, c *cell.Cell) bool {
	if !v.set {
		return false
	}
	switch v.code {
	case SeekHint:
		target, ok := f.NextHint(&v.cell)
		return ok && l.order(c, &target) < 0
	case NextCol, IncludeAndNextCol:
		return bytes.Equal(v.cell.Qualifier, c.Qualifier) && bytes.Equal(v.cell.Family, c.Family)
	default: // NextRow, IncludeAndSeekNextRow; Reset forgets, so the row is the same
		return bytes.Equal(v.cell.Family, c.Family)
	}
}

func (l *oneList) Reset() {
	for i, f := range l.filters {
		f.Reset()
		l.last[i].set = false
		l.included[i] = false
	}
}

func (l *oneList) FilterAllRemaining() bool {
	for _, f := range l.filters {
		if !f.FilterAllRemaining() {
			return false
		}
	}
	return len(l.filters) > 0
}

// FilterRowKey shows the key to every member, since some keep state of it.
func (l *oneList) FilterRowKey(first *cell.Cell) bool {
	rejected := len(l.filters) > 0
	for _, f := range l.filters {
		if !f.FilterAllRemaining() && !f.FilterRowKey(first) {
			rejected = false
		}
	}
	return rejected
}

func (l *oneList) FilterCell(c *cell.Cell) Code {
	if len(l.filters) == 0 {
		return Include
	}
	includes, allHint, asked := false, true, false
	var step Code
	for i, f := range l.filters {
		l.included[i] = false
		if f.FilterAllRemaining() {
			continue
		}
		v := &l.last[i]
		var one Code
		if l.ruledOut(f, v, c) {
			switch one = v.code; one {
			case IncludeAndNextCol:
				one = NextCol
			case IncludeAndSeekNextRow:
				one = NextRow
			}
			v.code = one
		} else {
			one = f.FilterCell(c)
			v.remember(c, one)
		}
		l.included[i] = one.includes()
		includes = includes || one.includes()
		allHint = allHint && one == SeekHint
		if !asked || one.step() < step {
			step = one.step()
		}
		asked = true
	}
	switch {
	case !asked:
		return Skip
	case allHint:
		return SeekHint
	}
	return codeOf(includes, step)
}

func (l *oneList) Transform(c *cell.Cell) {
	for i, f := range l.filters {
		if l.included[i] {
			f.Transform(c)
		}
	}
}

func (l *oneList) FilterRow() bool {
	for _, f := range l.filters {
		if !f.FilterRow() {
			return false
		}
	}
	return len(l.filters) > 0
}

// NextHint is the nearest hint, or none when a member has none.
func (l *oneList) NextHint(c *cell.Cell) (nearest cell.Cell, ok bool) {
	for _, f := range l.filters {
		if f.FilterAllRemaining() {
			continue
		}
		target, has := f.NextHint(c)
		if !has {
			return cell.Cell{}, false
		}
		if !ok || l.order(&target, &nearest) < 0 {
			nearest, ok = target, true
		}
	}
	return nearest, ok
}

func newOneList(m members) *oneList {
	return &oneList{members: m, last: make([]verdict, len(m.filters)), included: make([]bool, len(m.filters))}
}
