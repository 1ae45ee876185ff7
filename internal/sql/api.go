package sql

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/basaltdb/basalt/internal/rel/row"
)

// Value is one cell of a result or one argument of a statement.
type Value = row.Value

// Engine is the SQL half of a Basalt, of which the door opens sessions. Safe for
// concurrent use.
type Engine interface {
	// NewSession opens a session. It must be closed.
	NewSession(o SessionOptions) (Session, error)
	// Account finds the account that a login from this address is for. The door
	// checks the proof against Stored; without an account it goes through the
	// same motions and refuses. address has no port; over a Unix socket it is
	// "localhost".
	Account(user, address string) (Account, bool)
	// Kill ends the statement that a session runs, or the session.
	Kill(connectionID uint32, connection bool) error
	// Statistics is the line that COM_STATISTICS answers.
	Statistics() string
	// Version is the server version of the greeting.
	Version() string
	Close() error
}

// Account is an entry of the account table.
type Account struct {
	User, Host string
	// Plugin is the way to log in; Stored is what mysql/password keeps for it,
	// "" for no password.
	Plugin, Stored string
	Locked         bool
	RequireTLS     bool
	// LocalOnly: only a Unix socket or the loopback may log in (root before it
	// has a password).
	LocalOnly bool
}

// SessionOptions are what the handshake settled.
type SessionOptions struct {
	ConnectionID uint32
	// User and Account are as logged in; Address is host:port of the client, or
	// "localhost" over a Unix socket.
	User    string
	Account Account
	Address string
	// Database is the initial one, "" for none. One that does not exist, or may
	// not be used, fails NewSession.
	Database string
	// Collation is the number that the client asked for in the handshake.
	Collation uint16
	// FoundRows: affected rows of an UPDATE count rows found (CLIENT_FOUND_ROWS).
	FoundRows bool
	// IgnoreSpace is CLIENT_IGNORE_SPACE; Interactive is CLIENT_INTERACTIVE.
	IgnoreSpace, Interactive bool
	// TLS and Compressed are for status variables.
	TLS, Compressed bool
	// Attributes are the client's connection attributes.
	Attributes [][2]string
	// Disconnect is called (once, from another goroutine) when the session is
	// killed: the door ends the connection. The running statement's context is
	// cancelled by the session itself.
	Disconnect func()
}

// Session is one client's session. Its methods are called one at a time, but for
// those of Engine.
type Session interface {
	// Split cuts the first statement off a text of several; rest is "" behind
	// the last one. Comments and empty statements between are skipped: stmt is
	// "" when there is nothing. The strings are parts of text.
	Split(text string) (stmt, rest string)
	// Query runs one statement. A text with another statement behind the first
	// is a syntax error.
	Query(ctx context.Context, text string, sink Sink) (Result, error)
	// Prepare makes a statement with ? parameters.
	Prepare(ctx context.Context, text string) (Stmt, error)

	// UseDatabase is COM_INIT_DB.
	UseDatabase(ctx context.Context, name string) error
	// Fields are the columns of a table whose names match a LIKE pattern ("" is
	// all), with their defaults as text (COM_FIELD_LIST). A nil default is NULL.
	Fields(ctx context.Context, table, pattern string) ([]Column, []*string, error)
	// Reset is COM_RESET_CONNECTION: all state but the login and the database
	// goes; statements of Prepare are closed.
	Reset(ctx context.Context) error
	// ChangeUser starts the session anew for another login. The connection id
	// and Disconnect stay.
	ChangeUser(ctx context.Context, o SessionOptions) error

	// Status are the flags for the next reply.
	Status() Status
	// Database is the current one.
	Database() string
	// MaxAllowedPacket bounds what the client may send now, in bytes.
	MaxAllowedPacket() int
	// IdleTimeout is wait_timeout or interactive_timeout, whichever rules.
	IdleTimeout() time.Duration
	// Close rolls back what is open and frees locks. A statement must not be
	// running.
	Close()
}

// Stmt is a prepared statement of a session.
type Stmt interface {
	// Params are definitions of the parameters; only their number is sure.
	Params() []Column
	// Columns are those of the result as far as they are known before it runs;
	// none for a statement without one.
	Columns() []Column
	// Execute runs it. args has one Value per parameter; it and its bytes are
	// only used during the call.
	Execute(ctx context.Context, args []Value, sink Sink) (Result, error)
	Close()
}

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

// Status are flags in the protocol's numbers.
type Status uint16

const (
	StatusInTransaction         Status = 0x0001
	StatusAutocommit            Status = 0x0002
	StatusNoBackslashEscapes    Status = 0x0200
	StatusInReadOnlyTransaction Status = 0x2000
)

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
