package zk

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"time"
)

// conn is one client. Only its own goroutine uses it, but for the deadline and
// Close of net.
type conn struct {
	server *Server
	net    net.Conn
	in     *bufio.Reader
	out    *bufio.Writer
	frame  bytes.Buffer // the request being answered
	reply  []byte       // reused
}

var (
	errGoodbye  = errors.New("zk: session closed")
	errTooLarge = errors.New("zk: frame too large")
)

func newConn(s *Server, nc net.Conn) *conn {
	return &conn{
		server: s,
		net:    nc,
		in:     bufio.NewReaderSize(nc, 4<<10),
		out:    bufio.NewWriterSize(nc, 4<<10),
	}
}

// run serves the connection to its end. The caller closes it.
func (c *conn) run() {
	err := c.serve()
	c.flush()
	var timeout net.Error
	switch {
	case err == nil, errors.Is(err, errGoodbye), errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
	case errors.As(err, &timeout) && timeout.Timeout():
		c.server.Logger.Debug("zookeeper session is over: nothing heard in time", "client", c.net.RemoteAddr())
	default:
		c.server.Logger.Debug("zookeeper connection ended", "client", c.net.RemoteAddr(), "error", err)
	}
}

func (c *conn) serve() error {
	// One deadline for the whole handshake, not one for each byte of it.
	if err := c.net.SetReadDeadline(time.Now().Add(c.server.HandshakeTimeout)); err != nil {
		return err
	}
	var first [4]byte
	if _, err := io.ReadFull(c.in, first[:]); err != nil {
		return err
	}
	if answer, ok := c.server.fourLetterWord(string(first[:])); ok {
		c.out.WriteString(answer)
		return nil
	}
	n, ok := frameLength(first)
	if !ok {
		return errTooLarge
	}
	if err := c.readBody(n); err != nil {
		return err
	}
	request, err := decodeConnect(c.frame.Bytes())
	if err != nil {
		return err
	}
	c.server.received.Add(1)
	timeout := negotiate(request.timeoutMs)
	id, password := c.server.session(request)
	c.begin()
	c.reply = appendConnectResponse(c.reply, int32(timeout.Milliseconds()), id, password, request.hasReadOnly)
	c.send()

	for {
		if c.in.Buffered() == 0 {
			if err := c.flush(); err != nil {
				return err
			}
			if err := c.net.SetReadDeadline(time.Now().Add(timeout)); err != nil {
				return err
			}
			if c.server.isClosed() {
				return nil // the deadline just set undid that of Shutdown
			}
		}
		if _, err := io.ReadFull(c.in, first[:]); err != nil {
			return err
		}
		n, ok := frameLength(first)
		if !ok {
			return errTooLarge
		}
		if err := c.readBody(n); err != nil {
			return err
		}
		c.server.received.Add(1)
		if err := c.handle(c.frame.Bytes()); err != nil {
			return err
		}
	}
}

// readBody reads a frame's body into c.frame, which grows with what arrives and
// not with what was announced.
func (c *conn) readBody(n int) error {
	c.frame.Reset()
	m, err := io.CopyN(&c.frame, c.in, int64(n))
	if err == io.EOF && m > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

// begin starts a frame in c.reply; send fills in its length and buffers it.
func (c *conn) begin() { c.reply = append(c.reply[:0], 0, 0, 0, 0) }

func (c *conn) send() {
	binary.BigEndian.PutUint32(c.reply, uint32(len(c.reply)-4))
	if c.out.Available() < len(c.reply) {
		c.net.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
	c.out.Write(c.reply) // an error sticks and shows in flush
	c.server.sent.Add(1)
}

func (c *conn) flush() error {
	if c.out.Buffered() > 0 {
		c.net.SetWriteDeadline(time.Now().Add(writeTimeout))
	}
	return c.out.Flush()
}
