package hbase

import (
	"math"

	"github.com/basaltdb/basalt/internal/hbase/pb"
	"github.com/basaltdb/basalt/internal/hbase/rpc"
	"github.com/basaltdb/basalt/internal/wide"
	"github.com/basaltdb/basalt/internal/wide/filter"
)

// Attributes of operations that change what they do.
const (
	attributeTTL           = "_ttl"
	attributeReturnResults = "_rr_"
	attributeRaw           = "_raw_"
)

// malformed is the answer to a message that is none.
func malformed(err error) *rpc.Error {
	e := refuse("malformed request: %v", err)
	e.Cause = err
	return e
}

// bindGet translates a Get. What it makes aliases g and lives as long.
func (s *Service) bindGet(to *wide.Get, g *pb.Get) error {
	to.Row = g.Row
	q := &to.Query
	q.Columns = bindColumns(q.Columns[:0], g.Columns)
	q.FamilyTimeRanges = q.FamilyTimeRanges[:0]
	q.MaxVersions = versions(g.MaxVersions)
	q.StoreLimit, q.StoreOffset = -1, int(int32(g.StoreOffset))
	if g.HasStoreLimit {
		q.StoreLimit = int(int32(g.StoreLimit))
	}
	q.Raw = false
	q.LoadOnDemand = g.LoadOnDemand || !g.HasLoadOnDemand
	q.NoCache = !g.CacheBlocks
	return s.bindCommon(q, g.TimeRange, g.FamilyTimeRanges, &g.Filter, g.HasFilter)
}

// bindScan translates a Scan. What it makes aliases sc and lives as long.
func (s *Service) bindScan(to *wide.Scan, sc *pb.Scan) error {
	q := &to.Query
	q.Columns = bindColumns(nil, sc.Columns)
	q.MaxVersions = versions(sc.MaxVersions)
	q.StoreLimit, q.StoreOffset = -1, int(int32(sc.StoreOffset))
	if sc.HasStoreLimit {
		q.StoreLimit = int(int32(sc.StoreLimit))
	}
	q.LoadOnDemand = sc.LoadOnDemand || !sc.HasLoadOnDemand
	q.NoCache = !sc.CacheBlocks
	if raw, ok := sc.Attributes.Get(attributeRaw); ok {
		var err error
		if q.Raw, err = boolean(attributeRaw, raw); err != nil {
			return err
		}
	}
	if q.Raw {
		for i := range q.Columns {
			if q.Columns[i].Qualifiers != nil {
				return refuse("Cannot specify any column for a raw scan")
			}
		}
	}
	to.Start, to.Stop = sc.StartRow, sc.StopRow
	to.IncludeStart, to.IncludeStop = sc.IncludeStart, sc.IncludeStop
	if !sc.HasIncludeStop {
		// A client that does not know the field means a get by equal bounds.
		to.IncludeStop = len(sc.StartRow) > 0 && string(sc.StartRow) == string(sc.StopRow)
	}
	to.Reversed = sc.Reversed
	to.Batch = int(max(int32(sc.BatchSize), 0))
	to.ReadPoint = sc.ReadPoint
	return s.bindCommon(q, sc.TimeRange, sc.FamilyTimeRanges, &sc.Filter, sc.HasFilter)
}

func (s *Service) bindCommon(q *wide.Query, tr pb.TimeRange, families []pb.FamilyTimeRange, f *pb.Named, hasFilter bool) (err error) {
	if q.TimeRange, err = timeRange(tr); err != nil {
		return err
	}
	for i := range families {
		r, err := timeRange(families[i].TimeRange)
		if err != nil {
			return err
		}
		q.FamilyTimeRanges = append(q.FamilyTimeRanges, wide.FamilyTimeRange{Family: families[i].Family, TimeRange: r})
	}
	q.Filter = nil
	if hasFilter {
		q.Filter, err = s.filter(f)
	}
	return err
}

func (s *Service) filter(f *pb.Named) (filter.Filter, error) {
	return filter.Decode(string(f.Name), f.Data, s.limits.Filter)
}

func bindColumns(to []wide.Column, columns []pb.Column) []wide.Column {
	for i := range columns {
		c := wide.Column{Family: columns[i].Family}
		if len(columns[i].Qualifiers) > 0 {
			c.Qualifiers = columns[i].Qualifiers
		}
		to = append(to, c)
	}
	return to
}

// versions reads max_versions; HBase's clients send at least 1.
func versions(n uint32) int {
	return int(min(max(n, 1), math.MaxInt32))
}

func timeRange(t pb.TimeRange) (wide.TimeRange, error) {
	switch {
	case t.Min < 0 || t.Max < 0:
		return wide.TimeRange{}, refuse("Timestamp cannot be negative. minStamp:%d, maxStamp:%d", t.Min, t.Max)
	case t.Max < t.Min:
		return wide.TimeRange{}, refuse("maxStamp is smaller than minStamp")
	}
	return wide.TimeRange{Min: t.Min, Max: t.Max}, nil
}

// boolean reads an attribute as HBase writes a boolean: one byte, not 0 if true.
func boolean(name string, b []byte) (bool, error) {
	if len(b) != 1 {
		return false, refuse("attribute %s has %d bytes, not the one of a boolean", name, len(b))
	}
	return b[0] != 0, nil
}

// bindCondition translates a condition. It aliases c.
func (s *Service) bindCondition(to *wide.Condition, c *pb.Condition) error {
	*to = wide.Condition{Row: c.Row, Family: c.Family, Qualifier: c.Qualifier, Op: wide.CompareOp(c.CompareType)}
	var err error
	if to.TimeRange, err = timeRange(c.TimeRange); err != nil {
		return err
	}
	if c.HasFilter {
		to.Filter, err = s.filter(&c.Filter)
		return err
	}
	switch {
	case to.Op > wide.Greater:
		return refuse("Unknown compare op %d", c.CompareType)
	case !c.HasComparator:
		return refuse("a condition without a filter needs a comparator")
	}
	to.Value, err = filter.ComparatorValue(string(c.Comparator.Name), c.Comparator.Data)
	return err
}
