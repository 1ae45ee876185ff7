package catalog

import (
	"strings"
	"sync/atomic"
)

// SQLKind is how a column's values are stored.
type SQLKind uint8

const (
	SQLInt      SQLKind = 1 // signed, Width bytes
	SQLUint     SQLKind = 2 // unsigned, Width bytes; also BIT, ENUM, SET, as numbers
	SQLFloat    SQLKind = 3
	SQLDouble   SQLKind = 4
	SQLDecimal  SQLKind = 5 // Precision, Scale
	SQLText     SQLKind = 6 // compared by Collation
	SQLBinary   SQLKind = 7 // compared byte by byte
	SQLDateTime SQLKind = 8 // DATE, DATETIME and TIMESTAMP, the last in UTC
	SQLTime     SQLKind = 9
	SQLJSON     SQLKind = 10
)

// SQLColumn is immutable.
type SQLColumn struct {
	// ID is the column's place in stored rows. It is never used again in its
	// table, so that a dropped column's values are skipped.
	ID   int    `json:"id"`
	Name string `json:"name"`
	// Type is as SQL writes it, with its character set and collation.
	Type string `json:"type"`

	Kind      SQLKind `json:"kind"`
	Width     int     `json:"width,omitempty"`
	Precision int     `json:"precision,omitempty"`
	Scale     int     `json:"scale,omitempty"`
	// Collation is MySQL's number of it, for SQLText.
	Collation uint16 `json:"collation,omitempty"`

	NotNull       bool `json:"not_null,omitempty"`
	AutoIncrement bool `json:"auto,omitempty"`
	// Default, OnUpdate and Generated are expressions as text; "" is none.
	Default   string `json:"default,omitempty"`
	OnUpdate  string `json:"on_update,omitempty"`
	Generated string `json:"generated,omitempty"`
	Virtual   bool   `json:"virtual,omitempty"`
	Comment   string `json:"comment,omitempty"`
	Extra     string `json:"extra,omitempty"`
	// Added is what rows that are older than the column read as: the encoded
	// value. Nil is NULL.
	Added []byte `json:"added,omitempty"`
}

// SQLIndexColumn is a column of an index, by its ID.
type SQLIndexColumn struct {
	Column int `json:"column"`
	// Prefix, when not 0, is how many characters (or bytes, of binary columns)
	// the index holds.
	Prefix int  `json:"prefix,omitempty"`
	Desc   bool `json:"desc,omitempty"`
}

// SQLIndex is immutable.
type SQLIndex struct {
	Name    string           `json:"name"`
	DataID  uint64           `json:"data"`
	Columns []SQLIndexColumn `json:"columns"`
	Unique  bool             `json:"unique,omitempty"`
	Comment string           `json:"comment,omitempty"`
	// Invisible indexes are kept up but not read.
	Invisible bool `json:"invisible,omitempty"`
}

// SQLForeignKey is immutable. Columns are names: the parent may not exist yet.
type SQLForeignKey struct {
	Name          string   `json:"name"`
	Columns       []string `json:"columns"`
	ParentSchema  string   `json:"parent_schema"`
	Parent        string   `json:"parent"`
	ParentColumns []string `json:"parent_columns"`
	OnUpdate      string   `json:"on_update,omitempty"`
	OnDelete      string   `json:"on_delete,omitempty"`
}

// SQLCheck is immutable.
type SQLCheck struct {
	Name        string `json:"name"`
	Expression  string `json:"expression"`
	NotEnforced bool   `json:"not_enforced,omitempty"`
}

// SQLTable is a table of the MySQL door. Immutable, but for one flag, as Table.
type SQLTable struct {
	retired atomic.Bool

	Name TableName `json:"-"`
	// ID names the table's lock and its counters; it stays when the schema
	// changes. It comes from the same counter as data ids.
	ID uint64 `json:"id"`
	// Version counts the changes of the schema.
	Version uint64 `json:"version"`

	Columns []SQLColumn `json:"columns"` // in their order
	// NextColumnID is above every ID that was ever used.
	NextColumnID int `json:"next_column"`
	// Primary is the index that rows live in. Without Columns, rows have a
	// hidden number as their key.
	Primary     SQLIndex        `json:"primary"`
	Indexes     []SQLIndex      `json:"indexes,omitempty"` // the others
	ForeignKeys []SQLForeignKey `json:"foreign_keys,omitempty"`
	Checks      []SQLCheck      `json:"checks,omitempty"`

	Collation uint16 `json:"collation"`
	Comment   string `json:"comment,omitempty"`
	CreatedMs int64  `json:"created"`
	// AutoFloor is the least number that AUTO_INCREMENT may give out next.
	AutoFloor uint64 `json:"auto_floor,omitempty"`
}

// Retired tells whether a later View replaced this version.
func (t *SQLTable) Retired() bool { return t.retired.Load() }

// Column finds a column by name, as SQL compares them, or -1.
func (t *SQLTable) Column(name string) int {
	for i := range t.Columns {
		if strings.EqualFold(t.Columns[i].Name, name) {
			return i
		}
	}
	return -1
}

// ColumnByID finds a column by ID, or -1.
func (t *SQLTable) ColumnByID(id int) int {
	for i := range t.Columns {
		if t.Columns[i].ID == id {
			return i
		}
	}
	return -1
}

// Index finds an index other than the primary by name, or -1.
func (t *SQLTable) Index(name string) int {
	for i := range t.Indexes {
		if strings.EqualFold(t.Indexes[i].Name, name) {
			return i
		}
	}
	return -1
}

// DataIDs are those of all indexes.
func (t *SQLTable) DataIDs() []uint64 {
	ids := []uint64{t.Primary.DataID}
	for i := range t.Indexes {
		ids = append(ids, t.Indexes[i].DataID)
	}
	return ids
}

// Clone copies what a change may want to edit.
func (t *SQLTable) Clone() *SQLTable {
	return &SQLTable{
		Name: t.Name, ID: t.ID, Version: t.Version,
		Columns: append([]SQLColumn(nil), t.Columns...), NextColumnID: t.NextColumnID,
		Primary: t.Primary, Indexes: append([]SQLIndex(nil), t.Indexes...),
		ForeignKeys: append([]SQLForeignKey(nil), t.ForeignKeys...), Checks: append([]SQLCheck(nil), t.Checks...),
		Collation: t.Collation, Comment: t.Comment, CreatedMs: t.CreatedMs, AutoFloor: t.AutoFloor,
	}
}

// SQLObjectKind tells views from triggers and so on.
type SQLObjectKind byte

const (
	SQLView      SQLObjectKind = 'v'
	SQLTrigger   SQLObjectKind = 't'
	SQLProcedure SQLObjectKind = 'p'
	SQLEvent     SQLObjectKind = 'e'
)

// SQLObjectName names one: Kind and Name in a database.
type SQLObjectName struct {
	Database string
	Kind     SQLObjectKind
	Name     string
}

// SQLObject is something of a database that is kept as text. Immutable.
type SQLObject struct {
	Name SQLObjectName `json:"-"`
	// Statement made it; Body is the part that runs (a view's SELECT).
	Statement string `json:"statement"`
	Body      string `json:"body,omitempty"`
	SQLMode   string `json:"sql_mode,omitempty"`
	CreatedMs int64  `json:"created,omitempty"`
	ChangedMs int64  `json:"changed,omitempty"`
}
