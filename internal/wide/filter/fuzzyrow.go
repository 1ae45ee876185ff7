package filter

import (
	"bytes"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// fuzzyKey is a row key some of whose positions are free. A row matches when
// it has the key's bytes at the fixed positions; a row shorter than the key is
// held only against the positions that it has, and whatever follows the key is
// free.
type fuzzyKey struct {
	key   []byte
	fixed []bool
	// next is the nearest row at or ahead of the last hint that may match;
	// valid until the scan has come to it. exhausted: there is none.
	next      []byte
	valid     bool
	exhausted bool
}

// mismatch is the first fixed position where row differs, or -1.
func (k *fuzzyKey) mismatch(row []byte) int {
	for i := range min(len(row), len(k.key)) {
		if k.fixed[i] && row[i] != k.key[i] {
			return i
		}
	}
	return -1
}

// after sets next to the smallest matching row above row, which differs at p.
func (k *fuzzyKey) after(row []byte, p int) {
	k.next = append(k.next[:0], row[:p]...)
	if k.key[p] > row[p] {
		k.next = append(k.next, k.key[p])
		return
	}
	// Growing at p is impossible: grow at the last free position before it.
	for j := p - 1; j >= 0; j-- {
		if !k.fixed[j] && row[j] < 0xff {
			k.next = append(k.next[:j], row[j]+1)
			return
		}
	}
	k.exhausted = true
}

// before sets next to the smallest row that no matching row below row exceeds;
// row differs at p. It may be row itself.
func (k *fuzzyKey) before(row []byte, p int) {
	k.next = append(k.next[:0], row[:p]...)
	if k.key[p] > row[p] {
		// Nothing that goes on from row[:p] matches but row[:p] itself, which
		// is short enough not to have position p.
		k.exhausted = p == 0
		return
	}
	// The matching rows that share row[:p] start, at most, with this:
	for i := p; i < len(k.key); i++ {
		if k.fixed[i] {
			k.next = append(k.next, k.key[i])
		} else {
			k.next = append(k.next, 0xff)
		}
	}
	// What starts with it may go on, so the bound is the next sibling. There is
	// one, since key[p] < row[p].
	n := len(k.next) - 1
	for k.next[n] == 0xff {
		n--
	}
	k.next = k.next[:n+1]
	k.next[n]++
}

// fuzzyRowFilter keeps the rows that match one of its keys and jumps over rows
// that cannot. Unlike HBase 2.6, whose jumps in reversed scans pass over
// matching rows or lead nowhere (HBASE-28634, HBASE-30226), and whose forward jumps pass
// over matching rows shorter than the key, it finds in both directions exactly
// the rows that match.
type fuzzyRowFilter struct {
	base
	keys     []fuzzyKey
	reversed bool
	last     int // the key that matched last is tried first
	drop     bool
	done     bool
}

func (f *fuzzyRowFilter) hints()                       {}
func (f *fuzzyRowFilter) Reset()                       { f.drop = false }
func (f *fuzzyRowFilter) SetReversed(reversed bool)    { f.reversed = reversed }
func (f *fuzzyRowFilter) FilterAllRemaining() bool     { return f.done }
func (f *fuzzyRowFilter) FilterRowKey(*cell.Cell) bool { return f.done }
func (f *fuzzyRowFilter) FilterRow() bool              { return f.drop }

func (f *fuzzyRowFilter) FilterCell(c *cell.Cell) Code {
	if f.keys[f.last].mismatch(c.Row) < 0 {
		return Include
	}
	for i := range f.keys {
		if i != f.last && f.keys[i].mismatch(c.Row) < 0 {
			f.last = i
			return Include
		}
	}
	f.drop = true
	return SeekHint
}

// NextHint leads to the nearest row that any key may match. It keeps what it
// found for each key, so that a scan computes a key's next row only once it
// has come to the one before.
func (f *fuzzyRowFilter) NextHint(c *cell.Cell) (cell.Cell, bool) {
	var nearest []byte
	for i := range f.keys {
		k := &f.keys[i]
		if k.exhausted {
			continue
		}
		if !k.valid || !f.ahead(k.next, c.Row) {
			p := k.mismatch(c.Row)
			if p < 0 {
				// Only a list asks about a row that it does not seek away from.
				return cell.Cell{}, false
			}
			if f.reversed {
				k.before(c.Row, p)
			} else {
				k.after(c.Row, p)
			}
			k.valid = !k.exhausted
			if !k.valid {
				continue
			}
		}
		if nearest == nil || f.ahead(nearest, k.next) {
			nearest = k.next
		}
	}
	if nearest == nil {
		f.done = true
		return cell.Cell{}, false
	}
	if bytes.Equal(nearest, c.Row) {
		return cell.Cell{}, false // the row before this one may match
	}
	return firstOfRow(nearest), true
}

// ahead tells whether the scan comes to a after b.
func (f *fuzzyRowFilter) ahead(a, b []byte) bool {
	if f.reversed {
		return bytes.Compare(a, b) < 0
	}
	return bytes.Compare(a, b) > 0
}
