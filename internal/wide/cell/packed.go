package cell

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The value of a packed key, which is also the form of its merge operands:
//
//	value   := flags u8 | part*                     oldest part first
//	flags   := bit 0 HasCells | bit 1 Long | bits 2-3 zero | bits 4-7 format version (1)
//	part    := uvarint body length | body
//	body    := uvarint cell count (> 0) | base timestamp 8 B BE | entry* | restart*
//	entry   := head u8
//	           [ uvarint length | qualifier ]               unless sameQual
//	           [ zigzag varint (timestamp - base) ]         unless sameTs
//	           [ uvarint length | tags ]                    if hasTags
//	           [ uvarint seq ]                              if hasSeq
//	           [ uvarint length | value ]                   unless stub
//	head    := bits 0-2 type code | 3 sameQual | 4 sameTs | 5 hasTags | 6 hasSeq | 7 stub
//	type    := 0 Put | 1 Delete | 2 DeleteFamilyVersion | 3 DeleteColumn | 4 DeleteFamily
//	restart := offset of an entry from the first one: 2 B BE, or 4 B BE in a body
//	           of more than 65535 bytes
//
// sameQual: the qualifier is that of the entry before. sameTs: the timestamp is
// the base, which is that of the first entry. stub: the value lives in the
// cell's own key. HasCells: this family of the row has cell keys too. Long: the
// value was folded from more than LongChain values at once; whoever reads it may
// want to write it anew. It means nothing else.
//
// Every 16th entry but the first is a restart: it has its qualifier in full and
// its offset in the table at the end, so that a large part can be searched.
// Nothing else in an entry depends on the entries before it.
const (
	flagHasCells  = 0x01
	flagLong      = 0x02
	flagsReserved = 0x0C
	versionShift  = 4
	formatVersion = 1

	headType     = 0x07
	headSameQual = 0x08
	headSameTs   = 0x10
	headTags     = 0x20
	headSeq      = 0x40
	headStub     = 0x80
	// headTail are the bits that say what follows the timestamp.
	headTail = headTags | headSeq | headStub

	restartInterval = 16
	// wideBody is the first body length whose restarts take 4 bytes.
	wideBody = 1 << 16
)

// LongChain is how many values a Fold may get before it marks its result Long.
const LongChain = 16

// MaxParts bounds the parts of a packed value: Merger folds beyond.
const MaxParts = 8

var (
	// ErrMalformed: the bytes are not what this package wrote.
	ErrMalformed = errors.New("cell: malformed bytes")
	// ErrVersion: the bytes were written by a later format of Basalt.
	ErrVersion = errors.New("cell: unknown format version")
)

var codeTypes = [8]Type{Put, Delete, DeleteFamilyVersion, DeleteColumn, DeleteFamily}

const typeCodes = 5

// typeCode panics on a type that is none of the five: writing it would lose the
// cell, and whoever built it had to check it.
func typeCode(t Type) byte {
	switch t {
	case Put:
		return 0
	case Delete:
		return 1
	case DeleteFamilyVersion:
		return 2
	case DeleteColumn:
		return 3
	case DeleteFamily:
		return 4
	}
	panic(fmt.Sprintf("cell: cannot store a cell of %s", t))
}

func packedFlags(hasCells bool) byte {
	f := byte(formatVersion << versionShift)
	if hasCells {
		f |= flagHasCells
	}
	return f
}

func checkFlags(f byte) error {
	if f>>versionShift != formatVersion {
		return fmt.Errorf("%w %d in a packed value", ErrVersion, f>>versionShift)
	}
	if f&flagsReserved != 0 {
		return fmt.Errorf("%w: packed flags %#02x", ErrMalformed, f)
	}
	return nil
}

// part is one parsed part header: offsets into the value.
type part struct {
	start    int // of the body's length
	entries  int
	restarts int
	end      int
	cells    int
	base     int64
	wide     bool // restarts take 4 bytes
}

// parsePart reads the part at b[pos:].
func parsePart(p *part, b []byte, pos int) error {
	start, end := span(b, pos)
	if end < 0 {
		return fmt.Errorf("%w: part at %d of %d bytes", ErrMalformed, pos, len(b))
	}
	n, i := uvarint(b[:end], start)
	// Every entry has at least its head, so that a count cannot exceed the body:
	// it may be used to size buffers.
	if i < 0 || end-i < 8 || n == 0 || n > uint64(end-i-8) {
		return fmt.Errorf("%w: header of the part at %d", ErrMalformed, pos)
	}
	p.start, p.end = pos, end
	p.cells = int(n)
	p.base = int64(binary.BigEndian.Uint64(b[i:]))
	p.entries = i + 8
	p.restarts, p.wide = end, false
	if n > restartInterval {
		p.wide = end-start >= wideBody
		p.restarts -= restartCount(p.cells) * restartBytes(p.wide)
		if p.restarts <= p.entries {
			return fmt.Errorf("%w: restarts of the part at %d", ErrMalformed, pos)
		}
	}
	return nil
}

// restartCount is the number of restarts in a part of n > 0 cells.
func restartCount(n int) int { return (n - 1) / restartInterval }

func restartBytes(wide bool) int {
	if wide {
		return 4
	}
	return 2
}

// Packed is a parsed view of a packed value. It is small and can be reused.
type Packed struct {
	value []byte
	n     int
	cells int
	parts [MaxParts]part
}

// Reset parses the boundaries of value's parts. Nothing is copied: value must
// stay as it is while p and iterators over p are used. After an error p is empty.
func (p *Packed) Reset(value []byte) error {
	p.value, p.n, p.cells = nil, 0, 0
	if len(value) == 0 {
		return fmt.Errorf("%w: empty packed value", ErrMalformed)
	}
	if err := checkFlags(value[0]); err != nil {
		return err
	}
	n, cells := 0, 0
	for pos := 1; pos < len(value); n++ {
		if n == MaxParts {
			return fmt.Errorf("%w: more than %d parts", ErrMalformed, MaxParts)
		}
		part := &p.parts[n]
		if err := parsePart(part, value, pos); err != nil {
			return err
		}
		cells += part.cells
		pos = part.end
	}
	p.value, p.n, p.cells = value, n, cells
	return nil
}

// HasCells tells whether this family of the row has cell keys too.
func (p *Packed) HasCells() bool { return HasCells(p.value) }

// Parts is the number of parts.
func (p *Packed) Parts() int { return p.n }

// Cells is the number of cells in all parts: at least as many as an Iter returns.
func (p *Packed) Cells() int { return p.cells }

// Bytes is the length of the value.
func (p *Packed) Bytes() int { return len(p.value) }

// uvarint reads an unsigned varint at b[p:]; next is -1 if there is none.
func uvarint(b []byte, p int) (v uint64, next int) {
	if p < len(b) && b[p] < 0x80 {
		return uint64(b[p]), p + 1
	}
	return uvarintLong(b, p)
}

func uvarintLong(b []byte, p int) (uint64, int) {
	v, n := binary.Uvarint(b[p:])
	if n <= 0 {
		return 0, -1
	}
	return v, p + n
}

// span reads a length at b[p:] and returns the bounds of what it measures; end
// is -1 if b does not hold it.
func span(b []byte, p int) (start, end int) {
	n, start := uvarint(b, p)
	if start < 0 || n > uint64(len(b)-start) {
		return 0, -1
	}
	return start, start + int(n)
}

func zigzag(d int64) uint64   { return uint64(d<<1) ^ uint64(d>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// HasCells is Packed.HasCells of an unparsed value.
func HasCells(value []byte) bool { return len(value) > 0 && value[0]&flagHasCells != 0 }

// Long tells whether a value was folded from a long chain of operands.
func Long(value []byte) bool { return len(value) > 0 && value[0]&flagLong != 0 }
