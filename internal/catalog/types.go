package catalog

import (
	"bytes"
	"sort"
	"strings"
	"sync/atomic"
)

// DefaultNamespace and SystemNamespace always exist.
const (
	DefaultNamespace = "default"
	SystemNamespace  = "hbase"
)

// Forever is the TTL of a family without one.
const Forever = 2147483647

// TableName is a namespace and a name in it.
type TableName struct {
	Namespace string
	Qualifier string
}

// String is the name as HBase shows it: without the default namespace.
func (n TableName) String() string {
	if n.Namespace == DefaultNamespace || n.Namespace == "" {
		return n.Qualifier
	}
	return n.Namespace + ":" + n.Qualifier
}

// ParseTableName reads "name" or "namespace:name". It does not check legality.
func ParseTableName(s string) TableName {
	if ns, q, ok := strings.Cut(s, ":"); ok {
		return TableName{ns, q}
	}
	return TableName{DefaultNamespace, s}
}

// BytesPair is an attribute: any bytes, kept in the order they came.
type BytesPair struct{ Name, Value []byte }

// StringPair is a configuration entry.
type StringPair struct{ Name, Value string }

// TableState in HBase's numbers.
type TableState uint8

const (
	Enabled   TableState = 0
	Disabled  TableState = 1
	Disabling TableState = 2
	Enabling  TableState = 3
)

// KeepDeleted is the KEEP_DELETED_CELLS attribute.
type KeepDeleted uint8

const (
	KeepDeletedFalse KeepDeleted = iota
	KeepDeletedTrue
	KeepDeletedTTL
)

// Durability in HBase's numbers.
type Durability uint8

const (
	UseDefault Durability = 0
	SkipWAL    Durability = 1
	AsyncWAL   Durability = 2
	SyncWAL    Durability = 3
	FsyncWAL   Durability = 4
)

// Namespace is immutable.
type Namespace struct {
	Name          string
	Configuration []StringPair
}

// Family is immutable. What a client sent is kept verbatim in Attributes and
// Configuration; the typed fields are read from it once.
type Family struct {
	ID            uint32 // unique in the table for ever: a family dropped and made again has a new one
	Name          []byte
	Attributes    []BytesPair
	Configuration []StringPair

	MaxVersions        int
	MinVersions        int
	TTLSeconds         int64 // Forever: none
	KeepDeleted        KeepDeleted
	NewVersionBehavior bool
}

// Region is immutable: a logical range of a table's rows.
type Region struct {
	Table *Table // the table as of this View
	Start []byte // inclusive; empty: from the beginning
	End   []byte // exclusive; empty: to the end
	// RegionID is the creation time in ms; with Start it makes the name.
	RegionID int64
	// Name is table "," start "," id "." md5hex "."; Encoded is md5hex.
	Name    []byte
	Encoded string
	// OpenSeq is reported as seqnumDuringOpen.
	OpenSeq int64
	// Load counts what was asked of the region since the server started; Views
	// that know the region share it.
	Load *RegionLoad
}

// RegionLoad counts rows read and mutations.
type RegionLoad struct{ Reads, Writes atomic.Uint64 }

// CountReads adds n rows to the load of the region, if it is counted.
func (r *Region) CountReads(n int) {
	if r.Load != nil {
		r.Load.Reads.Add(uint64(n))
	}
}

// CountWrites adds n mutations.
func (r *Region) CountWrites(n int) {
	if r.Load != nil {
		r.Load.Writes.Add(uint64(n))
	}
}

// Contains tells whether row lies in the region.
func (r *Region) Contains(row []byte) bool {
	return bytes.Compare(r.Start, row) <= 0 && (len(r.End) == 0 || bytes.Compare(row, r.End) < 0)
}

// Table is immutable, but for one flag: once a later View has another version of
// it (or none), it is retired, and operations that find it so start again.
type Table struct {
	retired atomic.Bool

	Name          TableName
	State         TableState
	Attributes    []BytesPair
	Configuration []StringPair
	Families      []*Family // sorted by name
	Regions       []*Region // sorted by Start, covering all rows
	// DataIDs is the stack of data ids, newest first. Usually one.
	DataIDs []uint64
	// NextFamilyID is the id that the next new family gets.
	NextFamilyID uint32
	CreatedMs    int64
	// Opens counts how often the table's regions were opened anew (enabled,
	// altered). It is part of every region's OpenSeq, so that this never falls.
	Opens int64

	// Replicas is how often each region is listed (REGION_REPLICATION), at
	// least 1. All of a region's replicas are the region itself, under more
	// names: a read of any of them is as fresh as one of the first.
	Replicas   int
	ReadOnly   bool       // READONLY
	Durability Durability // DURABILITY, UseDefault if absent
	// MaxCellBytes is hbase.server.keyvalue.maxsize as set for this table: 0 when
	// it is not set, negative for no limit.
	MaxCellBytes int
}

// Retire marks this version as replaced. Only Catalog calls it, after the new
// View is visible.
func (t *Table) Retire() { t.retired.Store(true) }

// Retired tells whether a later View replaced this version.
func (t *Table) Retired() bool { return t.retired.Load() }

// DataID is where writes go.
func (t *Table) DataID() uint64 { return t.DataIDs[0] }

// Family finds a family by name, or nil.
func (t *Table) Family(name []byte) *Family {
	for _, f := range t.Families {
		if bytes.Equal(f.Name, name) {
			return f
		}
	}
	return nil
}

// RegionOf finds the region that holds row.
func (t *Table) RegionOf(row []byte) *Region {
	i := sort.Search(len(t.Regions), func(i int) bool {
		return bytes.Compare(t.Regions[i].Start, row) > 0
	})
	return t.Regions[i-1]
}

// View is the whole catalog at one moment, immutable.
type View struct {
	Namespaces map[string]*Namespace
	Tables     map[TableName]*Table
	// Sorted has the tables ordered by namespace, then name.
	Sorted []*Table
	// ByEncoded and ByName find regions of all tables (disabled ones too), by
	// the names of their replicas as well.
	ByEncoded map[string]*Region
	ByName    map[string]*Region
	// MetaReplicas is Replicas of hbase:meta, which is not among Tables.
	MetaReplicas int
	// Switches are the administrator's booleans; see Catalog.SetSwitch.
	Switches map[string]bool

	// SQLTables, SQLObjects and Blobs are the MySQL door's; see ChangeSQL. A
	// name in a namespace belongs to one of Tables and SQLTables.
	SQLTables  map[TableName]*SQLTable
	SQLObjects map[SQLObjectName]*SQLObject
	Blobs      map[string][]byte
}
