package mysql

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/basaltdb/basalt/internal/mysql/wire"
)

// rawClient sends what no driver would.
type rawClient struct {
	t    testing.TB
	nc   net.Conn
	caps wire.Capability
	seq  uint8
}

// dialRaw connects and reads the greeting, no more.
func dialRaw(t testing.TB, address string) *rawClient {
	t.Helper()
	nc, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(10 * time.Second))
	c := &rawClient{t: t, nc: nc}
	if b := c.read(); b[0] != 10 {
		t.Fatalf("greeting: %q", b)
	}
	return c
}

// loginPacket is a login of root without a password.
func loginPacket(caps wire.Capability) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(caps))
	b = binary.LittleEndian.AppendUint32(b, 1<<24)
	b = append(append(b, 45), make([]byte, 23)...)
	b = append(b, "root\x00\x00"...)
	return append(b, "caching_sha2_password\x00"...)
}

// dial logs in as root.
func dial(t testing.TB, address string, caps wire.Capability) *rawClient {
	t.Helper()
	c := dialRaw(t, address)
	c.caps = caps
	c.send(1, loginPacket(caps))
	if b := c.read(); b[0] != 0 {
		t.Fatalf("login: %q", b)
	}
	return c
}

func (c *rawClient) send(seq uint8, payload []byte) {
	c.t.Helper()
	w := wire.Writer{Seq: seq}
	w.Begin()
	w.Buf = append(w.Buf, payload...)
	w.End()
	if _, err := c.nc.Write(w.Buf); err != nil {
		c.t.Fatal(err)
	}
}

// command sends one.
func (c *rawClient) command(command wire.Command, payload ...byte) {
	c.t.Helper()
	c.send(0, append([]byte{byte(command)}, payload...))
}

// text sends a command with a text.
func (c *rawClient) text(command wire.Command, s string) {
	c.t.Helper()
	c.command(command, []byte(s)...)
}

// read reads one packet.
func (c *rawClient) read() []byte {
	c.t.Helper()
	b, err := c.readErr()
	if err != nil {
		c.t.Fatal(err)
	}
	return b
}

func (c *rawClient) readErr() ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(c.nc, head[:]); err != nil {
		return nil, err
	}
	c.seq = head[3]
	b := make([]byte, int(head[0])|int(head[1])<<8|int(head[2])<<16)
	_, err := io.ReadFull(c.nc, b)
	return b, err
}

// kinds reads n packets and names each one's kind: a letter for OK, error and
// EOF, d for a definition, and the length of others.
func (c *rawClient) kinds(n int) (s string) {
	c.t.Helper()
	for range n {
		b := c.read()
		switch {
		case len(b) > 0 && b[0] == 0xff:
			s += fmt.Sprintf("E%d ", binary.LittleEndian.Uint16(b[1:]))
		case len(b) == 5 && b[0] == 0xfe:
			s += fmt.Sprintf("F%d ", binary.LittleEndian.Uint16(b[3:]))
		case len(b) >= 7 && b[0] == 0xfe:
			s += fmt.Sprintf("f%d ", binary.LittleEndian.Uint16(b[3:]))
		case len(b) > 4 && string(b[:4]) == "\x03def":
			s += "d "
		case len(b) == 7 && b[0] == 0:
			s += fmt.Sprintf("O%d ", binary.LittleEndian.Uint16(b[3:]))
		case len(b) == 12 && b[0] == 0:
			s += "P "
		default:
			s += fmt.Sprint(len(b), " ")
		}
	}
	return s
}

// closed tells that the server ends the connection.
func (c *rawClient) closed() bool {
	_, err := c.readErr()
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || err != nil
}
