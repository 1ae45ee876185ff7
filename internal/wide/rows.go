package wide

import (
	"bytes"
	"fmt"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

// rowData is one row as it is stored: its packed values, copied, or the only one
// as the iterator lends it.
type rowData struct {
	key    []byte // the row's bytes
	prefix []byte // its key prefix
	buf    []byte
	fams   []packedFamily
	// lends: the row's only packed value is lent, of the family lentID, until the
	// reader leaves the row.
	lends  bool
	lent   []byte
	lentID uint32
}

type packedFamily struct {
	id         uint32
	start, end int // in buf
}

func (d *rowData) reset() {
	d.buf, d.fams, d.lent = d.buf[:0], d.fams[:0], nil
	d.lends = false
}

// family returns the packed value of a family, or nil.
func (d *rowData) family(id uint32) []byte {
	if d.lends && d.lentID == id {
		return d.lent
	}
	for i := range d.fams {
		if f := &d.fams[i]; f.id == id {
			return d.buf[f.start:f.end:f.end]
		}
	}
	return nil
}

// rowReader loads rows from an iterator, one after the other.
type rowReader struct {
	it kv.Iterator
	// wanted are the ids of the families to load; nil: all.
	wanted []uint32
	// lone says that the table has one family, so that a row has one packed key.
	lone    bool
	reverse bool
	// bytes counts the value bytes read.
	bytes int64
	seek  []byte
}

func (r *rowReader) wants(id uint32) bool {
	if r.wanted == nil {
		return true
	}
	for _, w := range r.wanted {
		if w == id {
			return true
		}
	}
	return false
}

// at reads the row prefix of the key at hand into d.
func (r *rowReader) at(d *rowData) error {
	d.reset()
	key := r.it.Key()
	_, row, n, err := keys.DecodeRow(d.key[:0], key)
	if err != nil {
		return fmt.Errorf("%w: key %x: %w", kv.ErrCorrupt, key, err)
	}
	d.key = row
	d.prefix = append(d.prefix[:0], key[:n]...)
	return nil
}

// load reads the row at whose first key (reverse: last key) the iterator
// stands. Then leave must be called.
func (r *rowReader) load(d *rowData) error {
	if err := r.at(d); err != nil {
		return err
	}
	var err error
	if r.lone {
		var done bool
		if done, err = r.lend(d); done || err != nil {
			return err
		}
	}
	if r.reverse {
		err = r.backward(d)
	} else {
		err = r.forward(d)
	}
	if err == nil {
		err = r.it.Error()
	}
	return err
}

// lend takes the packed value at hand without a copy. It is false where a row has
// more than that one key.
func (r *rowReader) lend(d *rowData) (bool, error) {
	w, err := keys.DecodeSuffix(nil, r.it.Key()[len(d.prefix):])
	if err != nil {
		return false, fmt.Errorf("%w: key %x: %w", kv.ErrCorrupt, r.it.Key(), err)
	}
	if w.Form != keys.FormPacked || !r.wants(w.FamilyID) {
		return false, nil
	}
	v, err := r.it.Value()
	if err != nil {
		return false, err
	}
	d.lends, d.lent, d.lentID = true, v, w.FamilyID
	r.bytes += int64(len(v))
	return true, nil
}

// leave brings the iterator from the row that was loaded to the row after it
// (before it), or makes it invalid.
func (r *rowReader) leave(d *rowData) error {
	if !d.lends {
		return nil // it went there to see what else the row has
	}
	d.lends, d.lent = false, nil
	if r.reverse {
		// Older versions of a much written key make a plain Prev slow.
		r.it.SeekLT(d.prefix)
	} else {
		r.it.NextPrefix()
	}
	return r.it.Error()
}

// loadOne reads the row at whose first key a prefix iterator stands. Such an
// iterator only moves by SeekGE and Next, and ends with the row.
func (r *rowReader) loadOne(d *rowData) error {
	if err := r.at(d); err != nil {
		return err
	}
	n := len(d.prefix)
	left := len(r.wanted)
	for r.it.Valid() {
		w, err := keys.DecodeSuffix(nil, r.it.Key()[n:])
		if err != nil {
			return fmt.Errorf("%w: key %x: %w", kv.ErrCorrupt, r.it.Key(), err)
		}
		if w.Form == keys.FormPacked && r.wants(w.FamilyID) {
			if err := r.take(d, w.FamilyID); err != nil {
				return err
			}
			left--
			if r.lone || left == 0 && r.wanted != nil {
				return nil
			}
		}
		// Not by Next: it would visit every overwritten value of a much
		// written row that is still in memory.
		r.seek = keys.AppendFamily(append(r.seek[:0], d.prefix...), w.FamilyID+1)
		r.it.SeekGE(r.seek)
	}
	return r.it.Error()
}

// take copies the packed value at hand.
func (r *rowReader) take(d *rowData, id uint32) error {
	v, err := r.it.Value()
	if err != nil {
		return err
	}
	start := len(d.buf)
	d.buf = append(d.buf, v...)
	d.fams = append(d.fams, packedFamily{id, start, len(d.buf)})
	r.bytes += int64(len(v))
	return nil
}

func (r *rowReader) forward(d *rowData) error {
	n := len(d.prefix)
	left := len(r.wanted)
	for {
		w, err := keys.DecodeSuffix(nil, r.it.Key()[n:])
		if err != nil {
			return fmt.Errorf("%w: key %x: %w", kv.ErrCorrupt, r.it.Key(), err)
		}
		switch {
		case w.Form == keys.FormCell:
			// Past the cell keys of this family.
			r.seek = keys.AppendFamily(append(r.seek[:0], d.prefix...), w.FamilyID+1)
			if !r.it.SeekGE(r.seek) {
				return nil
			}
		case r.wants(w.FamilyID):
			if err := r.take(d, w.FamilyID); err != nil {
				return err
			}
			left--
			if left == 0 && r.wanted != nil {
				r.it.NextPrefix()
				return nil
			}
			r.it.Next()
		default:
			r.it.Next()
		}
		if !r.it.Valid() || !bytes.HasPrefix(r.it.Key(), d.prefix) {
			return nil
		}
	}
}

func (r *rowReader) backward(d *rowData) error {
	n := len(d.prefix)
	for {
		w, err := keys.DecodeSuffix(nil, r.it.Key()[n:])
		if err != nil {
			return fmt.Errorf("%w: key %x: %w", kv.ErrCorrupt, r.it.Key(), err)
		}
		if w.Form == keys.FormCell {
			// The packed key of a family comes before its cell keys.
			r.seek = keys.AppendCells(append(r.seek[:0], d.prefix...), w.FamilyID)
			if !r.it.SeekLT(r.seek) {
				return nil
			}
		} else {
			if r.wants(w.FamilyID) {
				if err := r.take(d, w.FamilyID); err != nil {
					return err
				}
			}
			if r.lone {
				// Older versions of a much written key make a plain Prev slow.
				r.it.SeekLT(d.prefix)
			} else {
				r.it.Prev()
			}
		}
		if !r.it.Valid() || !bytes.HasPrefix(r.it.Key(), d.prefix) {
			return nil
		}
	}
}
