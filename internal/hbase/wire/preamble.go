package wire

// PreambleBytes is the length of every preamble.
const PreambleBytes = 6

// PreambleKind tells what a client opens a connection for.
type PreambleKind uint8

const (
	// PreambleUnknown: not HBase's protocol.
	PreambleUnknown PreambleKind = iota
	// PreambleConnection: calls will follow.
	PreambleConnection
	// PreambleRegistry asks for the cluster id and nothing else.
	PreambleRegistry
	// PreambleSecurity asks for the server's principal; another preamble follows.
	PreambleSecurity
)

// Authentication methods of a connection preamble.
const (
	AuthSimple   = 80
	AuthKerberos = 81
	AuthDigest   = 82
)

// Version is the only version of the protocol there is.
const Version = 0

// SwitchToSimple answers the preamble of a client that wants Kerberos or a
// token, from a server that has neither: status success, and in place of a
// token's length the request to go on without. The client then sends its first
// token, which is skipped, and its connection header.
const SwitchToSimple = "\x00\x00\x00\x00\xff\xff\xff\xa8"

// Preamble is the first 6 bytes of a connection.
//
//	'H' 'B' 'a' 's' | u8 version | u8 auth
//	"Regist" | "Securi"
type Preamble struct {
	Kind    PreambleKind
	Version uint8 // of PreambleConnection
	Auth    uint8 // of PreambleConnection
}

// ParsePreamble reads a preamble.
func ParsePreamble(b [PreambleBytes]byte) Preamble {
	switch {
	case string(b[:4]) == "HBas":
		return Preamble{PreambleConnection, b[4], b[5]}
	case string(b[:]) == "Regist":
		return Preamble{Kind: PreambleRegistry}
	case string(b[:]) == "Securi":
		return Preamble{Kind: PreambleSecurity}
	}
	return Preamble{}
}
