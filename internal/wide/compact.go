package wide

import (
	"bytes"
	"context"
	"math"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// MajorCompact drops from the rows of a region, in one family or (nil) in all,
// what HBase's major compaction drops: everything that no reader can see, and
// markers that have done their work. Readers and writers go on meanwhile.
func (s *Store) MajorCompact(ctx context.Context, r *catalog.Region, family []byte) error {
	id := r.Table.DataID()
	bounds := regionRange(r)
	next := bounds.Start
	for {
		prefixes, err := s.rowPrefixes(kv.KeyRange{Start: next, End: bounds.End}, 256)
		if err != nil {
			return err
		}
		if len(prefixes) == 0 {
			break
		}
		for _, prefix := range prefixes {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := s.compactRow(ctx, r.Table, prefix, family); err != nil {
				return err
			}
		}
		last := prefixes[len(prefixes)-1]
		next = append(next[:0:0], last...)
		next[len(next)-1]++
	}
	if len(r.Start) == 0 && len(r.End) == 0 {
		bounds = kv.KeyRange{Start: keys.AppendData(nil, id), End: keys.AppendDataEnd(nil, id)}
	}
	return s.engine.Compact(ctx, bounds)
}

// regionRange is the range of keys of a region.
func regionRange(r *catalog.Region) kv.KeyRange {
	id := r.Table.DataID()
	b := kv.KeyRange{Start: keys.AppendData(nil, id), End: keys.AppendDataEnd(nil, id)}
	if len(r.Start) > 0 {
		b.Start = keys.AppendRow(nil, id, r.Start)
	}
	if len(r.End) > 0 {
		b.End = keys.AppendRow(nil, id, r.End)
	}
	return b
}

// rowPrefixes lists the prefixes of up to n rows.
func (s *Store) rowPrefixes(r kv.KeyRange, n int) ([][]byte, error) {
	it, err := s.engine.NewIter(kv.IterOptions{KeyRange: r, NoCache: true})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	var out [][]byte
	for ok := it.First(); ok && len(out) < n; ok = it.NextPrefix() {
		key := it.Key()
		out = append(out, append([]byte(nil), key[:keys.Split(key)]...))
	}
	return out, it.Error()
}

func (s *Store) compactRow(ctx context.Context, t *catalog.Table, prefix, family []byte) error {
	gate, err := s.enter(t)
	if err != nil {
		return err
	}
	defer gate.RUnlock()
	latch, err := s.latch(ctx, [][]byte{prefix})
	if err != nil {
		return err
	}
	defer latch.Unlock()
	return s.changeRow(t, prefix, latch, func(c *familyChange) (bool, error) {
		if family != nil && !bytes.Equal(c.family.Name, family) {
			return false, nil
		}
		return c.compact()
	})
}

// compact marks what a major compaction drops. It returns false when nothing
// would change.
func (c *familyChange) compact() (bool, error) {
	if err := c.loadAll(); err != nil {
		return false, err
	}
	earliestPut := int64(math.MaxInt64)
	for i := range c.cells {
		if x := &c.cells[i]; x.Type == cell.Put {
			earliestPut = min(earliestPut, x.Timestamp)
		}
	}
	q := Query{TimeRange: AllTime, MaxVersions: c.family.MaxVersions, StoreLimit: -1}
	m := newMatcher(&q, c.family, nil, c.now)
	m.resetRow()
	dropped := false
	// leave holds the column of which no more is kept.
	var leave []byte
	leaving := false
	for i := range c.cells {
		x := &c.cells[i]
		if leaving && bytes.Equal(x.Qualifier, leave) && len(leave) > 0 {
			x.drop, dropped = true, true
			continue
		}
		leaving = false
		if x.Type.IsDelete() && c.keepsMarker(m, x) {
			x.drop = x.Timestamp < earliestPut
			dropped = dropped || x.drop
			continue
		}
		switch m.match(&x.Cell) {
		case include:
		case includeNextColumn:
			leaving, leave = true, x.Qualifier
		case nextColumn, nextRow:
			x.drop, dropped = true, true
			leaving, leave = true, x.Qualifier
		default:
			x.drop, dropped = true, true
		}
	}
	return dropped || c.packed.Parts() > 1 || cell.Long(c.value), nil
}

// keepsMarker tells whether the family keeps this marker, which then hides
// nothing from the compaction.
func (c *familyChange) keepsMarker(m *matcher, x *changeCell) bool {
	switch c.family.KeepDeleted {
	case catalog.KeepDeletedTrue:
		return true
	case catalog.KeepDeletedTTL:
		return x.Timestamp >= m.oldest
	}
	return false
}

// MidRow returns a row that splits a region's rows in two halves, or nil when
// there is none (fewer than two rows).
func (s *Store) MidRow(ctx context.Context, r *catalog.Region) ([]byte, error) {
	it, err := s.engine.NewIter(kv.IterOptions{KeyRange: regionRange(r), NoCache: true})
	if err != nil {
		return nil, err
	}
	defer it.Close()
	// Every step-th row; step doubles when there are too many.
	var sample [][]byte
	step, n := 1, 0
	for ok := it.First(); ok; ok = it.NextPrefix() {
		if n%step == 0 {
			_, row, _, err := keys.DecodeRow(nil, it.Key())
			if err != nil {
				return nil, err
			}
			sample = append(sample, row)
			if len(sample) == 4096 {
				for i := range 2048 {
					sample[i] = sample[2*i]
				}
				sample = sample[:2048]
				step *= 2
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		n++
	}
	if err := it.Error(); err != nil {
		return nil, err
	}
	if len(sample) < 2 {
		return nil, nil
	}
	mid := sample[len(sample)/2]
	if bytes.Equal(mid, r.Start) {
		return nil, nil
	}
	return mid, nil
}
