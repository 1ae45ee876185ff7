package client

import (
	"bytes"
	"math"

	"github.com/basaltdb/basalt/client/filter"
	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// Limits of HBase's that a request is held to before it is sent.
const (
	maxRowBytes    = math.MaxInt16
	maxFamilyBytes = math.MaxInt8
)

// Consistency is how fresh the answer to a read has to be.
type Consistency uint8

const (
	// Strong reads see all writes that were acknowledged before.
	Strong Consistency = 0
	// Timeline reads may see an older state; Result.Stale tells.
	Timeline Consistency = 1
)

// addColumn adds a column to a selection; qualifier nil selects the family.
func addColumn(cs []pb.Column, family string, qualifier []byte) []pb.Column {
	var c *pb.Column
	for i := range cs {
		if string(cs[i].Family) == family {
			c = &cs[i]
		}
	}
	if c == nil {
		cs = append(cs, pb.Column{Family: []byte(family)})
		c = &cs[len(cs)-1]
		if qualifier != nil {
			c.Qualifiers = append(c.Qualifiers, qualifier)
		}
		return cs
	}
	switch {
	case qualifier == nil:
		c.Qualifiers = nil
	case c.Qualifiers != nil && !contains(c.Qualifiers, qualifier):
		// A family that was selected whole, without qualifiers, stays so.
		c.Qualifiers = append(c.Qualifiers, qualifier)
	}
	return cs
}

func contains(list [][]byte, b []byte) bool {
	for i := range list {
		if bytes.Equal(list[i], b) {
			return true
		}
	}
	return false
}

func named(f filter.Filter) pb.Named {
	return pb.Named{Name: []byte(f.Class), Data: f.Data}
}

func setAttribute(as pb.Attributes, name string, value []byte) pb.Attributes {
	for i := range as {
		if string(as[i].Name) == name {
			as[i].Value = value
			return as
		}
	}
	return append(as, pb.Attribute{Name: []byte(name), Value: value})
}

func addFamilyTimeRange(ts []pb.FamilyTimeRange, family string, min, max int64) []pb.FamilyTimeRange {
	return append(ts, pb.FamilyTimeRange{Family: []byte(family), TimeRange: pb.TimeRange{Min: min, Max: max}})
}

func checkRow(row []byte) error {
	if len(row) == 0 || len(row) > maxRowBytes {
		return invalid("row of %d bytes, want 1 to %d", len(row), maxRowBytes)
	}
	return nil
}

func checkFamily(family []byte) error {
	if len(family) == 0 || len(family) > maxFamilyBytes {
		return invalid("family of %d bytes, want 1 to %d", len(family), maxFamilyBytes)
	}
	return nil
}

func checkTimeRange(t pb.TimeRange) error {
	if t.Min < 0 || t.Max < t.Min {
		return invalid("time range [%d, %d)", t.Min, t.Max)
	}
	return nil
}
