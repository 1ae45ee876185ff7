package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// ErrMalformed is what decoders return for bytes that are not what the protocol
// says. MySQL's error for it is 1835.
var ErrMalformed = errors.New("malformed packet")

// Cursor takes a packet apart. After a failed step every further one fails, so
// that a decoder looks at OK once, at its end. What it returns aliases the
// packet.
type Cursor struct {
	b   []byte
	bad bool
}

// NewCursor starts at the beginning of b.
func NewCursor(b []byte) Cursor { return Cursor{b: b} }

// OK tells whether every step so far found what it needed.
func (c *Cursor) OK() bool { return !c.bad }

// Err is ErrMalformed unless OK.
func (c *Cursor) Err() error {
	if c.bad {
		return ErrMalformed
	}
	return nil
}

// Len is how many bytes are left.
func (c *Cursor) Len() int { return len(c.b) }

// Rest takes all that is left.
func (c *Cursor) Rest() []byte {
	b := c.b
	c.b = nil
	return b
}

// Bytes takes n bytes.
func (c *Cursor) Bytes(n int) []byte {
	if n < 0 || n > len(c.b) {
		c.bad, c.b = true, nil
		return nil
	}
	b := c.b[:n:n]
	c.b = c.b[n:]
	return b
}

// Byte takes one.
func (c *Cursor) Byte() byte {
	if len(c.b) == 0 {
		c.bad = true
		return 0
	}
	v := c.b[0]
	c.b = c.b[1:]
	return v
}

// Uint16 takes two bytes.
func (c *Cursor) Uint16() uint16 {
	if b := c.Bytes(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// Uint32 takes four bytes.
func (c *Cursor) Uint32() uint32 {
	if b := c.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Uint64 takes eight bytes.
func (c *Cursor) Uint64() uint64 {
	if b := c.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Null takes a string up to a zero byte, and that.
func (c *Cursor) Null() []byte {
	i := bytes.IndexByte(c.b, 0)
	if i < 0 {
		c.bad, c.b = true, nil
		return nil
	}
	b := c.b[:i:i]
	c.b = c.b[i+1:]
	return b
}

// LenencInt takes an integer of one to nine bytes:
//
//	00..fa              the value
//	fc lo hi            16 bits
//	fd b0 b1 b2         24 bits
//	fe b0 ... b7        64 bits
//
// fb stands for NULL in a row and ff for an error: neither is an integer.
func (c *Cursor) LenencInt() uint64 {
	switch first := c.Byte(); first {
	case 0xfb, 0xff:
		c.bad, c.b = true, nil
		return 0
	case 0xfc:
		return uint64(c.Uint16())
	case 0xfd:
		if b := c.Bytes(3); b != nil {
			return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16
		}
		return 0
	case 0xfe:
		return c.Uint64()
	default:
		return uint64(first)
	}
}

// LenencBytes takes a string after its length.
func (c *Cursor) LenencBytes() []byte {
	n := c.LenencInt()
	if n > uint64(len(c.b)) {
		c.bad, c.b = true, nil
		return nil
	}
	return c.Bytes(int(n))
}
