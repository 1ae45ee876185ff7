package wide

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/basaltdb/basalt/internal/keys"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// nonceTable makes increments and appends that a client sends again run once.
// The outcome is written in the operation's own batch, under
//
//	03 | generation 8 B BE | group 8 B BE | nonce 8 B BE  ->  outcome
//
// so that it survives whatever the operation survives. A generation is a span
// of time; old ones are dropped as a whole. In memory there is a Bloom filter
// for each generation of this process, so that the usual case, a nonce never
// seen, asks the store nothing; generations from before the start are asked for
// in the store while they last.
type nonceTable struct {
	engine kv.Engine
	clock  func() int64
	spanMs int64

	mu       sync.Mutex
	inflight map[nonceID]*nonce
	gens     []*nonceGeneration // newest last
	first    int64              // generation in which this process started
}

type nonceID struct{ group, nonce uint64 }

// nonce is one operation under way or done.
type nonce struct {
	id   nonceID
	gen  int64
	over chan struct{}
}

type nonceGeneration struct {
	gen    int64
	blooms [][]uint64
	n      int // entries in the last bloom
}

const (
	// generationsKept cover at least NonceAge: the current one and its elders.
	generationsKept = 3
	bloomBits       = 1 << 24
	bloomEntries    = 1 << 20
	bloomProbes     = 6
)

func openNonces(e kv.Engine, o Options) (*nonceTable, error) {
	t := &nonceTable{
		engine: e, clock: o.Clock,
		spanMs:   max(o.NonceAge.Milliseconds()/(generationsKept-1), 1),
		inflight: map[nonceID]*nonce{},
	}
	t.first = t.generation()
	return t, t.expire(context.Background())
}

func (t *nonceTable) generation() int64 { return t.clock() / t.spanMs }

func nonceKey(gen int64, id nonceID) []byte {
	k := make([]byte, 0, 25)
	k = append(k, keys.SpaceNonce)
	k = binary.BigEndian.AppendUint64(k, uint64(gen))
	k = binary.BigEndian.AppendUint64(k, id.group)
	return binary.BigEndian.AppendUint64(k, id.nonce)
}

// begin waits for an operation of the same nonce that is under way. It returns
// done when one has succeeded before; otherwise end must be called.
func (t *nonceTable) begin(ctx context.Context, group, num uint64) (n *nonce, done bool, err error) {
	id := nonceID{group, num}
	for {
		t.mu.Lock()
		if other := t.inflight[id]; other != nil {
			t.mu.Unlock()
			select {
			case <-other.over:
				continue
			case <-ctx.Done():
				return nil, false, ctx.Err()
			}
		}
		ask := t.suspects(id)
		n = &nonce{id: id, gen: t.generation(), over: make(chan struct{})}
		t.inflight[id] = n
		t.mu.Unlock()
		for _, gen := range ask {
			_, err := t.engine.Get(nil, nonceKey(gen, id))
			if errors.Is(err, kv.ErrNotFound) {
				continue
			}
			t.end(n, false)
			if err != nil {
				return nil, false, err
			}
			return &nonce{id: id, gen: gen}, true, nil
		}
		return n, false, nil
	}
}

// suspects are the generations in which the nonce may have been used. t.mu is
// held.
func (t *nonceTable) suspects(id nonceID) (ask []int64) {
	now := t.generation()
	for gen := now - generationsKept + 1; gen <= t.first; gen++ {
		ask = append(ask, gen)
	}
	h := hashNonce(id)
	for _, g := range t.gens {
		if g.gen > t.first && g.maybe(h) {
			ask = append(ask, g.gen)
		}
	}
	return ask
}

// end is called once for what begin started.
func (t *nonceTable) end(n *nonce, ok bool) {
	t.mu.Lock()
	delete(t.inflight, n.id)
	if ok {
		t.note(n)
	}
	t.mu.Unlock()
	close(n.over)
}

func (t *nonceTable) note(n *nonce) {
	h := hashNonce(n.id)
	for _, g := range t.gens {
		if g.gen == n.gen {
			g.add(h)
			return
		}
	}
	g := &nonceGeneration{gen: n.gen}
	g.add(h)
	t.gens = append(t.gens, g)
}

// record adds the outcome to the operation's batch.
func (t *nonceTable) record(b kv.Batch, n *nonce, out *Outcome) {
	b.Put(nonceKey(n.gen, n.id), appendOutcome(nil, out.Result))
}

// outcome answers for an operation that has run before.
func (t *nonceTable) outcome(n *nonce) (Outcome, error) {
	v, err := t.engine.Get(nil, nonceKey(n.gen, n.id))
	if err != nil {
		return Outcome{}, fmt.Errorf("wide: outcome of a repeated operation: %w", err)
	}
	cells, err := decodeOutcome(v)
	if err != nil {
		return Outcome{}, err
	}
	return Outcome{Applied: true, Result: cells, Mark: t.engine.Applied()}, nil
}

// expire drops the generations that are older than needed.
func (t *nonceTable) expire(ctx context.Context) error {
	oldest := t.generation() - generationsKept + 1
	t.mu.Lock()
	for len(t.gens) > 0 && t.gens[0].gen < oldest {
		t.gens = t.gens[1:]
	}
	t.mu.Unlock()
	it, err := t.engine.NewIter(kv.IterOptions{KeyRange: kv.KeyRange{
		Start: []byte{keys.SpaceNonce}, End: nonceKey(oldest, nonceID{})[:9],
	}})
	if err != nil {
		return err
	}
	some := it.First()
	if err := errors.Join(it.Error(), it.Close()); err != nil || !some {
		return err
	}
	// An operation that began in an old generation and is still under way
	// keeps its nonce in flight; its retry meets it there.
	return t.engine.DeleteRange(ctx, kv.KeyRange{
		Start: []byte{keys.SpaceNonce}, End: nonceKey(oldest, nonceID{})[:9],
	})
}

func hashNonce(id nonceID) uint64 {
	h := id.group*0x9E3779B97F4A7C15 ^ id.nonce
	h ^= h >> 32
	h *= 0xD6E8FEB86659FD93
	h ^= h >> 29
	h *= 0xD6E8FEB86659FD93
	return h ^ h>>32
}

func (g *nonceGeneration) add(h uint64) {
	if len(g.blooms) == 0 || g.n >= bloomEntries {
		g.blooms = append(g.blooms, make([]uint64, bloomBits/64))
		g.n = 0
	}
	b := g.blooms[len(g.blooms)-1]
	g.n++
	step := h>>32 | 1
	for range bloomProbes {
		b[h%bloomBits/64] |= 1 << (h % 64)
		h += step
	}
}

func (g *nonceGeneration) maybe(h uint64) bool {
	for _, b := range g.blooms {
		x, step, hit := h, h>>32|1, true
		for range bloomProbes {
			if b[x%bloomBits/64]&(1<<(x%64)) == 0 {
				hit = false
				break
			}
			x += step
		}
		if hit {
			return true
		}
	}
	return false
}

// An outcome is: 0 (no result wanted), or 1 + cell count, then for each cell
// row, family, qualifier, tags, value (each uvarint length and bytes) and the
// timestamp (8 B BE).
func appendOutcome(dst []byte, cells []cell.Cell) []byte {
	if cells == nil {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(1+len(cells)))
	for i := range cells {
		c := &cells[i]
		for _, b := range [...][]byte{c.Row, c.Family, c.Qualifier, c.Tags, c.Value} {
			dst = binary.AppendUvarint(dst, uint64(len(b)))
			dst = append(dst, b...)
		}
		dst = binary.BigEndian.AppendUint64(dst, uint64(c.Timestamp))
	}
	return dst
}

func decodeOutcome(b []byte) ([]cell.Cell, error) {
	malformed := fmt.Errorf("%w: outcome of an increment or append", kv.ErrCorrupt)
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)) {
		return nil, malformed
	}
	b = b[k:]
	if n == 0 {
		return nil, nil
	}
	cells := make([]cell.Cell, 0, n-1)
	for range n - 1 {
		c := cell.Cell{Type: cell.Put}
		for _, f := range [...]*[]byte{&c.Row, &c.Family, &c.Qualifier, &c.Tags, &c.Value} {
			size, k := binary.Uvarint(b)
			if k <= 0 || size > uint64(len(b)-k) {
				return nil, malformed
			}
			*f = b[k : k+int(size) : k+int(size)]
			b = b[k+int(size):]
		}
		if len(b) < 8 {
			return nil, malformed
		}
		c.Timestamp = int64(binary.BigEndian.Uint64(b))
		b = b[8:]
		cells = append(cells, c)
	}
	return cells, nil
}
