package wide

import (
	"bytes"
	"fmt"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// familyChange is a rewrite of one family of one row. The row is locked.
type familyChange struct {
	s      *Store
	family *catalog.Family
	now    int64
	prefix []byte // of the row
	value  []byte
	packed cell.Packed
	batch  kv.Batch

	// cells are those looked at, in order; drop marks those that go.
	cells []changeCell
	// whole: cells are all of the family. Otherwise they are the packed ones
	// and all versions of the same columns.
	whole bool
}

type changeCell struct {
	cell.Cell
	inPacked bool // newest word is in the packed value
	stub     bool // that has only a stub
	inKey    bool // there is a cell key
	drop     bool
}

// changeRow shows every family of a locked row to change, which marks cells to
// drop and says whether the family is to be written anew. All is applied in
// one batch.
func (s *Store) changeRow(t *catalog.Table, prefix []byte, latch kv.Latch, change func(c *familyChange) (bool, error)) error {
	it, err := s.engine.NewIter(kv.IterOptions{KeyRange: prefixRange(prefix), Prefix: true})
	if err != nil {
		return err
	}
	var row rowData
	if it.SeekGE(prefix) {
		r := rowReader{it: it}
		err = r.loadOne(&row)
	} else {
		err = it.Error()
	}
	if cerr := it.Close(); err == nil {
		err = cerr
	}
	if err != nil || len(row.fams) == 0 {
		return err
	}
	batch := s.engine.NewBatch()
	for _, pf := range row.fams {
		f := familyByID(t, pf.id)
		if f == nil {
			// A family that was dropped: nothing can ask for its cells.
			if err := s.dropFamily(batch, prefix, pf.id, row.family(pf.id)); err != nil {
				return err
			}
			continue
		}
		c := familyChange{s: s, family: f, now: s.o.Clock(), prefix: prefix, value: row.family(pf.id), batch: batch}
		if err := c.packed.Reset(c.value); err != nil {
			return fmt.Errorf("%w: row %x: %w", kv.ErrCorrupt, prefix, err)
		}
		changed, err := change(&c)
		if err != nil {
			return err
		}
		if changed {
			c.write()
		}
	}
	if batch.Count() == 0 {
		return nil
	}
	// What is written was there before, in other words: no one waits for it.
	_, err = s.engine.Apply(batch, kv.DurabilityAsync, latch)
	return err
}

func familyByID(t *catalog.Table, id uint32) *catalog.Family {
	for _, f := range t.Families {
		if f.ID == id {
			return f
		}
	}
	return nil
}

func (s *Store) dropFamily(batch kv.Batch, prefix []byte, id uint32, value []byte) error {
	batch.Delete(keys.AppendPacked(append([]byte(nil), prefix...), id))
	if !cell.HasCells(value) {
		return nil
	}
	p := keys.AppendCells(append([]byte(nil), prefix...), id)
	it, err := s.engine.NewIter(kv.IterOptions{KeyRange: prefixRange(p)})
	if err != nil {
		return err
	}
	defer it.Close()
	for ok := it.First(); ok; ok = it.Next() {
		batch.Delete(it.Key())
	}
	return it.Error()
}

func (c *familyChange) openCells(prefix []byte) (kv.Iterator, error) {
	return c.s.engine.NewIter(kv.IterOptions{KeyRange: prefixRange(prefix)})
}

// loadAll looks at every cell of the family.
func (c *familyChange) loadAll() error {
	c.whole = true
	var src source
	defer src.close()
	src.initPacked(c.value, c.prefix, c.family.ID, c)
	for src.valid {
		c.take(&src)
		src.advance()
	}
	return src.err
}

// loadTouched looks at the columns that the packed value has cells of, and at
// the markers of the family.
func (c *familyChange) loadTouched() error {
	if !c.packed.HasCells() {
		return c.loadAll()
	}
	var src source
	defer src.close()
	src.initPacked(c.value, c.prefix, c.family.ID, c)
	var it cell.Iter
	it.Init(&c.packed)
	var x cell.Cell
	last := []byte{}
	src.seek(nil, cell.Latest, 0xFF)
	for src.valid && len(src.cur.Qualifier) == 0 {
		c.take(&src)
		src.advance()
	}
	for it.Next(&x) {
		if bytes.Equal(x.Qualifier, last) {
			continue
		}
		last = append(last[:0], x.Qualifier...)
		src.seek(last, cell.Latest, 0xFF)
		for src.valid && bytes.Equal(src.cur.Qualifier, last) {
			c.take(&src)
			src.advance()
		}
	}
	if err := it.Err(); err != nil {
		return err
	}
	return src.err
}

func (c *familyChange) take(src *source) {
	x := changeCell{Cell: src.cur}
	switch src.mode {
	case modePacked:
		x.inPacked = true
	default:
		d := -1
		if !src.headOK {
			d = 1
		} else if src.lowOK {
			d = cell.Compare(&src.head, &src.low)
		}
		x.inPacked = d <= 0
		x.stub = d == 0 && src.headStub
		x.inKey = d >= 0
	}
	if src.volatile() {
		x.Cell = src.cur.Clone()
	}
	c.cells = append(c.cells, x)
}

// write adds the new form of the family to the batch.
func (c *familyChange) write() {
	kept, bytesKept := 0, 0
	for i := range c.cells {
		if x := &c.cells[i]; !x.drop {
			kept++
			if n := len(x.Value); n <= c.s.o.LargeValueBytes {
				bytesKept += n
			}
			bytesKept += len(x.Qualifier) + 12
		}
	}
	packedKey := keys.AppendPacked(append([]byte(nil), c.prefix...), c.family.ID)
	if c.whole && kept == 0 {
		for i := range c.cells {
			c.deleteKey(&c.cells[i])
		}
		c.batch.Delete(packedKey)
		return
	}
	limitBytes, limitCells := c.s.o.SpillBytes, c.s.o.SpillCells
	if c.packed.HasCells() {
		// Not back and forth: a spilled family is packed again only when it has
		// become much smaller.
		limitBytes, limitCells = limitBytes/2, limitCells/2
	}
	if c.whole && bytesKept <= limitBytes && kept <= limitCells {
		c.writePacked(packedKey)
		return
	}
	c.spill(packedKey)
}

// writePacked writes all kept cells packed, with stubs for large values.
func (c *familyChange) writePacked(packedKey []byte) {
	var b cell.Builder
	b.Reset()
	stubs := false
	for i := range c.cells {
		x := &c.cells[i]
		if x.drop {
			c.deleteKey(x)
			continue
		}
		large := len(x.Value) > c.s.o.LargeValueBytes
		if large {
			stubs = true
			if !x.inKey || !x.stub && x.inPacked {
				c.putKey(x)
			}
		} else {
			c.deleteKey(x)
		}
		b.Add(&x.Cell, large)
	}
	c.batch.Put(packedKey, b.Finish(nil, stubs))
}

// spill moves the packed cells to keys of their own and leaves an empty packed
// value that says so.
func (c *familyChange) spill(packedKey []byte) {
	for i := range c.cells {
		x := &c.cells[i]
		switch {
		case x.drop:
			c.deleteKey(x)
		case x.inPacked && !x.stub:
			c.putKey(x)
		}
	}
	c.batch.Put(packedKey, cell.AppendPacked(nil, nil, nil, true))
}

func (c *familyChange) key(x *changeCell) []byte {
	return keys.AppendCell(append([]byte(nil), c.prefix...), c.family.ID, x.Qualifier, x.Timestamp, byte(x.Type))
}

func (c *familyChange) putKey(x *changeCell) {
	c.batch.Put(c.key(x), cell.AppendCellValue(nil, &x.Cell))
}

func (c *familyChange) deleteKey(x *changeCell) {
	if x.inKey {
		c.batch.Delete(c.key(x))
	}
}
