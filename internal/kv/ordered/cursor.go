package ordered

// Cursor walks the entries of a map that does not change any more: take it from
// a clone. A cursor that left the map at one end comes back by a step the other
// way.
type Cursor[V any] struct {
	chunks []*chunk[V]
	c, i   int // c is -1 before the first entry, len(chunks) behind the last
}

// Cursor returns a cursor before the first entry.
func (m *Map[V]) Cursor() Cursor[V] { return Cursor[V]{chunks: m.chunks, c: -1} }

// Valid reports whether the cursor is at an entry.
func (c *Cursor[V]) Valid() bool { return c.c >= 0 && c.c < len(c.chunks) }

// Key is the entry's key. It is never changed.
func (c *Cursor[V]) Key() []byte { return c.chunks[c.c].keys[c.i] }

// Value is the entry's value.
func (c *Cursor[V]) Value() V { return c.chunks[c.c].vals[c.i] }

// First moves to the first entry.
func (c *Cursor[V]) First() bool {
	c.c, c.i = 0, 0
	return c.Valid()
}

// Last moves to the last entry.
func (c *Cursor[V]) Last() bool {
	c.c = len(c.chunks)
	return c.Prev()
}

// SeekGE moves to the first entry at or behind key.
func (c *Cursor[V]) SeekGE(key []byte) bool {
	m := Map[V]{chunks: c.chunks}
	c.c, c.i, _ = m.find(key)
	return c.Valid()
}

// SeekLT moves to the last entry before key.
func (c *Cursor[V]) SeekLT(key []byte) bool {
	c.SeekGE(key)
	return c.Prev()
}

// Next moves one entry on.
func (c *Cursor[V]) Next() bool {
	switch {
	case c.c < 0:
		return c.First()
	case c.c == len(c.chunks):
		return false
	}
	if c.i++; c.i == len(c.chunks[c.c].keys) {
		c.c, c.i = c.c+1, 0
	}
	return c.Valid()
}

// Prev moves one entry back.
func (c *Cursor[V]) Prev() bool {
	if c.c < 0 {
		return false
	}
	if c.i--; c.i < 0 || c.c == len(c.chunks) {
		if c.c--; c.c >= 0 {
			c.i = len(c.chunks[c.c].keys) - 1
		}
	}
	return c.Valid()
}
