package cell

import (
	"fmt"
	"slices"
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
	flags := packedFlags(hasCells)
	if len(values) > LongChain {
		flags |= flagLong
	}
	dst = append(dst, flags)
	first := f.split()
	for i := range f.parts[:first] {
		s := &f.parts[i]
		dst = append(dst, s.value[s.start:s.end]...)
	}
	if first == len(f.parts) {
		return dst, nil
	}
	return f.merge(dst, first)
}

// folder is the memory of one Fold.
type folder struct {
	parts []source
	// entries has the runs of the parts to be folded, one after the other; run i
	// begins at starts[i] and ends at starts[i+1].
	entries []entry
	starts  []int
	// order and spare have indices of entries, as many as there are.
	order, spare []int32
	restarts     []uint32
}

// source is a part and the value that holds it.
type source struct {
	part
	value []byte
}

func (s *source) bytes() int { return s.end - s.start }

// entry is one cell in the form it is copied in.
type entry struct {
	qual []byte
	tail []byte // what follows the timestamp
	// prefix is that of qual.
	prefix uint64
	ts     int64
	head   byte
}

var folders = sync.Pool{New: func() any { return new(folder) }}

// maxKept bounds the entries whose memory is kept for the next Fold.
const maxKept = 1 << 14

func (f *folder) release() {
	if cap(f.entries) > maxKept || cap(f.parts) > maxKept {
		return
	}
	// What is kept must not keep values alive.
	clear(f.parts)
	clear(f.entries)
	f.parts, f.entries = f.parts[:0], f.entries[:0]
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
			f.parts = append(f.parts, source{value: v})
			s := &f.parts[len(f.parts)-1]
			if err := parsePart(&s.part, v, pos); err != nil {
				return false, fmt.Errorf("operand %d of %d: %w", i, len(values), err)
			}
			pos = s.end
		}
	}
	return hasCells, nil
}

// split returns the first part to be folded; the older ones stay as they are.
func (f *folder) split() int {
	if len(f.parts) <= MaxParts {
		return len(f.parts)
	}
	first, size := len(f.parts), 0
	for first > 0 {
		next := f.parts[first-1].bytes()
		if first < keepParts && next >= growthFactor*size {
			break
		}
		first--
		size += next
	}
	return first
}

// merge appends one part that holds the parts from first on.
func (f *folder) merge(dst []byte, first int) ([]byte, error) {
	f.starts = f.starts[:0]
	for i := first; i < len(f.parts); i++ {
		f.starts = append(f.starts, len(f.entries))
		if err := f.read(&f.parts[i]); err != nil {
			return nil, err
		}
	}
	f.starts = append(f.starts, len(f.entries))
	f.order = slices.Grow(f.order[:0], len(f.entries))[:len(f.entries)]
	f.spare = slices.Grow(f.spare[:0], len(f.entries))[:len(f.entries)]
	n := f.sort(0, len(f.starts)-1, f.order, f.spare)

	b := Builder{restarts: f.restarts[:0]}
	b.beginPart(dst)
	for _, i := range f.order[:n] {
		e := &f.entries[i]
		buf := b.open(e.head&headTail, e.qual, e.ts, codeTypes[e.head&headType])
		b.buf = append(buf, e.tail...)
	}
	f.restarts = b.restarts
	return b.endPart(), nil
}

// read adds the entries of a part as the last run.
func (f *folder) read(s *source) error {
	var u cursor
	u.init(s.value, &s.part)
	for first := len(f.entries); ; {
		n := len(f.entries)
		f.entries = append(f.entries, entry{})
		if !u.nextRaw(&f.entries[n]) {
			f.entries = f.entries[:n]
			break
		}
		if n > first && compareEntries(&f.entries[n-1], &f.entries[n]) >= 0 {
			return fmt.Errorf("%w: packed entries out of order", ErrMalformed)
		}
	}
	if u.bad {
		return fmt.Errorf("%w: packed entry", ErrMalformed)
	}
	return nil
}

// compareEntries is Compare.
func compareEntries(a, b *entry) int {
	if c := compareQualifiers(a.prefix, a.qual, b.prefix, b.qual); c != 0 {
		return c
	}
	return CompareVersion(a.ts, codeTypes[a.head&headType], b.ts, codeTypes[b.head&headType])
}

// sort puts the indices of the entries of runs lo to hi in order, without those
// that a newer run hides, and returns how many they are. They begin in out where
// run lo begins; the rest of the runs' room in out and spare is overwritten.
//
// The runs are split by their weight and not by their number: so the entries of
// a large run among many small ones are moved once or twice only.
func (f *folder) sort(lo, hi int, out, spare []int32) int {
	start, end := f.starts[lo], f.starts[hi]
	if hi-lo == 1 {
		for i := start; i < end; i++ {
			out[i] = int32(i)
		}
		return end - start
	}
	// The first run that starts in the second half, or the last but for it.
	half, _ := slices.BinarySearch(f.starts[lo+1:hi-1], start+(end-start)/2)
	mid := lo + 1 + half
	older := spare[start:][:f.sort(lo, mid, spare, out)]
	newer := spare[f.starts[mid]:][:f.sort(mid, hi, spare, out)]
	n := start
	for len(older) > 0 && len(newer) > 0 {
		order := compareEntries(&f.entries[older[0]], &f.entries[newer[0]])
		if order < 0 {
			out[n], older = older[0], older[1:]
		} else {
			out[n], newer = newer[0], newer[1:]
			if order == 0 {
				older = older[1:]
			}
		}
		n++
	}
	n += copy(out[n:], older)
	n += copy(out[n:], newer)
	return n - start
}
