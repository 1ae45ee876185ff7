// Package answer has the nouns of what a statement gives back: columns, rows,
// results and errors, in the terms of MySQL's protocol but without its bytes. It
// is what the plans and the door agree on.
package answer

import (
	"fmt"
	"io"

	"github.com/basaltdb/basalt/internal/rel/row"
)

// Value is one cell of a result or one argument of a statement.
type Value = row.Value

// Sink takes what a statement gives. Its errors (the client is gone) end the
// statement and come back from Query or Execute as they are.
type Sink interface {
	// Columns begins a result set. A second call begins another one (CALL),
	// with the first one complete.
	Columns(cols []Column) error
	// Row takes a row of the current set: a Value per column, of a Kind that
	// fits the column's Type (see Column). row and its bytes are valid during
	// the call only.
	Row(row []Value) error
	// LocalFile asks the client for a file (LOAD DATA LOCAL INFILE). The reader
	// is read to its end or closed.
	LocalFile(name string) (io.ReadCloser, error)
}

// Result is how a statement ended.
type Result struct {
	// Rows: it ended a result set, given to the sink, and not with a plain OK.
	Rows                       bool
	AffectedRows, LastInsertID uint64
	Warnings                   uint16
	// Info is the text of an OK reply ("Rows matched: 1  Changed: 1 ...").
	Info string
}

// Type is a column's type in the protocol's numbers.
type Type uint8

const (
	TypeTiny      Type = 1
	TypeShort     Type = 2
	TypeLong      Type = 3
	TypeFloat     Type = 4
	TypeDouble    Type = 5
	TypeNull      Type = 6
	TypeTimestamp Type = 7
	TypeLongLong  Type = 8
	TypeInt24     Type = 9
	TypeDate      Type = 10
	TypeTime      Type = 11
	TypeDateTime  Type = 12
	TypeYear      Type = 13
	TypeBit       Type = 16
	TypeJSON      Type = 245
	TypeDecimal   Type = 246 // NEWDECIMAL
	TypeBlob      Type = 252
	TypeVarString Type = 253
	TypeString    Type = 254
	TypeGeometry  Type = 255
)

// Column flags in the protocol's numbers.
const (
	FlagNotNull       uint16 = 1
	FlagPrimaryKey    uint16 = 2
	FlagUniqueKey     uint16 = 4
	FlagMultipleKey   uint16 = 8
	FlagBlob          uint16 = 16
	FlagUnsigned      uint16 = 32
	FlagZerofill      uint16 = 64
	FlagBinary        uint16 = 128
	FlagEnum          uint16 = 256
	FlagAutoIncrement uint16 = 512
	FlagTimestamp     uint16 = 1024
	FlagSet           uint16 = 2048
	FlagNoDefault     uint16 = 4096
	FlagOnUpdateNow   uint16 = 8192
	FlagNum           uint16 = 32768
)

// Column is a result's column. The Kinds of its values, besides row.Null, are
//
//	Int, Uint   the integer types and YEAR: Uint exactly where FlagUnsigned is set
//	Float       TypeFloat
//	Double      TypeDouble
//	DateTime    TypeDate, TypeDateTime, TypeTimestamp
//	Time        TypeTime
//	Bytes       all others: decimals as text, BIT as big-endian bytes, enums and
//	            sets as text
//
// in both protocols; Decimals says how many digits of a fraction are shown.
type Column struct {
	Schema, Table, OrgTable, Name, OrgName string
	// Collation is the number that the column is announced with.
	Collation uint16
	// Length is that of the longest value as text, in bytes.
	Length   uint32
	Type     Type
	Flags    uint16
	Decimals uint8
}

// Error is an error as clients see it. Every error that a statement gives, but
// for those of the Sink, is one or wraps one; what is none is internal (1105).
type Error struct {
	Code    uint16
	State   string // SQLSTATE, five characters
	Message string
	// Fatal: the connection must end after the reply (killed).
	Fatal bool
}

func (e *Error) Error() string {
	return fmt.Sprintf("error %d (%s): %s", e.Code, e.State, e.Message)
}
