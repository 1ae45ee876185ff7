package wire

import "encoding/binary"

// ScrambleBytes is the length of the random bytes that passwords are mixed with.
const ScrambleBytes = 20

// Greeting is the server's first packet.
type Greeting struct {
	Version      string
	ConnectionID uint32
	Scramble     [ScrambleBytes]byte // without zero bytes
	Capabilities Capability
	Charset      byte // a collation's number
	Status       Status
	AuthPlugin   string
}

// AppendGreeting appends protocol version 10:
//
//	0a  version 00  id4  scramble[0:8] 00  capabilities[0:2]  charset1
//	status2  capabilities[2:4]  scramble length1  00*10  scramble[8:20] 00
//	plugin name 00
func AppendGreeting(b []byte, g *Greeting) []byte {
	b = AppendNullString(append(b, 10), g.Version)
	b = binary.LittleEndian.AppendUint32(b, g.ConnectionID)
	b = append(append(b, g.Scramble[:8]...), 0)
	b = binary.LittleEndian.AppendUint16(b, uint16(g.Capabilities))
	b = append(b, g.Charset)
	b = binary.LittleEndian.AppendUint16(b, uint16(g.Status))
	b = binary.LittleEndian.AppendUint16(b, uint16(g.Capabilities>>16))
	b = append(b, ScrambleBytes+1)
	b = append(b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	b = append(append(b, g.Scramble[8:]...), 0)
	return AppendNullString(b, g.AuthPlugin)
}

// Login is the client's answer. Its slices alias the packet.
type Login struct {
	Capabilities Capability
	MaxPacket    uint32
	Charset      byte
	User         []byte
	Auth         []byte
	Database     []byte
	AuthPlugin   []byte
	Attrs        []byte // see EachAttr
	ZstdLevel    byte
}

// SSLRequestBytes is the length of a login that ends before the user name: the
// client wants to go on in TLS and then log in.
const SSLRequestBytes = 32

// DecodeLogin takes apart:
//
//	capabilities4  max packet4  charset1  00*23
//	user 00
//	auth: lenenc string (PluginAuthLenencClientData), or length1 and bytes
//	      (SecureConnection), or up to 00
//	database 00                        (ConnectWithDB)
//	plugin name 00                     (PluginAuth)
//	lenenc length, then pairs          (ConnectAttrs)
//	zstd level1                        (ZstdCompression)
//
// A request for TLS is the first 32 bytes alone. Clients are known to leave off
// the 00 after the plugin name when it comes last.
func DecodeLogin(b []byte) (l Login, err error) {
	c := NewCursor(b)
	l.Capabilities = Capability(c.Uint32())
	if !c.OK() || l.Capabilities&Protocol41 == 0 {
		return l, ErrMalformed
	}
	l.MaxPacket = c.Uint32()
	l.Charset = c.Byte()
	c.Bytes(23)
	if c.Len() == 0 {
		return l, c.Err()
	}
	l.User = c.Null()
	switch {
	case l.Capabilities&PluginAuthLenencClientData != 0:
		l.Auth = c.LenencBytes()
	case l.Capabilities&SecureConnection != 0:
		l.Auth = c.Bytes(int(c.Byte()))
	default:
		l.Auth = c.Null()
	}
	if l.Capabilities&ConnectWithDB != 0 && c.Len() > 0 {
		l.Database = c.nullOrRest()
	}
	if l.Capabilities&PluginAuth != 0 && c.Len() > 0 {
		l.AuthPlugin = c.nullOrRest()
	}
	if l.Capabilities&ConnectAttrs != 0 && c.Len() > 0 {
		l.Attrs = c.LenencBytes()
	}
	if l.Capabilities&ZstdCompression != 0 && c.Len() > 0 {
		l.ZstdLevel = c.Byte()
	}
	return l, c.Err()
}

// nullOrRest is Null for a string that may end with the packet instead.
func (c *Cursor) nullOrRest() []byte {
	for i, x := range c.b {
		if x == 0 {
			b := c.b[:i:i]
			c.b = c.b[i+1:]
			return b
		}
	}
	return c.Rest()
}

// EachAttr calls f with each pair of Login.Attrs, lenenc strings in turns.
func EachAttr(attrs []byte, f func(key, value []byte)) error {
	c := NewCursor(attrs)
	for c.Len() > 0 {
		key, value := c.LenencBytes(), c.LenencBytes()
		if !c.OK() {
			return ErrMalformed
		}
		f(key, value)
	}
	return nil
}

// DecodeChangeUser takes apart COM_CHANGE_USER after its command byte:
//
//	user 00  auth length1 auth  database 00  charset2  plugin name 00
//	lenenc length, then pairs          (ConnectAttrs)
//
// Everything after the database may be missing. caps are the connection's.
func DecodeChangeUser(b []byte, caps Capability) (l Login, charset uint16, err error) {
	c := NewCursor(b)
	l.Capabilities = caps
	l.User = c.Null()
	if caps&SecureConnection != 0 {
		l.Auth = c.Bytes(int(c.Byte()))
	} else {
		l.Auth = c.Null()
	}
	l.Database = c.Null()
	if c.Len() >= 2 {
		charset = c.Uint16()
	}
	if caps&PluginAuth != 0 && c.Len() > 0 {
		l.AuthPlugin = c.nullOrRest()
	}
	if caps&ConnectAttrs != 0 && c.Len() > 0 {
		l.Attrs = c.LenencBytes()
	}
	return l, charset, c.Err()
}

// AppendAuthSwitch appends a request to log in by another plugin:
//
//	fe  plugin name 00  scramble 00
func AppendAuthSwitch(b []byte, plugin string, scramble []byte) []byte {
	b = AppendNullString(append(b, 0xfe), plugin)
	return append(append(b, scramble...), 0)
}

// AppendAuthMore appends bytes of a plugin: 01 and the bytes.
func AppendAuthMore(b []byte, data ...byte) []byte {
	return append(append(b, 0x01), data...)
}
