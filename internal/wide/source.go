package wide

import (
	"bytes"
	"fmt"
	"math"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// source walks the cells of one family of one row in the order of cell.Compare,
// merging the packed value with the cell keys. Where both have a cell the packed
// one is newer; a stub among the packed takes its value from the cell key.
//
// cur is the cell at hand while valid. Its bytes alias the row's buffer, or,
// when volatile() says so, the iterator: then they live until the next step.
type source struct {
	cur   cell.Cell
	valid bool
	err   error

	packed   cell.Packed
	it       cell.Iter
	head     cell.Cell // next packed cell
	headOK   bool
	headStub bool

	// Cell keys.
	cells   kv.Iterator
	prefix  []byte // of all cell keys of the family
	seekKey []byte
	qual    []byte
	low     cell.Cell // next cell from a cell key
	lowOK   bool
	fromLow bool // cur's value is the iterator's

	// Cells of a virtual table.
	list []cell.Cell
	at   int
	mode sourceMode
}

type sourceMode uint8

const (
	modeEmpty sourceMode = iota
	modePacked
	modeBoth
	modeList
)

// cellOpener makes an iterator over cell keys, in the same state of the store
// as the packed value that says that there are some.
type cellOpener interface {
	openCells(prefix []byte) (kv.Iterator, error)
}

// initPacked starts on a packed value, which must outlive the walk.
func (s *source) initPacked(value []byte, rowPrefix []byte, familyID uint32, open cellOpener) {
	s.close()
	s.err = nil
	s.mode = modePacked
	if err := s.packed.Reset(value); err != nil {
		s.fail(err)
		return
	}
	s.it.Init(&s.packed)
	if s.packed.HasCells() {
		s.mode = modeBoth
		s.prefix = keys.AppendCells(append(s.prefix[:0], rowPrefix...), familyID)
		s.cells, s.err = open.openCells(s.prefix)
		if s.err != nil {
			s.fail(s.err)
			return
		}
		s.cells.SeekGE(s.prefix)
		s.readLow()
	}
	s.readHead()
	s.pick()
}

// initList starts on the cells of a virtual row.
func (s *source) initList(cells []cell.Cell) {
	s.close()
	s.err = nil
	s.mode, s.list, s.at = modeList, cells, 0
	s.pick()
}

// initEmpty makes a source without cells.
func (s *source) initEmpty() {
	s.close()
	s.err, s.mode, s.valid = nil, modeEmpty, false
}

func (s *source) close() {
	if s.cells != nil {
		if err := s.cells.Close(); err != nil && s.err == nil {
			s.err = err
		}
		s.cells = nil
	}
	s.headOK, s.lowOK, s.valid, s.fromLow = false, false, false, false
}

func (s *source) fail(err error) {
	s.err = fmt.Errorf("%w: %w", kv.ErrCorrupt, err)
	s.valid, s.headOK, s.lowOK = false, false, false
}

// volatile tells whether cur's value lives only until the next step.
func (s *source) volatile() bool { return s.fromLow }

func (s *source) readHead() {
	s.headOK = s.it.Next(&s.head)
	s.headStub = s.headOK && s.it.Stub()
	if !s.headOK {
		if err := s.it.Err(); err != nil {
			s.fail(err)
		}
	}
}

// readLow decodes the cell key at which the iterator stands.
func (s *source) readLow() {
	s.lowOK = s.cells.Valid()
	if !s.lowOK {
		if err := s.cells.Error(); err != nil {
			s.err = err
		}
		return
	}
	key := s.cells.Key()
	// The family's prefix ends with the form byte: go back to where the family
	// id starts, which is the end of the row prefix.
	n := keys.Split(key)
	w, err := keys.DecodeSuffix(s.qual[:0], key[n:])
	if err != nil {
		s.fail(err)
		return
	}
	s.qual = w.Qualifier
	value, err := s.cells.Value()
	if err != nil {
		s.fail(err)
		return
	}
	s.low.Qualifier, s.low.Timestamp, s.low.Type = w.Qualifier, w.Timestamp, cell.Type(w.Type)
	if err := cell.DecodeCellValue(value, &s.low); err != nil {
		s.fail(err)
	}
}

// pick makes cur of whichever stream comes first.
func (s *source) pick() {
	s.fromLow = false
	switch s.mode {
	case modePacked:
		s.valid = s.headOK
		if s.valid {
			row, family := s.cur.Row, s.cur.Family
			s.cur = s.head
			s.cur.Row, s.cur.Family = row, family
			if s.headStub {
				s.fail(fmt.Errorf("%w: a stub without cell keys", cell.ErrMalformed))
			}
		}
	case modeBoth:
		s.pickBoth()
	case modeList:
		s.valid = s.at < len(s.list)
		if s.valid {
			s.cur = s.list[s.at]
		}
	default:
		s.valid = false
	}
}

func (s *source) pickBoth() {
	row, family := s.cur.Row, s.cur.Family
	d := -1
	switch {
	case s.err != nil:
		s.valid = false
		return
	case !s.headOK && !s.lowOK:
		s.valid = false
		return
	case !s.headOK:
		d = 1
	case s.lowOK:
		d = cell.Compare(&s.head, &s.low)
	}
	s.valid = true
	if d > 0 {
		s.cur, s.fromLow = s.low, true
	} else {
		s.cur = s.head
		if s.headStub {
			if d != 0 {
				s.fail(fmt.Errorf("%w: a stub without its cell key: %s", cell.ErrMalformed, &s.head))
				return
			}
			s.cur.Value, s.fromLow = s.low.Value, true
		}
	}
	s.cur.Row, s.cur.Family = row, family
}

// advance moves to the next cell.
func (s *source) advance() {
	switch s.mode {
	case modePacked:
		s.readHead()
		s.pick()
	case modeBoth:
		d := -1
		if !s.headOK {
			d = 1
		} else if s.lowOK {
			d = cell.Compare(&s.head, &s.low)
		}
		if d <= 0 {
			s.readHead()
		}
		if d >= 0 && s.err == nil {
			s.cells.Next()
			s.readLow()
		}
		s.pick()
	case modeList:
		s.at++
		s.pick()
	}
}

// manyNexts bounds the steps over cell keys before a seek is cheaper.
const manyNexts = 8

// skipColumn leaves the current column; to, when not nil, is the first column of
// interest after it.
func (s *source) skipColumn(to []byte) {
	switch s.mode {
	case modePacked:
		if to != nil {
			s.it.SeekQualifier(to)
		} else {
			s.it.SkipColumn()
		}
		s.readHead()
		s.pick()
		return
	case modeList:
		q := s.cur.Qualifier
		for s.valid && (bytes.Equal(s.cur.Qualifier, q) || to != nil && bytes.Compare(s.cur.Qualifier, to) < 0) {
			s.advance()
		}
		return
	}
	q := append([]byte(nil), s.cur.Qualifier...)
	for i := 0; s.valid; i++ {
		if to == nil && !bytes.Equal(s.cur.Qualifier, q) || to != nil && bytes.Compare(s.cur.Qualifier, to) >= 0 {
			return
		}
		if i == manyNexts {
			if to == nil {
				// The smallest qualifier after q.
				to = append(append([]byte(nil), q...), 0)
			}
			s.seek(to, math.MaxInt64, 0xFF)
			return
		}
		s.advance()
	}
}

// seek moves to the first cell at or after a position.
func (s *source) seek(qualifier []byte, ts int64, typ cell.Type) {
	switch s.mode {
	case modeList:
		target := cell.Cell{Qualifier: qualifier, Timestamp: ts, Type: typ}
		for s.at = 0; s.at < len(s.list) && cell.Compare(&s.list[s.at], &target) < 0; s.at++ {
		}
		s.pick()
		return
	case modeEmpty:
		return
	}
	if s.err != nil {
		return
	}
	s.it.Seek(qualifier, ts, typ)
	s.readHead()
	if s.mode == modeBoth && s.err == nil {
		k := append(s.seekKey[:0], s.prefix...)
		k = keys.AppendEscaped(k, qualifier)
		k = appendVersion(k, ts, typ)
		s.seekKey = k
		s.cells.SeekGE(k)
		s.readLow()
	}
	s.pick()
}

// appendVersion appends the end of a cell key.
func appendVersion(k []byte, ts int64, typ cell.Type) []byte {
	u := ^uint64(ts)
	return append(k, byte(u>>56), byte(u>>48), byte(u>>40), byte(u>>32), byte(u>>24), byte(u>>16), byte(u>>8), byte(u), ^byte(typ))
}
