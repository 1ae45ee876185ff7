package mysql

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"
	"sync"
)

const (
	// flushBytes of an answer go out before the rest of it is made.
	flushBytes = 64 << 10
	// keepBytes is the largest buffer that is kept for another answer.
	keepBytes = 128 << 10
	// writeBytes is the most that goes into one write: a client that takes so
	// much within the write timeout is alive.
	writeBytes = 1 << 20
)

// readPacket returns the next payload, which is valid until the next call. It
// sends what is answered before it waits. limit is the largest payload.
func (c *conn) readPacket(limit int) ([]byte, error) {
	for {
		payload, seq, need, err := c.in.next(limit)
		if err != nil {
			c.borrowOut()
			c.out.Seq = seq + 1
			return nil, err
		}
		if need == 0 {
			c.borrowOut()
			c.out.Seq = seq + 1
			return payload, nil
		}
		if err := c.fill(need); err != nil {
			return nil, err
		}
	}
}

// fill sends what is answered and reads what there is, once.
func (c *conn) fill(need int) error {
	if err := c.flush(); err != nil {
		return err
	}
	c.lendOut()
	switch {
	case !c.loggedIn:
	case c.in.empty() && !c.inCommand:
		c.enter(phaseIdle)
	default:
		c.enter(phasePartial)
	}
	err := c.in.read(c.nc, need)
	if errors.Is(err, io.EOF) && !c.in.empty() {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// flush sends all finished packets.
func (c *conn) flush() error {
	b := c.out.Buf
	if len(b) == 0 {
		return nil
	}
	c.out.Buf = b[:0]
	was := phase(c.phase.Load())
	for len(b) > 0 {
		piece := b[:min(len(b), writeBytes)]
		if c.loggedIn {
			c.enter(phaseWriting)
		}
		if _, err := c.nc.Write(piece); err != nil {
			return err
		}
		b = b[len(piece):]
	}
	if c.loggedIn {
		c.enter(was)
	}
	return nil
}

// outBuffers are shared: a connection that waits for its client holds none.
var outBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 4<<10); return &b }}

// borrowOut gets a buffer for answers, if there is none.
func (c *conn) borrowOut() {
	if c.outBuffer == nil {
		c.outBuffer = outBuffers.Get().(*[]byte)
		c.out.Buf = *c.outBuffer
	}
}

// lendOut gives the buffer away, which is empty.
func (c *conn) lendOut() {
	if c.outBuffer == nil {
		return
	}
	if cap(c.out.Buf) <= keepBytes {
		*c.outBuffer = c.out.Buf[:0]
		outBuffers.Put(c.outBuffer)
	}
	c.outBuffer, c.out.Buf = nil, nil
}

// startTLS goes on in TLS. A client does not wait before it sends the first
// bytes of that.
func (c *conn) startTLS() error {
	t := tls.Server(c.unread(), c.srv.cfg.TLS)
	if err := t.HandshakeContext(c.ctx); err != nil {
		return err
	}
	c.nc, c.tls, c.secure = t, true, true
	return nil
}

// startCompression goes on in the compressed protocol.
func (c *conn) startCompression() { c.nc = newCompressed(c.unread()) }

// unread is the connection with what the input has read too far.
func (c *conn) unread() net.Conn {
	if c.in.empty() {
		return c.nc
	}
	rest := slices.Clone(c.in.buf[c.in.r:c.in.w])
	c.in.r, c.in.w = 0, 0
	return &prefixed{c.nc, rest}
}

// prefixed is a connection with bytes before what it has to read.
type prefixed struct {
	net.Conn
	prefix []byte
}

func (p *prefixed) Read(b []byte) (int, error) {
	if len(p.prefix) == 0 {
		return p.Conn.Read(b)
	}
	n := copy(b, p.prefix)
	p.prefix = p.prefix[n:]
	return n, nil
}
