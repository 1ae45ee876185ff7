package client

import (
	"bytes"
	"math"

	"github.com/basaltdb/basalt/client/filter"
	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// ScanMode is when a scanner fetches rows.
type ScanMode uint8

const (
	// Sync fetches when the rows at hand are used up, and waits.
	Sync ScanMode = iota
	// Prefetch fetches in the background, until what is at hand is twice the
	// scan's maximum result size, and again from half of that on. A scanner
	// that has run dry is woken by the rows' arrival, and fetches more at a
	// time from then on.
	Prefetch
	// PrefetchCount fetches in the background what one fetch returns, when
	// fewer rows are at hand than caching; a scanner that has run dry looks
	// again every millisecond. So HBase's own client did it before its rewrite;
	// it is here to compare with.
	PrefetchCount
)

// ReadType is how a server reads files for a scan.
type ReadType uint8

// The read types, in HBase's numbers.
const (
	ReadDefault ReadType = pb.ReadDefault
	ReadStream  ReadType = pb.ReadStream
	ReadPread   ReadType = pb.ReadPread
)

// DefaultMaxResultBytes is how much a fetch returns unless a scan says
// otherwise.
const DefaultMaxResultBytes = 2 << 20

// Scan describes which rows to read. Its methods return the Scan, so that calls
// can be chained. It may be used again, not changed during use; byte slices are
// not copied.
type Scan struct {
	s       pb.Scan
	limit   int
	caching int
	mode    ScanMode
	metrics bool
}

// NewScan makes a Scan of the newest versions of all columns of all rows.
func NewScan() *Scan {
	return &Scan{s: pb.Scan{
		MaxVersions: 1, CacheBlocks: true, TimeRange: pb.AllTime, IncludeStart: true,
		MaxResultSize: DefaultMaxResultBytes,
	}}
}

// WithStartRow begins at a row; empty is the first one, of a reversed scan the
// last.
func (s *Scan) WithStartRow(row []byte, inclusive bool) *Scan {
	s.s.StartRow, s.s.IncludeStart = row, inclusive
	return s
}

// WithStopRow ends at a row; empty is the last one, of a reversed scan the
// first.
func (s *Scan) WithStopRow(row []byte, inclusive bool) *Scan {
	s.s.StopRow, s.s.IncludeStop = row, inclusive
	return s
}

// Range reads from start up to, and without, stop.
func (s *Scan) Range(start, stop []byte) *Scan {
	return s.WithStartRow(start, true).WithStopRow(stop, false)
}

// Prefix reads the rows whose key begins with prefix. It is not for reversed
// scans.
func (s *Scan) Prefix(prefix []byte) *Scan { return s.Range(prefix, prefixEnd(prefix)) }

// prefixEnd is the least key above all that begin with prefix; nil when there
// is none.
func prefixEnd(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] != 0xff {
			end := bytes.Clone(prefix[:i+1])
			end[i]++
			return end
		}
	}
	return nil
}

// AddFamily selects all columns of a family.
func (s *Scan) AddFamily(family string) *Scan {
	s.s.Columns = addColumn(s.s.Columns, family, nil)
	return s
}

// AddColumn selects a column. The column without a name is that of an empty
// qualifier.
func (s *Scan) AddColumn(family string, qualifier []byte) *Scan {
	s.s.Columns = addColumn(s.s.Columns, family, notNil(qualifier))
	return s
}

// ReadVersions asks for up to n versions of each column.
func (s *Scan) ReadVersions(n int) *Scan {
	s.s.MaxVersions = uint32(max(n, 0))
	return s
}

// SetTimeRange asks for versions from min up to, and without, max.
func (s *Scan) SetTimeRange(min, max int64) *Scan {
	s.s.TimeRange, s.s.HasTimeRange = pb.TimeRange{Min: min, Max: max}, true
	return s
}

// SetFamilyTimeRange is SetTimeRange for one family.
func (s *Scan) SetFamilyTimeRange(family string, min, max int64) *Scan {
	s.s.FamilyTimeRanges = addFamilyTimeRange(s.s.FamilyTimeRanges, family, min, max)
	return s
}

// SetTimestamp asks for one version.
func (s *Scan) SetTimestamp(ts int64) *Scan { return s.SetTimeRange(ts, endOf(ts)) }

// SetFilter lets the server drop cells and rows.
func (s *Scan) SetFilter(f filter.Filter) *Scan {
	s.s.Filter, s.s.HasFilter = named(f), true
	return s
}

// SetReversed reads in descending order. The start row then is the greater one.
func (s *Scan) SetReversed(reversed bool) *Scan {
	s.s.Reversed = reversed
	return s
}

// SetLimit ends the scan after n rows; 0 is no limit. When they fit into one
// fetch it is one call, that opens, reads and closes.
func (s *Scan) SetLimit(n int) *Scan {
	s.limit = max(n, 0)
	return s
}

// SetCaching bounds the rows of a fetch; 0, the default, leaves it to the size.
// In mode Prefetch fetches begin with so many, and grow, up to the size, while
// the reader has to wait for them.
func (s *Scan) SetCaching(n int) *Scan {
	s.caching = max(n, 0)
	return s
}

// SetMaxResultBytes bounds the size of a fetch. At least one cell comes.
func (s *Scan) SetMaxResultBytes(n int) *Scan {
	s.s.MaxResultSize = uint64(max(n, 1))
	return s
}

// SetBatch bounds the cells of a result. A wider row comes in several, all but
// the last of them Partial. It does not go with filters on whole rows.
func (s *Scan) SetBatch(cells int) *Scan {
	s.s.BatchSize = uint32(max(cells, 0))
	return s
}

// SetAllowPartialResults takes parts of rows as they come, rather than whole
// rows.
func (s *Scan) SetAllowPartialResults(allow bool) *Scan {
	s.s.AllowPartials = allow
	return s
}

// SetMaxResultsPerFamily asks for at most limit cells of each family of a row,
// after the first offset ones.
func (s *Scan) SetMaxResultsPerFamily(limit, offset int) *Scan {
	s.s.StoreLimit, s.s.HasStoreLimit = uint32(max(limit, 0)), true
	s.s.StoreOffset = uint32(max(offset, 0))
	return s
}

// SetCacheBlocks tells whether the server should keep in its cache what it reads
// for this. It does unless told.
func (s *Scan) SetCacheBlocks(cache bool) *Scan {
	s.s.CacheBlocks = cache
	return s
}

// SetReadType chooses how files are read.
func (s *Scan) SetReadType(t ReadType) *Scan {
	s.s.ReadType = uint32(t)
	return s
}

// SetLoadColumnFamiliesOnDemand lets the server read families that its filter
// does not need only for rows that the filter keeps.
func (s *Scan) SetLoadColumnFamiliesOnDemand(onDemand bool) *Scan {
	s.s.LoadOnDemand, s.s.HasLoadOnDemand = onDemand, true
	return s
}

// SetRaw returns delete markers, and what they hide.
func (s *Scan) SetRaw(raw bool) *Scan {
	b := byte(0)
	if raw {
		b = 0xff
	}
	return s.SetAttribute("_raw_", []byte{b})
}

// SetConsistency lets replicas answer.
func (s *Scan) SetConsistency(c Consistency) *Scan {
	s.s.Consistency = uint32(c)
	return s
}

// SetAttribute sets an attribute, which coprocessors of the server may read.
func (s *Scan) SetAttribute(name string, value []byte) *Scan {
	s.s.Attributes = setAttribute(s.s.Attributes, name, value)
	return s
}

// SetMode chooses when rows are fetched.
func (s *Scan) SetMode(m ScanMode) *Scan {
	s.mode = m
	return s
}

// SetMetrics asks servers to count; see Scanner.Metrics.
func (s *Scan) SetMetrics(want bool) *Scan {
	s.metrics = want
	return s
}

func (s *Scan) check() error {
	for _, row := range [][]byte{s.s.StartRow, s.s.StopRow} {
		if len(row) > maxRowBytes {
			return invalid("row of %d bytes, want at most %d", len(row), maxRowBytes)
		}
	}
	for i := range s.s.Columns {
		if err := checkFamily(s.s.Columns[i].Family); err != nil {
			return err
		}
	}
	if s.mode > PrefetchCount {
		return invalid("scan mode %d", s.mode)
	}
	return checkTimeRange(s.s.TimeRange)
}

// rowsPerCall is the number of rows that a call asks for.
func (s *Scan) rowsPerCall() uint32 {
	if s.caching == 0 || s.caching > math.MaxInt32 {
		return math.MaxInt32
	}
	return uint32(s.caching)
}
