package pb

import "strings"

// RequestHeader goes before every request.
type RequestHeader struct {
	CallID          uint32
	HasCallID       bool
	Method          []byte
	RequestParam    bool
	CellBlockLength uint32
	HasCellBlock    bool
	Priority        uint32
	TimeoutMS       uint32
	HasTimeout      bool
}

// Decode reads a RequestHeader message.
func (h *RequestHeader) Decode(b []byte) error {
	*h = RequestHeader{}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | varint:
			h.CallID, h.HasCallID = uint32(p.u), true
		case 3<<3 | length:
			h.Method = p.b
		case 4<<3 | varint:
			h.RequestParam = p.u != 0
		case 5<<3 | length:
			h.HasCellBlock = true
			meta := parser{in: p.b}
			for meta.next() {
				if meta.tag == 1<<3|varint {
					h.CellBlockLength = uint32(meta.u)
				}
			}
			if meta.err != nil {
				return meta.done("CellBlockMeta")
			}
		case 6<<3 | varint:
			h.Priority = uint32(p.u)
		case 7<<3 | varint:
			h.TimeoutMS, h.HasTimeout = uint32(p.u), true
		}
	}
	return p.done("RequestHeader")
}

// ConnectionHeader is what a client says of itself, once. It owns its strings.
type ConnectionHeader struct {
	EffectiveUser string
	RealUser      string
	Service       string
	Codec         string
	Compressor    string
	CryptoCipher  string
	HasVersion    bool
	Version       string
	// VersionMajor and VersionMinor are taken from the version string when the
	// client did not give the numbers.
	VersionMajor, VersionMinor uint32
}

// Decode reads a ConnectionHeader message.
func (h *ConnectionHeader) Decode(b []byte) error {
	*h = ConnectionHeader{}
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			user := parser{in: p.b}
			for user.next() {
				switch user.tag {
				case 1<<3 | length:
					h.EffectiveUser = string(user.b)
				case 2<<3 | length:
					h.RealUser = string(user.b)
				}
			}
			if user.err != nil {
				return user.done("UserInformation")
			}
		case 2<<3 | length:
			h.Service = string(p.b)
		case 3<<3 | length:
			h.Codec = string(p.b)
		case 4<<3 | length:
			h.Compressor = string(p.b)
		case 5<<3 | length:
			if err := h.decodeVersion(p.b); err != nil {
				return err
			}
		case 6<<3 | length:
			h.CryptoCipher = string(p.b)
		}
	}
	return p.done("ConnectionHeader")
}

func (h *ConnectionHeader) decodeVersion(b []byte) error {
	h.HasVersion = true
	var hasMajor, hasMinor bool
	p := parser{in: b}
	for p.next() {
		switch p.tag {
		case 1<<3 | length:
			h.Version = string(p.b)
		case 7<<3 | varint:
			h.VersionMajor, hasMajor = uint32(p.u), true
		case 8<<3 | varint:
			h.VersionMinor, hasMinor = uint32(p.u), true
		}
	}
	if !hasMajor || !hasMinor {
		h.VersionMajor, h.VersionMinor = versionNumbers(h.Version)
	}
	return p.done("VersionInfo")
}

// versionNumbers reads the first two numbers of a version like 2.6.1-SNAPSHOT;
// what is no number is 0.
func versionNumbers(s string) (major, minor uint32) {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '-' })
	number := func(i int) uint32 {
		if i >= len(parts) || len(parts[i]) > 6 {
			return 0
		}
		n := uint32(0)
		for _, c := range []byte(parts[i]) {
			if c < '0' || c > '9' {
				return 0
			}
			n = n*10 + uint32(c-'0')
		}
		return n
	}
	return number(0), number(1)
}

// NoCellBlock as the length of a response's cell block: there is none.
const NoCellBlock = -1

// AppendResponseHeader appends a ResponseHeader message. e may be nil.
func AppendResponseHeader(dst []byte, callID uint32, e *Exception, cellBlockLength int) []byte {
	dst = appendUint(dst, 1, uint64(callID))
	if e != nil {
		var m Mark
		dst, m = begin(dst, 2)
		dst = End(AppendException(dst, e), m)
	}
	if cellBlockLength != NoCellBlock {
		var m Mark
		dst, m = begin(dst, 3)
		dst = End(appendUint(dst, 1, uint64(cellBlockLength)), m)
	}
	return dst
}

// Exception is an ExceptionResponse.
type Exception struct {
	Class      string
	StackTrace string
	// Hostname and Port are sent when Hostname is set.
	Hostname         string
	Port             int32
	DoNotRetry       bool
	ServerOverloaded bool
}

// AppendException appends an ExceptionResponse message.
func AppendException(dst []byte, e *Exception) []byte {
	dst = appendBytes(dst, 1, e.Class)
	dst = appendBytes(dst, 2, e.StackTrace)
	if e.Hostname != "" {
		dst = appendBytes(dst, 3, e.Hostname)
		dst = appendUint(dst, 4, uint64(int64(e.Port)))
	}
	dst = appendBool(dst, 5, e.DoNotRetry)
	if e.ServerOverloaded {
		dst = appendBool(dst, 6, true)
	}
	return dst
}

// AppendConnectionRegistryResponse appends a GetConnectionRegistryResponse.
func AppendConnectionRegistryResponse(dst []byte, clusterID string) []byte {
	return appendBytes(dst, 1, clusterID)
}
