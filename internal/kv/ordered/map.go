package ordered

import (
	"bytes"
	"slices"
	"sort"
)

// chunkLen is the most entries of a chunk: large enough that the list of chunks
// stays short, small enough that copying one is cheap.
const chunkLen = 64

// Map is a sorted map. The zero value is empty. It is not safe for concurrent
// use, but clones share no state that changes: each may have its own goroutine.
type Map[V any] struct {
	chunks []*chunk[V] // none empty; keys ascend within and across
	n      int
	// chunks and those of its members that carry this owner are not shared with
	// any clone. nil owns nothing.
	owner *owner
	own   bool // the slice chunks itself
}

type chunk[V any] struct {
	owner *owner
	keys  [][]byte
	vals  []V
}

type owner struct{ _ byte } // not empty: each has its own address

// Len is the number of entries.
func (m *Map[V]) Len() int { return m.n }

// Clone returns a map with the same entries. Later changes of either are not
// seen by the other.
func (m *Map[V]) Clone() Map[V] {
	m.owner, m.own = nil, false
	return Map[V]{chunks: m.chunks, n: m.n}
}

// find returns where key is, or where it belongs: chunk c, entry i. c is
// len(chunks) when key lies behind all chunks' last keys.
func (m *Map[V]) find(key []byte) (c, i int, ok bool) {
	c = sort.Search(len(m.chunks), func(j int) bool {
		k := m.chunks[j].keys
		return bytes.Compare(k[len(k)-1], key) >= 0
	})
	if c == len(m.chunks) {
		return c, 0, false
	}
	i, ok = slices.BinarySearchFunc(m.chunks[c].keys, key, bytes.Compare)
	return c, i, ok
}

// Get returns the value of key.
func (m *Map[V]) Get(key []byte) (v V, ok bool) {
	c, i, ok := m.find(key)
	if !ok {
		return v, false
	}
	return m.chunks[c].vals[i], true
}

// writable makes the list of chunks and chunk c this map's own.
func (m *Map[V]) writable(c int) *chunk[V] {
	if m.owner == nil {
		m.owner = new(owner)
	}
	if !m.own {
		m.chunks, m.own = slices.Clone(m.chunks), true
	}
	x := m.chunks[c]
	if x.owner != m.owner {
		y := &chunk[V]{owner: m.owner, keys: make([][]byte, len(x.keys), chunkLen), vals: make([]V, len(x.vals), chunkLen)}
		copy(y.keys, x.keys)
		copy(y.vals, x.vals)
		m.chunks[c], x = y, y
	}
	return x
}

// Set gives key a value. The map keeps key, which may not change any more.
func (m *Map[V]) Set(key []byte, v V) {
	if len(m.chunks) == 0 {
		m.owner, m.own = new(owner), true
		m.chunks = []*chunk[V]{{owner: m.owner, keys: [][]byte{key}, vals: []V{v}}}
		m.n = 1
		return
	}
	c, i, ok := m.find(key)
	if c == len(m.chunks) {
		c--
		i = len(m.chunks[c].keys)
	}
	x := m.writable(c)
	if ok {
		x.vals[i] = v
		return
	}
	m.n++
	if len(x.keys) == chunkLen {
		at := chunkLen / 2
		if c == len(m.chunks)-1 && i == chunkLen {
			at = chunkLen - 1 // ascending inserts leave full chunks behind
		}
		y := &chunk[V]{owner: m.owner, keys: make([][]byte, 0, chunkLen), vals: make([]V, 0, chunkLen)}
		y.keys = append(y.keys, x.keys[at:]...)
		y.vals = append(y.vals, x.vals[at:]...)
		x.keys, x.vals = slices.Delete(x.keys, at, chunkLen), slices.Delete(x.vals, at, chunkLen)
		m.chunks = slices.Insert(m.chunks, c+1, y)
		if i > at {
			x, i = y, i-at
		}
	}
	x.keys, x.vals = slices.Insert(x.keys, i, key), slices.Insert(x.vals, i, v)
}

// Delete removes key and reports whether it was there.
func (m *Map[V]) Delete(key []byte) bool {
	c, i, ok := m.find(key)
	if !ok {
		return false
	}
	x := m.writable(c)
	x.keys, x.vals = slices.Delete(x.keys, i, i+1), slices.Delete(x.vals, i, i+1)
	if len(x.keys) == 0 {
		m.chunks = slices.Delete(m.chunks, c, c+1)
	}
	m.n--
	return true
}
