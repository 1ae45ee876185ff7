package cell

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Builder writes one packed value of one part, cell by cell. The zero Builder is
// ready; it may be reused after Reset.
type Builder struct {
	buf      []byte // entries, from start on
	start    int
	restarts []uint32
	count    int
	base     int64

	// The last entry: its qualifier is buf[qual:qualEnd].
	qual, qualEnd int
	lastTs        int64
	lastType      Type
}

// Reset drops what was added and keeps the buffers.
func (b *Builder) Reset() {
	b.buf, b.start, b.restarts, b.count = b.buf[:0], 0, b.restarts[:0], 0
}

// Add appends a cell, which must come after the one before in the order of
// Compare: anything else is a bug of the caller and panics, since a part out of
// order would hide cells for ever. Row and Family are not stored. With stub, the
// value is not stored either. Nothing of c is kept.
func (b *Builder) Add(c *Cell, stub bool) {
	var tail byte
	if len(c.Tags) > 0 {
		tail |= headTags
	}
	if c.Seq != 0 {
		tail |= headSeq
	}
	if stub {
		tail |= headStub
	}
	buf := b.open(tail, c.Qualifier, c.Timestamp, c.Type)
	if tail&(headTags|headSeq) != 0 {
		if len(c.Tags) > 0 {
			buf = appendBytes(buf, c.Tags)
		}
		if c.Seq != 0 {
			buf = binary.AppendUvarint(buf, c.Seq)
		}
	}
	if !stub {
		buf = appendBytes(buf, c.Value)
	}
	b.buf = buf
}

// open starts an entry; tail has the bits for what follows the timestamp. The
// result is b.buf, which becomes longer by the entry up to there only when the
// caller stores what it made of it.
func (b *Builder) open(tail byte, qualifier []byte, ts int64, typ Type) []byte {
	head := tail | typeCode(typ)
	if b.count == 0 {
		b.base = ts
	} else {
		order := bytes.Compare(b.buf[b.qual:b.qualEnd], qualifier)
		if order > 0 || order == 0 && CompareVersion(b.lastTs, b.lastType, ts, typ) >= 0 {
			panic(fmt.Sprintf("cell: %q/%d/%s added after %q/%d/%s", qualifier, ts, typ,
				b.buf[b.qual:b.qualEnd], b.lastTs, b.lastType))
		}
		if b.count%restartInterval == 0 {
			b.restarts = append(b.restarts, uint32(len(b.buf)-b.start))
		} else if order == 0 {
			head |= headSameQual
		}
	}
	if ts == b.base {
		head |= headSameTs
	}
	buf := append(b.buf, head)
	if head&headSameQual == 0 {
		buf = appendBytes(buf, qualifier)
		b.qual, b.qualEnd = len(buf)-len(qualifier), len(buf)
	}
	if head&headSameTs == 0 {
		buf = binary.AppendUvarint(buf, zigzag(ts-b.base))
	}
	b.count++
	b.lastTs, b.lastType = ts, typ
	return buf
}

func appendBytes(dst, b []byte) []byte {
	if len(b) < 0x80 {
		dst = append(dst, byte(len(b)))
	} else {
		dst = binary.AppendUvarint(dst, uint64(len(b)))
	}
	return append(dst, b...)
}

// Len is the number of bytes that Finish appends, give or take a few.
func (b *Builder) Len() int { return len(b.buf) - b.start + 4*len(b.restarts) + 12 }

// Count is the number of cells added.
func (b *Builder) Count() int { return b.count }

// Finish appends the value to dst; without cells it is the flags alone.
func (b *Builder) Finish(dst []byte, hasCells bool) []byte {
	dst = append(dst, packedFlags(hasCells))
	if b.count == 0 {
		return dst
	}
	var space [maxPartHeader]byte
	header, wide := b.header(space[:0])
	dst = append(dst, header...)
	dst = append(dst, b.buf[b.start:]...)
	return b.appendRestarts(dst, wide)
}

// maxPartHeader is the longest body length, count and base timestamp.
const maxPartHeader = 2*binary.MaxVarintLen64 + 8

// header appends what comes before the entries of the part.
func (b *Builder) header(dst []byte) (out []byte, wide bool) {
	entries := len(b.buf) - b.start
	body := uvarintLen(uint64(b.count)) + 8 + entries + 2*len(b.restarts)
	if body >= wideBody {
		wide = true
		body += 2 * len(b.restarts)
	}
	dst = binary.AppendUvarint(dst, uint64(body))
	dst = binary.AppendUvarint(dst, uint64(b.count))
	return binary.BigEndian.AppendUint64(dst, uint64(b.base)), wide
}

func (b *Builder) appendRestarts(dst []byte, wide bool) []byte {
	for _, r := range b.restarts {
		if wide {
			dst = binary.BigEndian.AppendUint32(dst, r)
		} else {
			dst = binary.BigEndian.AppendUint16(dst, uint16(r))
		}
	}
	return dst
}

// beginPart makes b write its entries straight to the end of dst, behind room
// for the longest header; endPart then moves them up to the real one.
func (b *Builder) beginPart(dst []byte) {
	var room [maxPartHeader]byte
	b.buf = append(dst, room[:]...)
	b.start = len(b.buf)
}

// endPart returns dst of beginPart with the part appended.
func (b *Builder) endPart() []byte {
	var space [maxPartHeader]byte
	header, wide := b.header(space[:0])
	at := b.start - maxPartHeader
	at += copy(b.buf[at:], header)
	at += copy(b.buf[at:], b.buf[b.start:])
	return b.appendRestarts(b.buf[:at], wide)
}

// AppendPacked appends a packed value of one part that holds cells, which are
// all of one row and family (neither is stored), sorted by Compare and without
// duplicates. stubs, when not nil, tells which cells have their value in a cell
// key. Without cells the value is the flags alone.
func AppendPacked(dst []byte, cells []Cell, stubs func(i int) bool, hasCells bool) []byte {
	dst = append(dst, packedFlags(hasCells))
	if len(cells) == 0 {
		return dst
	}
	var b Builder
	if len(cells) > restartInterval {
		b.restarts = make([]uint32, 0, restartCount(len(cells)))
	}
	b.beginPart(dst)
	for i := range cells {
		b.Add(&cells[i], stubs != nil && stubs(i))
	}
	return b.endPart()
}

func uvarintLen(v uint64) int {
	n := 1
	for ; v >= 0x80; v >>= 7 {
		n++
	}
	return n
}
