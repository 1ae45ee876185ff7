package wire

import "encoding/binary"

// The first byte of replies.
const (
	headOK        = 0x00
	headLocalFile = 0xfb
	headEOF       = 0xfe
	headErr       = 0xff
)

// OK is what a statement without rows answers, and with DeprecateEOF also what
// ends rows.
type OK struct {
	AffectedRows, LastInsertID uint64
	Status                     Status
	Warnings                   uint16
	// Info is a sentence for people, such as "Rows matched: 1  Changed: 0
	// Warnings: 0". Programs read it too.
	Info string
	// Changes are entries that Append*Change made, for clients with
	// SessionTrack.
	Changes []byte
}

// AppendOK appends an OK packet:
//
//	00  affected lenenc  last insert id lenenc  status2  warnings2
//	info lenenc string         (left off when it is empty and nothing follows)
//	changes lenenc string      (SessionTrack, and SessionStateChanged in status)
func AppendOK(b []byte, caps Capability, ok *OK) []byte {
	return appendOK(append(b, headOK), caps, ok)
}

// AppendEndOfRows appends what ends rows, and what ends definitions for clients
// without DeprecateEOF: an EOF packet, or for newer clients an OK packet with
// EOF's first byte.
//
//	fe  warnings2  status2
func AppendEndOfRows(b []byte, caps Capability, ok *OK) []byte {
	b = append(b, headEOF)
	if caps&DeprecateEOF != 0 {
		return appendOK(b, caps, ok)
	}
	b = binary.LittleEndian.AppendUint16(b, ok.Warnings)
	return binary.LittleEndian.AppendUint16(b, uint16(ok.Status))
}

func appendOK(b []byte, caps Capability, ok *OK) []byte {
	b = AppendLenencInt(b, ok.AffectedRows)
	b = AppendLenencInt(b, ok.LastInsertID)
	status := ok.Status &^ SessionStateChanged
	changes := caps&SessionTrack != 0 && len(ok.Changes) > 0
	if changes {
		status |= SessionStateChanged
	}
	b = binary.LittleEndian.AppendUint16(b, uint16(status))
	b = binary.LittleEndian.AppendUint16(b, ok.Warnings)
	switch {
	case changes:
		b = AppendLenencString(b, ok.Info)
		b = AppendLenencString(b, ok.Changes)
	case ok.Info != "":
		b = AppendLenencString(b, ok.Info)
	}
	return b
}

// Kinds of session changes.
const (
	changeSystemVariable = 0
	changeSchema         = 1
)

// AppendSchemaChange appends that the session's database is another now: the
// kind, and the name after its length, after the length of that.
func AppendSchemaChange(b []byte, name string) []byte {
	b = append(b, changeSchema)
	b = AppendLenencInt(b, uint64(lenencSize(len(name))))
	return AppendLenencString(b, name)
}

// AppendVariableChange appends the new value of a system variable.
func AppendVariableChange(b []byte, name, value string) []byte {
	b = append(b, changeSystemVariable)
	b = AppendLenencInt(b, uint64(lenencSize(len(name))+lenencSize(len(value))))
	return AppendLenencString(AppendLenencString(b, name), value)
}

// lenencSize is how long a string of n bytes is after its length.
func lenencSize(n int) int {
	switch {
	case n < 0xfb:
		return 1 + n
	case n < 1<<16:
		return 3 + n
	case n < 1<<24:
		return 4 + n
	}
	return 9 + n
}

// AppendErr appends an error:
//
//	ff  code2  '#'  sqlstate*5  message
//
// MySQL gives up messages at 512 bytes. Before the login is decoded there is no
// SQLSTATE: an empty one is left off.
func AppendErr(b []byte, code uint16, state, message string) []byte {
	b = binary.LittleEndian.AppendUint16(append(b, headErr), code)
	if state != "" {
		b = append(append(b, '#'), state...)
	}
	return append(b, message...)
}

// AppendLocalFile appends the request for a file of the client's: fb and its
// name. The client sends the content in packets, and an empty one.
func AppendLocalFile(b []byte, name string) []byte {
	return append(append(b, headLocalFile), name...)
}

// AppendPrepared appends what a prepared statement has:
//
//	00  statement4  columns2  parameters2  00  warnings2
func AppendPrepared(b []byte, id uint32, columns, params int, warnings uint16) []byte {
	b = binary.LittleEndian.AppendUint32(append(b, headOK), id)
	b = binary.LittleEndian.AppendUint16(b, uint16(columns))
	b = binary.LittleEndian.AppendUint16(b, uint16(params))
	return binary.LittleEndian.AppendUint16(append(b, 0), warnings)
}
