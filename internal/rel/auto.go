package rel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
)

// counterBlock is how many numbers are written down ahead of their use. After a
// crash the rest of a block is lost; a clean end writes the exact numbers.
const counterBlock = 1000

// counter gives out the AUTO_INCREMENT numbers of a table and the numbers of its
// hidden keys. Numbers are never given twice: the store's record is always above
// what was given out.
//
//	key    20 00 uvarint(table id)
//	value  next auto-increment number, next hidden number: 8 bytes each, big-endian
type counter struct {
	mu     sync.Mutex // guards all below
	loaded bool
	auto   uint64 // the next one, at least
	hidden uint64
	// What the store's record says.
	savedAuto, savedHidden uint64
}

func (s *Store) counter(tableID uint64) *counter {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counters[tableID]
	if c == nil {
		c = new(counter)
		s.counters[tableID] = c
	}
	return c
}

// load reads the record once. mu is held.
func (c *counter) load(s *Store, def *catalog.SQLTable) error {
	if !c.loaded {
		b, err := s.engine.Get(nil, keys.AppendRelCounter(nil, def.ID))
		switch {
		case errors.Is(err, kv.ErrNotFound):
			c.auto, c.hidden = 1, 1
		case err != nil:
			return fmt.Errorf("rel: reading the counters of %s: %w", def.Name, err)
		case len(b) != 16:
			return fmt.Errorf("rel: counters of %s: %w", def.Name, kv.ErrCorrupt)
		default:
			c.auto, c.hidden = binary.BigEndian.Uint64(b), binary.BigEndian.Uint64(b[8:])
		}
		c.savedAuto, c.savedHidden = c.auto, c.hidden
		c.loaded = true
	}
	c.auto = max(c.auto, def.AutoFloor)
	return nil
}

// save makes the record cover what was given out. mu is held.
func (c *counter) save(s *Store, def *catalog.SQLTable) error {
	if c.auto <= c.savedAuto && c.hidden <= c.savedHidden {
		return nil
	}
	auto, hidden := c.savedAuto, c.savedHidden
	if c.auto > auto {
		auto = addUpTo(c.auto, counterBlock)
	}
	if c.hidden > hidden {
		hidden = addUpTo(c.hidden, counterBlock)
	}
	b := s.engine.NewBatch()
	putCounters(b, def.ID, auto, hidden)
	// Not synced: who uses a number commits later in the same log.
	if _, err := s.engine.Apply(b, kv.DurabilityAsync, nil); err != nil {
		return fmt.Errorf("rel: writing the counters of %s: %w", def.Name, err)
	}
	c.savedAuto, c.savedHidden = auto, hidden
	return nil
}

func putCounters(b kv.Batch, tableID, auto, hidden uint64) {
	v := binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, auto), hidden)
	b.Put(keys.AppendRelCounter(nil, tableID), v)
}

// settle writes the exact numbers.
func (c *counter) settle(b kv.Batch, tableID uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.loaded && (c.auto != c.savedAuto || c.hidden != c.savedHidden) {
		putCounters(b, tableID, c.auto, c.hidden)
		c.savedAuto, c.savedHidden = c.auto, c.hidden
	}
}

func addUpTo(a, b uint64) uint64 {
	if a+b < a {
		return ^uint64(0)
	}
	return a + b
}

// NextAuto takes the next number that fits an increment and an offset, as
// auto_increment_increment and auto_increment_offset mean them.
func (t *Table) NextAuto(increment, offset uint64) (uint64, error) {
	increment = max(increment, 1)
	if offset == 0 || offset > increment {
		offset = 1
	}
	c := t.auto
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(t.store, t.Def); err != nil {
		return 0, err
	}
	n := max(c.auto, 1)
	if n <= offset {
		n = offset
	} else if off := (n - offset) % increment; off != 0 {
		n += increment - off
	}
	limit := t.autoLimit()
	if n > limit || n < c.auto {
		// As in InnoDB, the last number of the type is given again and again,
		// for the unique index to refuse.
		if limit == ^uint64(0) || c.auto == ^uint64(0) {
			return 0, ErrAutoIncrement
		}
		return limit, nil
	}
	c.auto = addUpTo(n, 1)
	return n, c.save(t.store, t.Def)
}

// PeekAuto is what NextAuto would give at least.
func (t *Table) PeekAuto() (uint64, error) {
	c := t.auto
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.load(t.store, t.Def)
	return max(c.auto, 1), err
}

// RaiseAuto makes numbers come after n, which a statement has set itself.
func (t *Table) RaiseAuto(n uint64) error {
	c := t.auto
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(t.store, t.Def); err != nil {
		return err
	}
	if n < c.auto || n > t.autoLimit() {
		return nil
	}
	c.auto = addUpTo(n, 1)
	return c.save(t.store, t.Def)
}

// autoLimit is the largest number of the column.
func (t *Table) autoLimit() uint64 {
	c := &t.Def.Columns[t.autoColumn]
	width := c.Width
	if width <= 0 || width > 8 {
		width = 8
	}
	limit := ^uint64(0) >> (64 - 8*width)
	if c.Kind != catalog.SQLUint {
		limit >>= 1
	}
	return limit
}

func (t *Table) nextHidden() (uint64, error) {
	c := t.auto
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.load(t.store, t.Def); err != nil {
		return 0, err
	}
	n := c.hidden
	c.hidden++
	return n, c.save(t.store, t.Def)
}
