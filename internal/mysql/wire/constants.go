package wire

// Capability is a set of protocol features. Both sides name theirs in the
// handshake; what both have is on.
type Capability uint32

// The capabilities, by the names of MySQL's sources without CLIENT_.
const (
	LongPassword               Capability = 1 << 0
	FoundRows                  Capability = 1 << 1
	LongFlag                   Capability = 1 << 2
	ConnectWithDB              Capability = 1 << 3
	NoSchema                   Capability = 1 << 4
	Compress                   Capability = 1 << 5
	ODBC                       Capability = 1 << 6
	LocalFiles                 Capability = 1 << 7
	IgnoreSpace                Capability = 1 << 8
	Protocol41                 Capability = 1 << 9
	Interactive                Capability = 1 << 10
	SSL                        Capability = 1 << 11
	IgnoreSigpipe              Capability = 1 << 12
	Transactions               Capability = 1 << 13
	Reserved                   Capability = 1 << 14
	SecureConnection           Capability = 1 << 15
	MultiStatements            Capability = 1 << 16
	MultiResults               Capability = 1 << 17
	PSMultiResults             Capability = 1 << 18
	PluginAuth                 Capability = 1 << 19
	ConnectAttrs               Capability = 1 << 20
	PluginAuthLenencClientData Capability = 1 << 21
	CanHandleExpiredPasswords  Capability = 1 << 22
	SessionTrack               Capability = 1 << 23
	DeprecateEOF               Capability = 1 << 24
	OptionalResultsetMetadata  Capability = 1 << 25
	ZstdCompression            Capability = 1 << 26
	QueryAttributes            Capability = 1 << 27
	RememberOptions            Capability = 1 << 31
)

// Status is the server's state as OK and EOF packets tell it.
type Status uint16

// The status flags, by the names of MySQL's sources without SERVER_STATUS_.
const (
	InTrans             Status = 1 << 0
	Autocommit          Status = 1 << 1
	MoreResultsExist    Status = 1 << 3
	NoGoodIndexUsed     Status = 1 << 4
	NoIndexUsed         Status = 1 << 5
	CursorExists        Status = 1 << 6
	LastRowSent         Status = 1 << 7
	DBDropped           Status = 1 << 8
	NoBackslashEscapes  Status = 1 << 9
	MetadataChanged     Status = 1 << 10
	QueryWasSlow        Status = 1 << 11
	PSOutParams         Status = 1 << 12
	InTransReadonly     Status = 1 << 13
	SessionStateChanged Status = 1 << 14
)

// Command is the first byte of a request.
type Command byte

// The commands that clients send. Those between them are the server's own, or
// for replicas.
const (
	ComQuit             Command = 0x01
	ComInitDB           Command = 0x02
	ComQuery            Command = 0x03
	ComFieldList        Command = 0x04
	ComCreateDB         Command = 0x05
	ComDropDB           Command = 0x06
	ComRefresh          Command = 0x07
	ComShutdown         Command = 0x08
	ComStatistics       Command = 0x09
	ComProcessInfo      Command = 0x0a
	ComProcessKill      Command = 0x0c
	ComDebug            Command = 0x0d
	ComPing             Command = 0x0e
	ComChangeUser       Command = 0x11
	ComStmtPrepare      Command = 0x16
	ComStmtExecute      Command = 0x17
	ComStmtSendLongData Command = 0x18
	ComStmtClose        Command = 0x19
	ComStmtReset        Command = 0x1a
	ComSetOption        Command = 0x1b
	ComStmtFetch        Command = 0x1c
	ComResetConnection  Command = 0x1f
)

// Type is a column's or a parameter's type on the wire.
type Type byte

// The types, by the names of MySQL's sources without MYSQL_TYPE_. NewDate and
// the 2 types stay inside of a server.
const (
	TypeDecimal    Type = 0x00
	TypeTiny       Type = 0x01
	TypeShort      Type = 0x02
	TypeLong       Type = 0x03
	TypeFloat      Type = 0x04
	TypeDouble     Type = 0x05
	TypeNull       Type = 0x06
	TypeTimestamp  Type = 0x07
	TypeLongLong   Type = 0x08
	TypeInt24      Type = 0x09
	TypeDate       Type = 0x0a
	TypeTime       Type = 0x0b
	TypeDatetime   Type = 0x0c
	TypeYear       Type = 0x0d
	TypeVarchar    Type = 0x0f
	TypeBit        Type = 0x10
	TypeJSON       Type = 0xf5
	TypeNewDecimal Type = 0xf6
	TypeEnum       Type = 0xf7
	TypeSet        Type = 0xf8
	TypeTinyBlob   Type = 0xf9
	TypeMediumBlob Type = 0xfa
	TypeLongBlob   Type = 0xfb
	TypeBlob       Type = 0xfc
	TypeVarString  Type = 0xfd
	TypeString     Type = 0xfe
	TypeGeometry   Type = 0xff
)

// Column flags.
const (
	FlagNotNull       uint16 = 1 << 0
	FlagPrimaryKey    uint16 = 1 << 1
	FlagUniqueKey     uint16 = 1 << 2
	FlagMultipleKey   uint16 = 1 << 3
	FlagBlob          uint16 = 1 << 4
	FlagUnsigned      uint16 = 1 << 5
	FlagZerofill      uint16 = 1 << 6
	FlagBinary        uint16 = 1 << 7
	FlagEnum          uint16 = 1 << 8
	FlagAutoIncrement uint16 = 1 << 9
	FlagTimestamp     uint16 = 1 << 10
	FlagSet           uint16 = 1 << 11
	FlagNoDefault     uint16 = 1 << 12
	FlagOnUpdateNow   uint16 = 1 << 13
	FlagNumber        uint16 = 1 << 15
)

// Cursor flags of COM_STMT_EXECUTE.
const (
	CursorReadOnly          byte = 1
	CursorForUpdate         byte = 2
	CursorScrollable        byte = 4
	ParameterCountAvailable byte = 8
)

// CharsetBinary is the number of the binary character set, which all columns
// have that are not text.
const CharsetBinary = 63
