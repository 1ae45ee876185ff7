package cell

import (
	"bytes"
	"encoding/binary"
)

// cursor walks the entries of one part.
type cursor struct {
	entries  []byte
	restarts []byte
	qual     []byte // of the entry before pos; nil at the start and at a restart
	base     int64
	pos      int // of the next entry
	restart  int // no restart before this one lies after pos
	wide     bool
	bad      bool // the part is malformed; the walk has ended
}

func (u *cursor) init(p *part) {
	u.entries, u.restarts = p.entries, p.restarts
	u.base, u.wide = p.base, p.wide
	u.rewind()
}

func (u *cursor) rewind() { u.qual, u.pos, u.restart, u.bad = nil, 0, 0, false }

// fail ends the walk.
func (u *cursor) fail() {
	u.bad = true
	u.pos = len(u.entries)
}

// next decodes the next entry into c: all but Row and Family. The slices alias
// the part.
func (u *cursor) next(c *Cell) (stub, ok bool) {
	b, p := u.entries, u.pos
	if p >= len(b) {
		return false, false
	}
	head := b[p]
	p++
	if head&headSameQual == 0 {
		start, end := span(b, p)
		if end < 0 {
			u.fail()
			return false, false
		}
		u.qual = b[start:end:end]
		p = end
	} else if u.qual == nil {
		u.fail()
		return false, false
	}
	ts := u.base
	if head&headSameTs == 0 {
		d, q := uvarint(b, p)
		if q < 0 {
			u.fail()
			return false, false
		}
		ts += unzigzag(d)
		p = q
	}
	c.Qualifier, c.Timestamp = u.qual, ts
	c.Tags, c.Seq, c.Value = nil, 0, nil
	if head&(headTags|headSeq) != 0 {
		if p = u.nextExtra(c, head, p); p < 0 {
			u.fail()
			return false, false
		}
	}
	if head&headStub == 0 {
		start, end := span(b, p)
		if end < 0 {
			u.fail()
			return false, false
		}
		c.Value = b[start:end:end]
		p = end
	}
	code := head & headType
	if code >= typeCodes {
		u.fail()
		return false, false
	}
	c.Type = codeTypes[code]
	u.pos = p
	return head&headStub != 0, true
}

// nextExtra decodes what most entries do not have.
func (u *cursor) nextExtra(c *Cell, head byte, p int) int {
	b := u.entries
	if head&headTags != 0 {
		start, end := span(b, p)
		if end < 0 {
			return -1
		}
		c.Tags = b[start:end:end]
		p = end
	}
	if head&headSeq != 0 {
		c.Seq, p = uvarint(b, p)
	}
	return p
}

// tail returns the end of an entry whose tags, seq and value start at p, or -1.
func tail(b []byte, head byte, p int) int {
	if head&headTags != 0 {
		if _, p = span(b, p); p < 0 {
			return -1
		}
	}
	if head&headSeq != 0 {
		if _, p = uvarint(b, p); p < 0 {
			return -1
		}
	}
	if head&headStub == 0 {
		_, p = span(b, p)
	}
	return p
}

// seek moves forward, if at all, to the first entry at or after a position.
func (u *cursor) seek(qualifier []byte, ts int64, typ Type) {
	u.jump(qualifier, ts, typ)
	b, p := u.entries, u.pos
	order, compared := 0, false // the entry's qualifier against the target's
	for p < len(b) {
		at, head := p, b[p]
		before := u.qual
		p++
		if head&headSameQual == 0 {
			start, end := span(b, p)
			if end < 0 {
				u.fail()
				return
			}
			u.qual, compared = b[start:end:end], false
			p = end
		} else if u.qual == nil {
			u.fail()
			return
		}
		if !compared {
			order, compared = bytes.Compare(u.qual, qualifier), true
		}
		if order > 0 {
			u.pos, u.qual = at, before
			return
		}
		ets := u.base
		if head&headSameTs == 0 {
			d, q := uvarint(b, p)
			if q < 0 {
				u.fail()
				return
			}
			ets += unzigzag(d)
			p = q
		}
		if order == 0 && CompareVersion(ets, codeTypes[head&headType], ts, typ) >= 0 {
			u.pos, u.qual = at, before
			return
		}
		if p = tail(b, head, p); p < 0 {
			u.fail()
			return
		}
	}
	u.pos = p
}

// jump moves forward to the last restart before a position, if there is one
// after pos.
func (u *cursor) jump(qualifier []byte, ts int64, typ Type) {
	n := u.restartCount()
	for u.restart < n && u.restartAt(u.restart) <= u.pos {
		u.restart++
	}
	if u.restart == n || !u.restartBefore(u.restart, qualifier, ts, typ) {
		return
	}
	// lo lies before the target, hi does not. The steps double first: callers
	// that ask for many columns in order take short jumps.
	lo, hi := u.restart, n
	for step := 1; lo+step < hi; step *= 2 {
		if !u.restartBefore(lo+step, qualifier, ts, typ) {
			hi = lo + step
			break
		}
		lo += step
	}
	for lo+1 < hi {
		mid := int(uint(lo+hi) / 2)
		if u.restartBefore(mid, qualifier, ts, typ) {
			lo = mid
		} else {
			hi = mid
		}
	}
	if u.bad {
		return
	}
	u.pos, u.qual, u.restart = u.restartAt(lo), nil, lo+1
}

func (u *cursor) restartCount() int {
	if u.wide {
		return len(u.restarts) / 4
	}
	return len(u.restarts) / 2
}

func (u *cursor) restartAt(i int) int {
	if u.wide {
		return int(binary.BigEndian.Uint32(u.restarts[4*i:]))
	}
	return int(binary.BigEndian.Uint16(u.restarts[2*i:]))
}

// restartBefore tells whether the entry of restart i lies before a position.
func (u *cursor) restartBefore(i int, qualifier []byte, ts int64, typ Type) bool {
	b, p := u.entries, u.restartAt(i)
	if p <= u.pos || p >= len(b) || b[p]&headSameQual != 0 {
		u.fail()
		return false
	}
	head := b[p]
	start, end := span(b, p+1)
	if end < 0 {
		u.fail()
		return false
	}
	if order := bytes.Compare(b[start:end], qualifier); order != 0 {
		return order < 0
	}
	ets := u.base
	if head&headSameTs == 0 {
		d, q := uvarint(b, end)
		if q < 0 {
			u.fail()
			return false
		}
		ets += unzigzag(d)
	}
	return CompareVersion(ets, codeTypes[head&headType], ts, typ) < 0
}

// skipColumn moves behind the entries of the last qualifier.
func (u *cursor) skipColumn() {
	b, p := u.entries, u.pos
	for p < len(b) {
		head := b[p]
		q := p + 1
		if head&headSameQual == 0 {
			start, end := span(b, q)
			// A restart repeats its qualifier.
			if end >= 0 && !bytes.Equal(b[start:end], u.qual) {
				break
			}
			q = end
		}
		if q >= 0 && head&headSameTs == 0 {
			_, q = uvarint(b, q)
		}
		if q >= 0 {
			q = tail(b, head, q)
		}
		if q < 0 {
			u.fail()
			return
		}
		p = q
	}
	u.pos = p
}
