package wide

import (
	"math"
	"sort"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// newVersionTracker decides which puts markers hide in a family with
// NEW_VERSION_BEHAVIOR: a marker hides only what arrived before it, and a
// version that was pushed out by newer ones before a delete came does not come
// back through the delete. It follows HBASE-15968.
//
// Arrival is Cell.Seq. Cells come in the usual order: timestamps falling within
// a column, markers of the family first.
type newVersionTracker struct {
	maxVersions int
	family      []*deleteNode // sorted by seq; the last has seq max
	column      []*deleteNode // the family's nodes and the column's own
	inColumn    bool
}

// deleteNode is one DeleteFamily or DeleteColumn (or the end of time, with seq
// max) and the version deletes that arrived before it but after the node below.
type deleteNode struct {
	ts  int64
	seq uint64
	// versions has, for a timestamp, the arrivals of its version deletes, sorted.
	versions map[int64][]uint64
	// counts has, for each moment at which something was deleted, the puts that
	// had arrived by then; sorted by seq.
	counts []arrivals
}

type arrivals struct {
	seq  uint64
	puts map[uint64]struct{}
}

func newDeleteNode(ts int64, seq uint64) *deleteNode {
	return &deleteNode{ts: ts, seq: seq, versions: map[int64][]uint64{},
		counts: []arrivals{{math.MaxUint64, map[uint64]struct{}{}}}}
}

func (n *deleteNode) clone() *deleteNode {
	c := &deleteNode{ts: n.ts, seq: n.seq, versions: make(map[int64][]uint64, len(n.versions))}
	for ts, seqs := range n.versions {
		c.versions[ts] = append([]uint64(nil), seqs...)
	}
	for _, a := range n.counts {
		puts := make(map[uint64]struct{}, len(a.puts))
		for s := range a.puts {
			puts[s] = struct{}{}
		}
		c.counts = append(c.counts, arrivals{a.seq, puts})
	}
	return c
}

func (n *deleteNode) addVersion(ts int64, seq uint64) {
	seqs := n.versions[ts]
	i := sort.Search(len(seqs), func(i int) bool { return seqs[i] >= seq })
	if i < len(seqs) && seqs[i] == seq {
		return
	}
	n.versions[ts] = append(seqs[:i:i], append([]uint64{seq}, seqs[i:]...)...)
	j := sort.Search(len(n.counts), func(i int) bool { return n.counts[i].seq >= seq })
	if n.counts[j].seq == seq {
		return
	}
	puts := map[uint64]struct{}{}
	for s := range n.counts[j].puts {
		if s < seq {
			puts[s] = struct{}{}
		}
	}
	n.counts = append(n.counts[:j:j], append([]arrivals{{seq, puts}}, n.counts[j:]...)...)
}

func newNewVersionTracker(maxVersions int) *newVersionTracker {
	t := &newVersionTracker{maxVersions: maxVersions}
	t.resetRow()
	return t
}

func (t *newVersionTracker) resetRow() {
	t.family = append(t.family[:0], newDeleteNode(math.MinInt64, math.MaxUint64))
	t.inColumn = false
}

func (t *newVersionTracker) enterColumn() {
	t.column = t.column[:0]
	for _, n := range t.family {
		t.column = append(t.column, n.clone())
	}
	t.inColumn = true
}

func insertNode(nodes []*deleteNode, n *deleteNode) []*deleteNode {
	i := sort.Search(len(nodes), func(i int) bool { return nodes[i].seq >= n.seq })
	if i < len(nodes) && nodes[i].seq == n.seq {
		nodes[i] = n
		return nodes
	}
	return append(nodes[:i:i], append([]*deleteNode{n}, nodes[i:]...)...)
}

func nodeAt(nodes []*deleteNode, seq uint64) int {
	return sort.Search(len(nodes), func(i int) bool { return nodes[i].seq >= seq })
}

func (t *newVersionTracker) add(c *cell.Cell) {
	switch c.Type {
	case cell.DeleteFamily:
		t.family = insertNode(t.family, newDeleteNode(c.Timestamp, c.Seq))
		t.column = insertNode(t.column, newDeleteNode(c.Timestamp, c.Seq))
	case cell.DeleteFamilyVersion:
		t.family[nodeAt(t.family, c.Seq)].addVersion(c.Timestamp, c.Seq)
		t.column[nodeAt(t.column, c.Seq)].addVersion(c.Timestamp, c.Seq)
	case cell.DeleteColumn:
		t.column = insertNode(t.column, newDeleteNode(c.Timestamp, c.Seq))
	case cell.Delete:
		t.column[nodeAt(t.column, c.Seq)].addVersion(c.Timestamp, c.Seq)
	}
}

// hides must be asked for every put, since it also counts them.
func (t *newVersionTracker) hides(c *cell.Cell) bool {
	for _, n := range t.column[nodeAt(t.column, c.Seq):] {
		deletedAt := uint64(math.MaxUint64)
		for _, s := range n.versions[c.Timestamp] {
			if s >= c.Seq {
				deletedAt = s
				break
			}
		}
		for _, a := range n.counts {
			if a.seq < c.Seq || a.seq > deletedAt {
				continue
			}
			if len(a.puts) >= t.maxVersions {
				return true
			}
			a.puts[c.Seq] = struct{}{}
		}
		if deletedAt != math.MaxUint64 || c.Timestamp <= n.ts {
			return true
		}
	}
	return false
}
