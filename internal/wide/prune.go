package wide

import (
	"bytes"
	"math"
	"sort"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/wide/cell"
)

// spareVersions is how many puts more than a reader can see stay in a row until
// a major compaction: HBase keeps all of them in its memstore, and a delete of
// the newest shows the next.
const spareVersions = 8

// prune marks what a rewrite may drop without a major compaction: surplus
// versions beyond VERSIONS + 8, hidden and expired puts beyond 8 a column, and
// markers that another marker covers. What readers see depends on it only where
// a delete of a version reaches further back than that. Families that keep
// deleted cells keep their markers and what they hide, and those with new
// version behaviour everything.
func (c *familyChange) prune() error {
	if err := c.loadTouched(); err != nil {
		return err
	}
	if c.family.NewVersionBehavior {
		return nil
	}
	var p columnPruner
	p.init(c)
	for start := 0; start < len(c.cells); {
		end := start + 1
		for end < len(c.cells) && bytes.Equal(c.cells[end].Qualifier, c.cells[start].Qualifier) {
			end++
		}
		p.column(c.cells[start:end])
		start = end
	}
	return nil
}

type columnPruner struct {
	family *catalog.Family
	keep   bool // KEEP_DELETED_CELLS
	oldest int64
	// familyTS is the newest DeleteFamily, familyVersions all
	// DeleteFamilyVersions, descending.
	familyTS       int64
	hasFamily      bool
	familyVersions []int64
}

func (p *columnPruner) init(c *familyChange) {
	p.family = c.family
	p.keep = c.family.KeepDeleted != catalog.KeepDeletedFalse
	p.oldest = math.MinInt64
	if c.family.TTLSeconds > 0 && c.family.TTLSeconds < catalog.Forever {
		p.oldest = c.now - c.family.TTLSeconds*1000
	}
	for i := range c.cells {
		x := &c.cells[i]
		if len(x.Qualifier) > 0 {
			break
		}
		switch x.Type {
		case cell.DeleteFamily:
			if !p.hasFamily {
				p.hasFamily, p.familyTS = true, x.Timestamp
			}
		case cell.DeleteFamilyVersion:
			p.familyVersions = append(p.familyVersions, x.Timestamp)
		}
	}
}

// column marks what goes of one column's cells, newest first.
func (p *columnPruner) column(cells []changeCell) {
	hiddenPuts, puts := 0, 0
	var t deleteTracker
	seenFamily, seenColumn := false, false
	for i := range cells {
		x := &cells[i]
		switch x.Type {
		case cell.DeleteFamily:
			x.drop = seenFamily && !p.keep
			seenFamily = true
		case cell.DeleteFamilyVersion:
			x.drop = p.covered(x.Timestamp) && !p.keep
		case cell.DeleteColumn:
			x.drop = (seenColumn || p.covered(x.Timestamp)) && !p.keep
			seenColumn = true
			t.add(&x.Cell)
		case cell.Delete:
			x.drop = (seenColumn || p.covered(x.Timestamp)) && !p.keep
			t.add(&x.Cell)
		case cell.Put:
			hide := p.covered(x.Timestamp) || p.versionHidden(x.Timestamp) ||
				t.check(x.Timestamp) != notHidden || x.Timestamp < p.oldest
			if hide && !p.keep {
				hiddenPuts++
				x.drop = hiddenPuts > spareVersions
			} else {
				puts++
				x.drop = puts > p.family.MaxVersions+spareVersions
			}
		}
	}
}

func (p *columnPruner) covered(ts int64) bool { return p.hasFamily && ts <= p.familyTS }

func (p *columnPruner) versionHidden(ts int64) bool {
	i := sort.Search(len(p.familyVersions), func(i int) bool { return p.familyVersions[i] <= ts })
	return i < len(p.familyVersions) && p.familyVersions[i] == ts
}
