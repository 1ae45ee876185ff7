package cell

import (
	"bytes"
	"fmt"
	"sync"
)

// Merger is the kv.Merger of packed values: what it makes of a sequence of them
// is the union of their cells, the newest of equal ones, and HasCells if any
// value has it. It drops nothing else: a store folds when and what it likes, and
// no reader may notice.
type Merger struct{}

// Name is stored by engines.
func (Merger) Name() string { return "basalt.packed.1" }

// How far Fold goes once there are more than MaxParts parts. It folds the newest
// parts into one so that keepParts stay, which leaves room for operands to be
// merely appended, and takes an older part along while that is less than
// growthFactor times as large as what is folded already. So sizes decline
// geometrically with age, a cell is rewritten a logarithmic number of times, and
// a large row is not rewritten for every few small puts.
const (
	keepParts    = MaxParts / 2
	growthFactor = 2
)

// Fold appends to dst what values, oldest first, read as together. Up to
// MaxParts parts are put one after the other; beyond, the newer of them are
// merged. dst may not overlap values.
func (Merger) Fold(dst []byte, values [][]byte) ([]byte, error) {
	f := folders.Get().(*folder)
	defer f.release()
	hasCells, err := f.parse(values)
	if err != nil {
		return nil, err
	}
	dst = append(dst, packedFlags(hasCells))
	first := f.split()
	for _, raw := range f.raw[:first] {
		dst = append(dst, raw...)
	}
	if first == len(f.raw) {
		return dst, nil
	}
	return f.merge(dst, first)
}

// folder is the memory of one Fold.
type folder struct {
	raw   [][]byte // parts with their lengths
	parts []part

	entries []entry
	// idx has indices of entries, in sorted runs that end where ends says; one
	// run for each part at first. other and its ends are those of the next pass.
	idx, other []int32
	ends       []int32
	restarts   []uint32
}

// entry is one cell in the form it is copied in.
type entry struct {
	qual []byte
	tail []byte // what follows the timestamp
	ts   int64
	head byte
}

var folders = sync.Pool{New: func() any { return new(folder) }}

// maxKept bounds the entries whose memory is kept for the next Fold.
const maxKept = 1 << 14

func (f *folder) release() {
	if cap(f.entries) > maxKept || cap(f.raw) > maxKept {
		return
	}
	// What is kept must not keep values alive.
	clear(f.raw)
	clear(f.parts)
	clear(f.entries)
	f.raw, f.parts, f.entries = f.raw[:0], f.parts[:0], f.entries[:0]
	folders.Put(f)
}

func (f *folder) parse(values [][]byte) (hasCells bool, err error) {
	for i, v := range values {
		if len(v) == 0 {
			return false, fmt.Errorf("%w: operand %d of %d is empty", ErrMalformed, i, len(values))
		}
		if err := checkFlags(v[0]); err != nil {
			return false, fmt.Errorf("operand %d of %d: %w", i, len(values), err)
		}
		hasCells = hasCells || v[0]&flagHasCells != 0
		for pos := 1; pos < len(v); {
			var p part
			next, err := parsePart(&p, v, pos)
			if err != nil {
				return false, fmt.Errorf("operand %d of %d: %w", i, len(values), err)
			}
			f.parts = append(f.parts, p)
			f.raw = append(f.raw, v[pos:next])
			pos = next
		}
	}
	return hasCells, nil
}

// split returns the first part to be folded; the older ones stay as they are.
func (f *folder) split() int {
	if len(f.raw) <= MaxParts {
		return len(f.raw)
	}
	first, size := len(f.raw), 0
	for first > 0 {
		if first <= keepParts-1 && len(f.raw[first-1]) >= growthFactor*size {
			break
		}
		first--
		size += len(f.raw[first])
	}
	return first
}

// merge appends one part that holds the parts from first on.
func (f *folder) merge(dst []byte, first int) ([]byte, error) {
	f.idx, f.other, f.ends = f.idx[:0], f.other[:0], f.ends[:0]
	for i := first; i < len(f.parts); i++ {
		if err := f.read(&f.parts[i]); err != nil {
			return nil, err
		}
		f.ends = append(f.ends, int32(len(f.idx)))
	}
	// The runs are in order of age, so merging neighbours keeps them so.
	for len(f.ends) > 1 {
		f.pass()
	}
	b := Builder{restarts: f.restarts[:0]}
	b.beginPart(dst)
	for _, i := range f.idx {
		e := &f.entries[i]
		b.open(e.head&headTail, e.qual, e.ts, codeTypes[e.head&headType])
		b.buf = append(b.buf, e.tail...)
	}
	f.restarts = b.restarts
	return b.endPart(), nil
}

// read adds the entries of a part as the last run.
func (f *folder) read(p *part) error {
	var u cursor
	var c Cell
	u.init(p)
	var last *entry
	for {
		at := u.pos
		if _, ok := u.next(&c); !ok {
			break
		}
		head := p.entries[at]
		q := at + 1
		if head&headSameQual == 0 {
			_, q = span(p.entries, q)
		}
		if head&headSameTs == 0 {
			_, q = uvarint(p.entries, q)
		}
		e := entry{c.Qualifier, p.entries[q:u.pos], c.Timestamp, head}
		if last != nil && compareEntries(last, &e) >= 0 {
			return fmt.Errorf("%w: packed entries out of order", ErrMalformed)
		}
		f.idx = append(f.idx, int32(len(f.entries)))
		f.entries = append(f.entries, e)
		last = &e
	}
	if u.bad {
		return fmt.Errorf("%w: packed entry", ErrMalformed)
	}
	return nil
}

// compareEntries is Compare.
func compareEntries(a, b *entry) int {
	if c := bytes.Compare(a.qual, b.qual); c != 0 {
		return c
	}
	return CompareVersion(a.ts, codeTypes[a.head&headType], b.ts, codeTypes[b.head&headType])
}

// pass merges the runs by two.
func (f *folder) pass() {
	out, ends := f.other[:0], f.ends[:0]
	start := int32(0)
	for i := 0; i < len(f.ends); i += 2 {
		older := f.idx[start:f.ends[i]]
		start = f.ends[i]
		var newer []int32
		if i+1 < len(f.ends) {
			newer = f.idx[start:f.ends[i+1]]
			start = f.ends[i+1]
		}
		for len(older) > 0 && len(newer) > 0 {
			order := compareEntries(&f.entries[older[0]], &f.entries[newer[0]])
			if order < 0 {
				out = append(out, older[0])
				older = older[1:]
				continue
			}
			out = append(out, newer[0])
			newer = newer[1:]
			if order == 0 {
				older = older[1:]
			}
		}
		out = append(out, older...)
		out = append(out, newer...)
		// Never ahead of what is read: ends shrinks by half.
		ends = append(ends, int32(len(out)))
	}
	f.idx, f.other, f.ends = out, f.idx, ends
}
