package wide

import (
	"bytes"
	"math"
	"sort"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/wide/cell"
	"github.com/basaltdb/basalt/internal/wide/filter"
)

// verdict is what a matcher says of one cell.
type verdict uint8

const (
	include verdict = iota
	includeNextColumn
	includeNextRow // include; nothing more of this family
	skip
	nextColumn
	nextRow // nothing more of this family
	useHint
	endScan
)

// matcher decides, cell by cell in order, what a read of one family of one row
// shows: time range, delete markers, TTL, columns, versions, filter. Its state
// is plain data and survives between the pieces of a row that is read in
// several calls.
//
// The rules are those of HBase 2.6's ScanQueryMatcher family, its column
// trackers and its delete tracker.
type matcher struct {
	family *catalog.Family
	// columns wanted, sorted and unique; nil: all.
	columns   [][]byte
	timeRange TimeRange
	raw       bool
	// seePast: markers hide only within the time range of the query.
	seePast bool
	filter  filter.Filter
	// maxVersions bounds versions before the filter, maxAfter after it.
	maxVersions, maxAfter, minVersions int
	// now and oldest in ms: a cell older than oldest has outlived the TTL.
	now, oldest int64

	deletes deleteTracker
	newer   *newVersionTracker // for families with new version behaviour

	// The current column.
	qualifier []byte
	inColumn  bool
	count     int // versions seen
	after     int // versions that passed the filter
	lastTS    int64
	lastType  cell.Type
	hasLast   bool
	// next indexes columns: the first that may still be shown.
	next int
}

// newMatcher prepares a matcher for a query, for one family.
func newMatcher(q *Query, f *catalog.Family, columns [][]byte, now int64) *matcher {
	m := new(matcher)
	m.init(q, f, columns, now)
	return m
}

// init prepares m anew. Its buffers are kept.
func (m *matcher) init(q *Query, f *catalog.Family, columns [][]byte, now int64) {
	*m = matcher{
		family:      f,
		columns:     columns,
		timeRange:   q.TimeRange,
		raw:         q.Raw,
		seePast:     f.KeepDeleted != catalog.KeepDeletedFalse,
		filter:      q.Filter,
		minVersions: f.MinVersions,
		qualifier:   m.qualifier[:0],
		deletes:     deleteTracker{familyVersions: m.deletes.familyVersions[:0]},
	}
	for i := range q.FamilyTimeRanges {
		if bytes.Equal(q.FamilyTimeRanges[i].Family, f.Name) {
			m.timeRange = q.FamilyTimeRanges[i].TimeRange
		}
	}
	versions := max(q.MaxVersions, 1)
	if q.Raw {
		m.maxVersions, m.maxAfter = versions, versions
		if q.Filter != nil {
			m.maxVersions = math.MaxInt
		}
	} else {
		m.maxAfter = min(versions, f.MaxVersions)
		m.maxVersions = m.maxAfter
		if q.Filter != nil {
			m.maxVersions = f.MaxVersions
		}
	}
	if f.NewVersionBehavior && !q.Raw {
		m.newer = newNewVersionTracker(f.MaxVersions)
		m.maxVersions = m.maxAfter
	}
	m.setNow(now)
}

func (m *matcher) setNow(now int64) {
	m.now = now
	m.oldest = math.MinInt64
	if !m.raw && m.family.TTLSeconds > 0 && m.family.TTLSeconds < catalog.Forever {
		m.oldest = now - m.family.TTLSeconds*1000
	}
}

// resetRow prepares for another row.
func (m *matcher) resetRow() {
	m.deletes.reset()
	if m.newer != nil {
		m.newer.resetRow()
	}
	m.inColumn = false
	m.next = 0
}

// enter notes that a cell of another column than before is looked at.
func (m *matcher) enter(qualifier []byte) {
	m.qualifier = append(m.qualifier[:0], qualifier...)
	m.inColumn = true
	m.count, m.after = 0, 0
	m.hasLast = false
	m.deletes.leaveColumn()
	if m.newer != nil {
		m.newer.enterColumn()
	}
}

func (m *matcher) match(c *cell.Cell) verdict {
	if m.filter != nil && m.filter.FilterAllRemaining() {
		return endScan
	}
	if !m.inColumn || !bytes.Equal(c.Qualifier, m.qualifier) {
		m.enter(c.Qualifier)
	}
	if m.columns != nil && m.next >= len(m.columns) {
		return nextRow
	}
	if m.minVersions <= 0 && c.Timestamp < m.oldest && m.newer == nil {
		return m.leaveColumn(c)
	}
	if len(c.Tags) > 0 {
		// A cell's own TTL can only shorten its life; the family's is checked
		// with the versions.
		if ttl, ok := cell.TTL(c.Tags); ok && c.Timestamp+ttl < m.now {
			return skip
		}
	}
	if m.newer != nil {
		return m.matchNewer(c)
	}
	if !m.raw {
		if c.Type.IsDelete() {
			if c.Timestamp >= m.timeRange.Min && (!m.seePast || c.Timestamp < m.timeRange.Max) {
				m.deletes.add(c)
			}
			return skip
		}
		switch m.deletes.check(c.Timestamp) {
		case hiddenFromHere:
			return m.leaveColumn(c)
		case hiddenVersion:
			return skip
		}
	}
	return m.matchColumn(c)
}

func (m *matcher) matchNewer(c *cell.Cell) verdict {
	if c.Type.IsDelete() {
		if c.Timestamp >= m.timeRange.Min && (!m.seePast || c.Timestamp < m.timeRange.Max) {
			m.newer.add(c)
		}
		return skip
	}
	if m.newer.hides(c) {
		return skip
	}
	return m.matchColumn(c)
}

// matchColumn is the rest for cells that no marker hides.
func (m *matcher) matchColumn(c *cell.Cell) verdict {
	if c.Timestamp >= m.timeRange.Max && m.timeRange.Max != math.MaxInt64 {
		return skip
	}
	if c.Timestamp < m.timeRange.Min {
		return m.leaveColumn(c)
	}
	var v verdict
	switch {
	case m.newer != nil:
		v = m.versionsNewer(c)
	case m.columns != nil:
		v = m.versionsExplicit(c)
	default:
		v = m.versionsAll(c)
	}
	if m.filter == nil || v > includeNextRow {
		return v
	}
	return m.askFilter(c, v)
}

// wanted moves next up to the cell's column. It is include when that is a
// wanted one.
func (m *matcher) wanted(c *cell.Cell) verdict {
	for m.next < len(m.columns) {
		switch d := bytes.Compare(c.Qualifier, m.columns[m.next]); {
		case d == 0:
			return include
		case d < 0:
			return nextColumn
		}
		m.next++
	}
	return nextRow
}

func (m *matcher) versionsExplicit(c *cell.Cell) verdict {
	if v := m.wanted(c); v != include {
		return v
	}
	if m.hasLast && c.Timestamp == m.lastTS {
		return skip
	}
	m.count++
	if m.count >= m.maxVersions || (m.count >= m.minVersions && c.Timestamp < m.oldest) {
		m.next++
		m.hasLast = false
		if m.next >= len(m.columns) {
			return includeNextRow
		}
		return includeNextColumn
	}
	m.lastTS, m.hasLast = c.Timestamp, true
	return include
}

func (m *matcher) versionsAll(c *cell.Cell) verdict {
	if m.hasLast && c.Timestamp == m.lastTS && c.Type == m.lastType {
		return skip
	}
	if !c.Type.IsDelete() {
		m.count++
	}
	if m.count > m.maxVersions {
		return nextColumn
	}
	if m.count > m.minVersions && c.Timestamp < m.oldest {
		return nextColumn
	}
	m.lastTS, m.lastType, m.hasLast = c.Timestamp, c.Type, true
	return include
}

func (m *matcher) versionsNewer(c *cell.Cell) verdict {
	if m.columns != nil {
		if v := m.wanted(c); v != include {
			return v
		}
	}
	m.count++
	if c.Timestamp < m.oldest {
		if m.count == m.minVersions {
			return includeNextColumn
		}
		if m.count > m.minVersions {
			return nextColumn
		}
	}
	switch {
	case m.count == m.maxVersions:
		return includeNextColumn
	case m.count > m.maxVersions:
		return nextColumn
	}
	return include
}

// askFilter combines the verdict so far, one of the includes, with the filter's.
func (m *matcher) askFilter(c *cell.Cell, v verdict) verdict {
	switch m.filter.FilterCell(c) {
	case filter.Skip:
		switch v {
		case includeNextColumn:
			return nextColumn
		case includeNextRow:
			return nextRow
		}
		return skip
	case filter.NextCol:
		if v == includeNextRow {
			return nextRow
		}
		return m.leaveColumn(c)
	case filter.NextRow:
		return nextRow
	case filter.SeekHint:
		return useHint
	case filter.IncludeAndNextCol:
		if v == include {
			v = includeNextColumn
		}
	case filter.IncludeAndSeekNextRow:
		v = includeNextRow
	}
	m.after++
	if m.after > m.maxAfter {
		if v == includeNextRow {
			return nextRow
		}
		v = nextColumn
	}
	if v == includeNextColumn || v == nextColumn {
		m.doneWith(c.Qualifier)
	}
	return v
}

// leaveColumn says that no more of this column can be shown.
func (m *matcher) leaveColumn(c *cell.Cell) verdict {
	if m.columns == nil || m.newer != nil {
		return nextColumn
	}
	m.doneWith(c.Qualifier)
	if m.next >= len(m.columns) {
		return nextRow
	}
	return nextColumn
}

// doneWith moves next past a column.
func (m *matcher) doneWith(qualifier []byte) {
	for m.next < len(m.columns) && bytes.Compare(qualifier, m.columns[m.next]) >= 0 {
		m.next++
	}
}

// nextWanted is the column to go to after nextColumn, or nil for just the next.
func (m *matcher) nextWanted() []byte {
	if m.columns == nil || m.next >= len(m.columns) {
		return nil
	}
	return m.columns[m.next]
}

// hidden is what the markers seen so far do to a put.
type hidden uint8

const (
	notHidden hidden = iota
	hiddenVersion
	hiddenFromHere // and so are all older ones of the column
)

// deleteTracker holds the markers of one family of one row that can hide cells
// still to come. Timestamps fall within a column, so only the last marker of a
// column matters.
type deleteTracker struct {
	hasFamily      bool
	familyTS       int64
	familyVersions []int64 // descending

	hasColumn  bool
	columnType cell.Type
	columnTS   int64
}

func (d *deleteTracker) reset() {
	d.hasFamily, d.hasColumn = false, false
	d.familyVersions = d.familyVersions[:0]
}

func (d *deleteTracker) leaveColumn() { d.hasColumn = false }

func (d *deleteTracker) add(c *cell.Cell) {
	if d.hasFamily && c.Timestamp <= d.familyTS {
		return
	}
	switch c.Type {
	case cell.DeleteFamily:
		d.hasFamily, d.familyTS = true, c.Timestamp
		return
	case cell.DeleteFamilyVersion:
		d.familyVersions = append(d.familyVersions, c.Timestamp)
		return
	}
	if d.hasColumn && c.Type < d.columnType {
		return
	}
	d.hasColumn, d.columnType, d.columnTS = true, c.Type, c.Timestamp
}

func (d *deleteTracker) check(ts int64) hidden {
	if d.hasFamily && ts <= d.familyTS {
		return hiddenFromHere
	}
	if n := len(d.familyVersions); n > 0 {
		i := sort.Search(n, func(i int) bool { return d.familyVersions[i] <= ts })
		if i < n && d.familyVersions[i] == ts {
			return hiddenVersion
		}
	}
	if d.hasColumn {
		if d.columnType == cell.DeleteColumn {
			return hiddenFromHere
		}
		if ts == d.columnTS {
			return hiddenVersion
		}
		d.hasColumn = false
	}
	return notHidden
}
