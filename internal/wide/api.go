package wide

import (
	"math"
	"time"

	"github.com/basaltdb/basalt/internal/catalog"
	"github.com/basaltdb/basalt/internal/kv"
	"github.com/basaltdb/basalt/internal/wide/cell"
	"github.com/basaltdb/basalt/internal/wide/filter"
)

// TimeRange is [Min, Max) in ms. AllTime is every timestamp there is.
type TimeRange struct{ Min, Max int64 }

// AllTime is the time range of a query that names none.
var AllTime = TimeRange{0, math.MaxInt64}

// IsAll tells whether the range leaves nothing out.
func (r TimeRange) IsAll() bool { return r.Min <= 0 && r.Max == math.MaxInt64 }

// FamilyTimeRange overrides the time range for one family.
type FamilyTimeRange struct {
	Family []byte
	TimeRange
}

// Column selects one family: the whole of it (Qualifiers nil), or some columns.
// The empty qualifier is a column like any other.
type Column struct {
	Family     []byte
	Qualifiers [][]byte
}

// Query is what Get and Scan have in common. The zero TimeRange is not AllTime:
// set it.
type Query struct {
	Columns          []Column // empty: all families
	Filter           filter.Filter
	TimeRange        TimeRange
	FamilyTimeRanges []FamilyTimeRange
	MaxVersions      int // >= 1
	// StoreLimit and StoreOffset count cells per row and family, after filters.
	// StoreLimit < 0: none.
	StoreLimit, StoreOffset int
	// Raw shows markers and everything they hide.
	Raw bool
	// LoadOnDemand allows reading the families that the filter does not need
	// only for rows that pass. All are read together all the same, since a row's
	// families lie side by side; but as in HBase a reversed scan with such
	// families is refused.
	LoadOnDemand bool
	NoCache      bool
}

// Get reads one row.
type Get struct {
	Row []byte
	Query
}

// Scan reads the rows of one region between two bounds. Start is where the scan
// starts: for a reversed one the larger key.
type Scan struct {
	Query
	Start, Stop               []byte // empty: none
	IncludeStart, IncludeStop bool
	Reversed                  bool
	// Batch > 0 cuts rows into results of so many cells.
	Batch int
	// ReadPoint > 0 asks for the state that an earlier scanner of this process
	// read (Scanner.ReadPoint), if it is still to be had.
	ReadPoint uint64
}

// Emitter takes the cells of results. A cell is valid only during the call.
type Emitter interface {
	Cell(c *cell.Cell)
	// EndResult ends a result of at least one cell. partial says that the row
	// has, or may have, more cells in the next result.
	EndResult(partial bool)
}

// Limits of one call of Scanner.Next.
type Limits struct {
	// Results > 0 bounds the results (pieces count), Rows > 0 the complete rows.
	Results int
	Rows    int
	// Bytes > 0 ends the call once so many bytes of cells (as KeyValues) were
	// emitted; at least one cell always is.
	Bytes int64
	// Partials allows ending inside a row (never when the filter has a row
	// phase).
	Partials bool
	// Heartbeats allows ending without a row once Deadline has passed.
	Heartbeats bool
	Deadline   time.Time

	reversed bool
}

// Progress says how a call of Scanner.Next ended.
type Progress struct {
	// Done: nothing more in this region for this scan.
	Done bool
	// FilterDone: the filter ended the scan, for all regions.
	FilterDone bool
	// LimitReached: Limits.Rows complete rows were emitted.
	LimitReached bool
	// Early: ended by Bytes or Deadline with rows remaining.
	Early bool
	// MidRow: the last result is a piece, and its row goes on.
	MidRow bool
	// Cursor is the last row examined. Valid until the next call.
	Cursor []byte
	// Mark: hold the answer back until the log is synced so far.
	Mark kv.Mark

	Results, Rows             int
	RowsScanned, RowsFiltered int64
	BytesRead                 int64
}

// Kind of a Mutation, in HBase's numbers.
type Kind uint8

const (
	KindAppend    Kind = 0
	KindIncrement Kind = 1
	KindPut       Kind = 2
	KindDelete    Kind = 3
)

// Mutation changes one row. Cells carry family, qualifier, timestamp
// (cell.Latest: the server's clock), type and value; their Row may be nil. A
// cell of an increment has the 8-byte big-endian delta as its value. A delete
// without cells deletes every family at Timestamp. The bytes may be reused once
// the call returned.
type Mutation struct {
	Kind       Kind
	Row        []byte
	Cells      []cell.Cell
	Timestamp  int64 // default of a delete without cells; cell.Latest: now
	Durability catalog.Durability
	TimeRange  TimeRange // increment, append: where the old value is looked for
	NoResult   bool      // increment, append
	// CellTTL > 0 is the TTL attribute in ms: stored as a tag on every put cell.
	CellTTL int64
	// Nonce != 0 makes an increment or append run once.
	NonceGroup, Nonce uint64
}

// CompareOp in HBase's numbers.
type CompareOp uint8

const (
	Less           CompareOp = 0
	LessOrEqual    CompareOp = 1
	Equal          CompareOp = 2
	NotEqual       CompareOp = 3
	GreaterOrEqual CompareOp = 4
	Greater        CompareOp = 5
	NoOp           CompareOp = 6
)

// Condition guards a mutation. With a Filter it holds iff a get of the row with
// that filter returns a cell; otherwise it compares Value (left) with the
// newest cell of the column in TimeRange (right). An empty Value stands for
// "absent or empty".
type Condition struct {
	Row       []byte
	Family    []byte
	Qualifier []byte
	Op        CompareOp
	Value     []byte
	Filter    filter.Filter
	TimeRange TimeRange
}

// Outcome of a mutation.
type Outcome struct {
	// Applied is false when the condition did not hold.
	Applied bool
	// Result has the new cells of increments and appends, sorted; nil otherwise
	// or when the mutation wanted none. The cells own their bytes.
	Result []cell.Cell
	// Mark: hold the answer back until the log is synced so far. It is set on
	// errors and failed conditions too, since they show state.
	Mark kv.Mark
}

// BatchResult of one mutation of MutateBatch.
type BatchResult struct{ Err error }
