package client

import (
	"context"
	"math"

	"github.com/basaltdb/basalt/client/filter"
	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// AllVersions as a number of versions asks for as many as there are.
const AllVersions = math.MaxInt32

// Get reads one row, or some columns of it. Its methods return the Get, so that
// calls can be chained. It may be used again, not changed during use; byte
// slices are not copied.
type Get struct{ g pb.Get }

// NewGet makes a Get of the newest version of all columns of a row.
func NewGet(row []byte) *Get {
	return &Get{pb.Get{Row: row, MaxVersions: 1, CacheBlocks: true, TimeRange: pb.AllTime}}
}

// Row is the row that it reads.
func (g *Get) Row() []byte { return g.g.Row }

// AddFamily selects all columns of a family.
func (g *Get) AddFamily(family string) *Get {
	g.g.Columns = addColumn(g.g.Columns, family, nil)
	return g
}

// AddColumn selects a column. The column without a name is that of an empty
// qualifier.
func (g *Get) AddColumn(family string, qualifier []byte) *Get {
	g.g.Columns = addColumn(g.g.Columns, family, notNil(qualifier))
	return g
}

// ReadVersions asks for up to n versions of each column.
func (g *Get) ReadVersions(n int) *Get {
	g.g.MaxVersions = uint32(max(n, 0))
	return g
}

// SetTimeRange asks for versions from min up to, and without, max.
func (g *Get) SetTimeRange(min, max int64) *Get {
	g.g.TimeRange, g.g.HasTimeRange = pb.TimeRange{Min: min, Max: max}, true
	return g
}

// SetFamilyTimeRange is SetTimeRange for one family.
func (g *Get) SetFamilyTimeRange(family string, min, max int64) *Get {
	g.g.FamilyTimeRanges = addFamilyTimeRange(g.g.FamilyTimeRanges, family, min, max)
	return g
}

// SetTimestamp asks for one version.
func (g *Get) SetTimestamp(ts int64) *Get { return g.SetTimeRange(ts, endOf(ts)) }

// SetFilter lets the server drop cells.
func (g *Get) SetFilter(f filter.Filter) *Get {
	g.g.Filter, g.g.HasFilter = named(f), true
	return g
}

// SetMaxResultsPerFamily asks for at most limit cells of each family, after the
// first offset ones.
func (g *Get) SetMaxResultsPerFamily(limit, offset int) *Get {
	g.g.StoreLimit, g.g.HasStoreLimit = uint32(max(limit, 0)), true
	g.g.StoreOffset = uint32(max(offset, 0))
	return g
}

// SetCacheBlocks tells whether the server should keep in its cache what it reads
// for this. It does unless told.
func (g *Get) SetCacheBlocks(cache bool) *Get {
	g.g.CacheBlocks = cache
	return g
}

// CheckExistenceOnly asks whether there is such a row, in Result.Exists, not for
// its cells.
func (g *Get) CheckExistenceOnly() *Get {
	g.g.ExistenceOnly = true
	return g
}

// SetConsistency lets a replica answer.
func (g *Get) SetConsistency(c Consistency) *Get {
	g.g.Consistency = uint32(c)
	return g
}

// SetAttribute sets an attribute, which coprocessors of the server may read.
func (g *Get) SetAttribute(name string, value []byte) *Get {
	g.g.Attributes = setAttribute(g.g.Attributes, name, value)
	return g
}

func notNil(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// endOf is the end of the time range that holds ts alone.
func endOf(ts int64) int64 {
	if ts == math.MaxInt64 {
		return ts
	}
	return ts + 1
}

func (g *Get) check() error {
	if err := checkRow(g.g.Row); err != nil {
		return err
	}
	for i := range g.g.Columns {
		if err := checkFamily(g.g.Columns[i].Family); err != nil {
			return err
		}
	}
	return checkTimeRange(g.g.TimeRange)
}

func (g *Get) rowKey() []byte { return g.g.Row }

// Get reads a row. The result of a row that is not there is Empty.
func (t *Table) Get(ctx context.Context, g *Get) (*Result, error) {
	if err := g.check(); err != nil {
		return nil, t.opError("get", g.g.Row, 0, err)
	}
	response, err := t.call(ctx, (*getCall)(g))
	if err != nil {
		return nil, err
	}
	var m pb.Result
	if err := pb.DecodeGetResponse(response.Message, &m); err != nil {
		return nil, t.opError("get", g.g.Row, 1, err)
	}
	r := new(Result)
	cells := newCellReader(response.Cells)
	if err := cells.result(&m, r); err != nil {
		return nil, t.opError("get", g.g.Row, 1, err)
	}
	return r, nil
}

// Exists tells whether there is a row, or any of the columns that g selects.
func (t *Table) Exists(ctx context.Context, g *Get) (bool, error) {
	e := *g
	r, err := t.Get(ctx, e.CheckExistenceOnly())
	return err == nil && r.Exists, err
}

// getCall is a Get as one call.
type getCall Get

func (g *getCall) rowKey() []byte                     { return g.g.Row }
func (g *getCall) op() string                         { return "get" }
func (g *getCall) method() string                     { return "Get" }
func (g *getCall) repeatable() bool                   { return true }
func (g *getCall) appendTo(dst, region []byte) []byte { return pb.AppendGetRequest(dst, region, &g.g) }
