package sql

import (
	"context"
	"time"

	"github.com/basaltdb/basalt/internal/sql/answer"
)

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
	// TLSVersion and TLSCipher, as MySQL names them, are for status variables;
	// "" without TLS.
	TLSVersion, TLSCipher string
	// Compressed is for a status variable too.
	Compressed bool
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

// The nouns of answers; see package answer.
type (
	Value  = answer.Value
	Sink   = answer.Sink
	Result = answer.Result
	Column = answer.Column
	Type   = answer.Type
	Error  = answer.Error
)

const (
	TypeTiny          = answer.TypeTiny
	TypeShort         = answer.TypeShort
	TypeLong          = answer.TypeLong
	TypeFloat         = answer.TypeFloat
	TypeDouble        = answer.TypeDouble
	TypeNull          = answer.TypeNull
	TypeTimestamp     = answer.TypeTimestamp
	TypeLongLong      = answer.TypeLongLong
	TypeInt24         = answer.TypeInt24
	TypeDate          = answer.TypeDate
	TypeTime          = answer.TypeTime
	TypeDateTime      = answer.TypeDateTime
	TypeYear          = answer.TypeYear
	TypeBit           = answer.TypeBit
	TypeJSON          = answer.TypeJSON
	TypeDecimal       = answer.TypeDecimal
	TypeBlob          = answer.TypeBlob
	TypeVarString     = answer.TypeVarString
	TypeString        = answer.TypeString
	TypeGeometry      = answer.TypeGeometry
	FlagNotNull       = answer.FlagNotNull
	FlagPrimaryKey    = answer.FlagPrimaryKey
	FlagUniqueKey     = answer.FlagUniqueKey
	FlagMultipleKey   = answer.FlagMultipleKey
	FlagBlob          = answer.FlagBlob
	FlagUnsigned      = answer.FlagUnsigned
	FlagZerofill      = answer.FlagZerofill
	FlagBinary        = answer.FlagBinary
	FlagEnum          = answer.FlagEnum
	FlagAutoIncrement = answer.FlagAutoIncrement
	FlagTimestamp     = answer.FlagTimestamp
	FlagSet           = answer.FlagSet
	FlagNoDefault     = answer.FlagNoDefault
	FlagOnUpdateNow   = answer.FlagOnUpdateNow
	FlagNum           = answer.FlagNum
)

// Status are flags in the protocol's numbers.
type Status uint16

const (
	StatusInTransaction         Status = 0x0001
	StatusAutocommit            Status = 0x0002
	StatusNoBackslashEscapes    Status = 0x0200
	StatusInReadOnlyTransaction Status = 0x2000
)
