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

func (u *cursor) init(value []byte, p *part) {
	u.entries = value[p.entries:p.restarts:p.restarts]
	u.restarts = value[p.restarts:p.end:p.end]
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
//
// This is the innermost loop of every read: the short lengths that nearly all
// qualifiers and values have are decoded here rather than by span, which is too
// large to be inlined.
func (u *cursor) next(c *Cell) (stub, ok bool) {
	b, p := u.entries, u.pos
	if p >= len(b) {
		return false, false
	}
	head := b[p]
	p++
	if head&headSameQual == 0 {
		start, end := p+1, -1
		if p < len(b) && b[p] < 0x80 {
			end = start + int(b[p])
		} else {
			start, end = span(b, p)
		}
		if uint(end) > uint(len(b)) {
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
	c.Qualifier, c.Timestamp, c.Type = u.qual, ts, codeTypes[head&headType]
	c.Tags, c.Seq = nil, 0
	if head&headTail != 0 || head&headType >= typeCodes {
		return u.nextRare(c, head, p)
	}
	start, end := p+1, -1
	if p < len(b) && b[p] < 0x80 {
		end = start + int(b[p])
	} else {
		start, end = span(b, p)
	}
	if uint(end) > uint(len(b)) {
		u.fail()
		return false, false
	}
	c.Value = b[start:end:end]
	u.pos = end
	return false, true
}

// nextRare is the rest of next for an entry that has more, or less, than a value.
func (u *cursor) nextRare(c *Cell, head byte, p int) (stub, ok bool) {
	b := u.entries
	if head&headType >= typeCodes {
		u.fail()
		return false, false
	}
	if head&headTags != 0 {
		start, end := span(b, p)
		if end < 0 {
			u.fail()
			return false, false
		}
		c.Tags = b[start:end:end]
		p = end
	}
	if head&headSeq != 0 {
		if c.Seq, p = uvarint(b, p); p < 0 {
			u.fail()
			return false, false
		}
	}
	c.Value = nil
	if head&headStub == 0 {
		start, end := span(b, p)
		if end < 0 {
			u.fail()
			return false, false
		}
		c.Value = b[start:end:end]
		p = end
	}
	u.pos = p
	return head&headStub != 0, true
}

// nextRaw reads the next entry in the form that Merger copies.
func (u *cursor) nextRaw(e *entry) bool {
	b, p := u.entries, u.pos
	if p >= len(b) {
		return false
	}
	e.head, e.ts = b[p], u.base
	p++
	if e.head&headSameQual == 0 {
		start, end := span(b, p)
		if end < 0 {
			u.fail()
			return false
		}
		u.qual = b[start:end:end]
		p = end
	}
	if e.head&headSameTs == 0 {
		var d uint64
		if d, p = uvarint(b, p); p < 0 {
			u.fail()
			return false
		}
		e.ts += unzigzag(d)
	}
	end := tail(b, e.head, p)
	if u.qual == nil || end < 0 || e.head&headType >= typeCodes {
		u.fail()
		return false
	}
	e.qual, e.tail = u.qual, b[p:end:end]
	e.prefix = prefix(u.qual, 0, len(u.qual))
	u.pos = end
	return true
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

// prefix is the first 8 bytes of b[start:end], padded with zeros: two qualifiers
// whose prefixes differ are ordered as these are. Most are short enough to be
// told apart like this, at a fraction of what bytes.Compare costs.
func prefix(b []byte, start, end int) uint64 {
	if start+8 <= len(b) {
		w := binary.BigEndian.Uint64(b[start:])
		if n := end - start; n < 8 {
			w &= ^uint64(0) << (64 - 8*uint(n))
		}
		return w
	}
	return prefixShort(b[start:end])
}

// prefixShort is prefix where no 8 bytes can be read: the words at both ends,
// which overlap, have it all.
func prefixShort(b []byte) uint64 {
	pad := 64 - 8*uint(len(b))
	switch n := len(b); {
	case n >= 8:
		return binary.BigEndian.Uint64(b)
	case n >= 4:
		return uint64(binary.BigEndian.Uint32(b))<<32 | uint64(binary.BigEndian.Uint32(b[n-4:]))<<pad
	case n >= 2:
		return uint64(binary.BigEndian.Uint16(b))<<48 | uint64(binary.BigEndian.Uint16(b[n-2:]))<<pad
	case n == 1:
		return uint64(b[0]) << 56
	}
	return 0
}

// compareQualifiers is bytes.Compare, given the prefixes.
func compareQualifiers(ap uint64, a []byte, bp uint64, b []byte) int {
	if ap != bp {
		if ap < bp {
			return -1
		}
		return 1
	}
	return bytes.Compare(a, b)
}

// stepsBeforeJump is how many entries seek skips before it looks for a restart:
// readers that want many columns in order mostly want one nearby.
const stepsBeforeJump = 4

// seek moves forward, if at all, to the first entry at or after a position.
func (u *cursor) seek(qualifier []byte, ts int64, typ Type) {
	steps := 0
	if u.pos == 0 {
		steps = stepsBeforeJump
	}
	b, p, qual := u.entries, u.pos, u.qual
	target := prefix(qualifier, 0, len(qualifier))
	order := 0 // of qual against the target
	if p < len(b) && b[p]&headSameQual != 0 {
		order = bytes.Compare(qual, qualifier)
	}
	for p < len(b) {
		if steps++; steps == stepsBeforeJump+1 && len(u.restarts) > 0 {
			u.pos, u.qual = p, qual
			u.jump(target, qualifier, ts, typ)
			if u.bad {
				return
			}
			p, qual = u.pos, u.qual
		}
		at, head := p, b[p]
		before := qual
		p++
		if head&headSameQual == 0 {
			start, end := p+1, -1
			if p < len(b) && b[p] < 0x80 {
				end = start + int(b[p])
			} else {
				start, end = span(b, p)
			}
			if uint(end) > uint(len(b)) {
				u.fail()
				return
			}
			qual = b[start:end:end]
			order = compareQualifiers(prefix(b, start, end), qual, target, qualifier)
			p = end
		} else if qual == nil {
			u.fail()
			return
		}
		if order > 0 || order == 0 && !u.before(head, p, ts, typ) {
			u.pos, u.qual = at, before
			return
		}
		if head&headSameTs == 0 {
			_, p = uvarint(b, p)
		}
		if head&headTail == 0 && uint(p) < uint(len(b)) && b[p] < 0x80 {
			p += 1 + int(b[p])
		} else if p >= 0 {
			p = tail(b, head, p)
		}
		if uint(p) > uint(len(b)) {
			u.fail()
			return
		}
	}
	u.pos, u.qual = p, qual
}

// before tells whether an entry, whose timestamp would be at p, lies before a
// position in its column.
func (u *cursor) before(head byte, p int, ts int64, typ Type) bool {
	ets := u.base
	if head&headSameTs == 0 {
		// Malformed bytes show when the entry is read.
		d, _ := uvarint(u.entries, p)
		ets += unzigzag(d)
	}
	return CompareVersion(ets, codeTypes[head&headType], ts, typ) < 0
}

// jump moves forward to the last restart before a position, if there is one
// after pos. target is the qualifier's prefix.
func (u *cursor) jump(target uint64, qualifier []byte, ts int64, typ Type) {
	n := u.restartCount()
	for u.restart < n && u.restartAt(u.restart) <= u.pos {
		u.restart++
	}
	if u.restart == n || !u.restartBefore(u.restart, target, qualifier, ts, typ) {
		return
	}
	// lo lies before the target, hi does not. The steps double first: callers
	// that ask for many columns in order take short jumps.
	lo, hi := u.restart, n
	for step := 1; lo+step < hi; step *= 2 {
		if !u.restartBefore(lo+step, target, qualifier, ts, typ) {
			hi = lo + step
			break
		}
		lo += step
	}
	for lo+1 < hi {
		mid := int(uint(lo+hi) / 2)
		if u.restartBefore(mid, target, qualifier, ts, typ) {
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
func (u *cursor) restartBefore(i int, target uint64, qualifier []byte, ts int64, typ Type) bool {
	b, p := u.entries, u.restartAt(i)
	if p <= u.pos || p >= len(b) || b[p]&headSameQual != 0 {
		u.fail()
		return false
	}
	start, end := span(b, p+1)
	if end < 0 {
		u.fail()
		return false
	}
	if order := compareQualifiers(prefix(b, start, end), b[start:end], target, qualifier); order != 0 {
		return order < 0
	}
	return u.before(b[p], end, ts, typ)
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
