package cell

import (
	"bytes"
	"fmt"
	"math"
)

// Iter returns the cells of a packed value in the order of Compare, merged over
// its parts: of equal cells only the newest part's. The zero Iter is ready for
// Init and is best reused: the first value of several parts allocates.
type Iter struct {
	one   cursor // the only part
	m     *merge // its parts, when there are several
	multi bool
	stub  bool
	bad   bool
}

// merge is the state over several parts.
type merge struct {
	parts [MaxParts]head
	// order has the parts that are not at their end, by their cells; no two of
	// those are equal. For few parts, and most cells coming in runs from one of
	// them, this takes fewer comparisons than a heap.
	order [MaxParts]uint8
	n     int
	total int    // parts, those at their end included
	last  []byte // qualifier of the cell returned last
}

// head is a part and its next cell.
type head struct {
	cursor
	cell   Cell
	prefix uint64 // of the cell's qualifier
	stub   bool
}

// anyType sorts before every type of the same timestamp.
const anyType Type = math.MaxUint8

// Init starts over with the cells of p, whose value must stay as it is. p itself
// may be reused.
func (it *Iter) Init(p *Packed) {
	it.stub, it.bad = false, false
	it.multi = p.n > 1
	if !it.multi {
		if p.n == 0 {
			it.one = cursor{}
		} else {
			it.one.init(p.value, &p.parts[0])
		}
		return
	}
	if it.m == nil {
		it.m = new(merge)
	}
	it.m.total = p.n
	for i := range p.n {
		it.m.parts[i].init(p.value, &p.parts[i])
	}
	it.load()
}

// load reads the next cell of each part and orders them.
func (it *Iter) load() {
	m := it.m
	m.n = 0
	for i := range m.total {
		if !it.step(uint8(i)) {
			continue
		}
		copy(m.order[1:], m.order[:m.n])
		m.n++
		it.sift(uint8(i), 0)
	}
}

// step reads the next cell of part x.
func (it *Iter) step(x uint8) bool {
	h := &it.m.parts[x]
	var ok bool
	h.stub, ok = h.next(&h.cell)
	if !ok {
		it.bad = it.bad || h.bad
		return false
	}
	h.prefix = prefix(h.cell.Qualifier, 0, len(h.cell.Qualifier))
	return true
}

// sift puts part x, whose cell is new, where it belongs; hole is its place so
// far, and belongs before no cell of a lower place. Where two parts have equal
// cells the older one moves on.
func (it *Iter) sift(x uint8, hole int) {
	m := it.m
	for hole+1 < m.n {
		y := m.order[hole+1]
		order := compareHeads(&m.parts[x], &m.parts[y])
		if order < 0 {
			break
		}
		if order > 0 {
			m.order[hole] = y
			hole++
			continue
		}
		if x > y {
			m.order[hole] = x
			x = y
			hole++
		}
		if !it.step(x) {
			copy(m.order[hole:], m.order[hole+1:m.n])
			m.n--
			return
		}
	}
	m.order[hole] = x
}

// compareHeads is Compare.
func compareHeads(a, b *head) int {
	if c := compareQualifiers(a.prefix, a.cell.Qualifier, b.prefix, b.cell.Qualifier); c != 0 {
		return c
	}
	return CompareVersion(a.cell.Timestamp, a.cell.Type, b.cell.Timestamp, b.cell.Type)
}

// Next fills c with the next cell, all but Row and Family, and returns true; at
// the end, or on malformed bytes (Err), it returns false. The slices of c alias
// the packed value.
func (it *Iter) Next(c *Cell) bool {
	if !it.multi {
		var ok bool
		it.stub, ok = it.one.next(c)
		return ok
	}
	m := it.m
	if m.n == 0 || it.bad {
		it.stub = false
		return false
	}
	x := m.order[0]
	h := &m.parts[x]
	c.Qualifier, c.Value, c.Tags = h.cell.Qualifier, h.cell.Value, h.cell.Tags
	c.Timestamp, c.Seq, c.Type = h.cell.Timestamp, h.cell.Seq, h.cell.Type
	it.stub, m.last = h.stub, h.cell.Qualifier
	it.advance(x)
	return true
}

// advance moves on part x, the first in order.
func (it *Iter) advance(x uint8) {
	m := it.m
	if it.step(x) {
		it.sift(x, 0)
		return
	}
	copy(m.order[:], m.order[1:m.n])
	m.n--
}

// Stub tells whether the value of the cell that Next returned last lives in the
// cell's own key.
func (it *Iter) Stub() bool { return it.stub }

// Err is not nil when the walk ended because of malformed bytes.
func (it *Iter) Err() error {
	if it.bad || !it.multi && it.one.bad {
		return fmt.Errorf("%w: packed entry", ErrMalformed)
	}
	return nil
}

// Seek moves to the first cell at or after a position in the order of Compare,
// forward or back: Next returns it. It does not recover from malformed bytes.
func (it *Iter) Seek(qualifier []byte, ts int64, typ Type) {
	if !it.multi {
		if !it.one.bad {
			it.one.rewind()
			it.one.seek(qualifier, ts, typ)
		}
		return
	}
	if it.bad {
		return
	}
	for i := range it.m.total {
		u := &it.m.parts[i].cursor
		u.rewind()
		u.seek(qualifier, ts, typ)
		it.bad = it.bad || u.bad
	}
	it.load()
}

// SeekQualifier moves forward to the first cell of the qualifier, or to the
// first after it. It does not move when it is there or past it already.
func (it *Iter) SeekQualifier(qualifier []byte) {
	if !it.multi {
		it.one.seek(qualifier, math.MaxInt64, anyType)
		return
	}
	m := it.m
	for m.n > 0 && !it.bad {
		x := m.order[0]
		h := &m.parts[x]
		if bytes.Compare(h.cell.Qualifier, qualifier) >= 0 {
			return
		}
		h.seek(qualifier, math.MaxInt64, anyType)
		it.advance(x)
	}
}

// SkipColumn moves behind the remaining cells of the column that Next returned a
// cell of last.
func (it *Iter) SkipColumn() {
	if !it.multi {
		it.one.skipColumn()
		return
	}
	m := it.m
	for m.n > 0 && !it.bad {
		x := m.order[0]
		h := &m.parts[x]
		if !bytes.Equal(h.cell.Qualifier, m.last) {
			return
		}
		h.skipColumn()
		it.advance(x)
	}
}
