package mysql

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/basaltdb/basalt/internal/mysql/wire"
)

// minCompressBytes is less than what is worth compressing, as in MySQL.
const minCompressBytes = 50

// compressed is a connection whose client negotiated the compressed protocol:
// the stream of packets travels in frames, compressed where that helps.
type compressed struct {
	net.Conn
	seq uint8

	// The frame that is being read. left is what its client must still send of
	// it, raw what comes out; plain is a frame that was not compressed.
	left  io.LimitedReader
	raw   io.LimitedReader
	plain bool
	zr    io.ReadCloser

	frame bytes.Buffer // that is being written
}

// zlibWriters are shared: one holds some 800 KB.
var zlibWriters = sync.Pool{New: func() any { return zlib.NewWriter(nil) }}

func newCompressed(nc net.Conn) *compressed {
	return &compressed{Conn: nc, left: io.LimitedReader{R: nc}, plain: true}
}

// Read reads from the current frame or the next one that has something.
func (c *compressed) Read(b []byte) (int, error) {
	for {
		if c.plain && c.left.N > 0 {
			return c.left.Read(b)
		}
		if !c.plain {
			n, err := c.raw.Read(b)
			if n > 0 {
				return n, nil
			}
			if err != io.EOF {
				return 0, err
			}
			if c.raw.N > 0 {
				return 0, fmt.Errorf("compressed frame: %w", wire.ErrMalformed)
			}
			// What follows the end of the compressed data is nobody's.
			if _, err := io.Copy(io.Discard, &c.left); err != nil {
				return 0, err
			}
		}
		if err := c.nextFrame(); err != nil {
			return 0, err
		}
	}
}

func (c *compressed) nextFrame() error {
	var head [wire.CompressedHeadBytes]byte
	if _, err := io.ReadFull(c.Conn, head[:]); err != nil {
		return err
	}
	h := wire.DecodeCompressedHead(&head)
	c.seq = h.Seq + 1
	c.left.N = int64(h.Bytes)
	if c.plain = h.RawBytes == 0; c.plain {
		return nil
	}
	var err error
	if c.zr == nil {
		c.zr, err = zlib.NewReader(&c.left)
	} else {
		err = c.zr.(zlib.Resetter).Reset(&c.left, nil)
	}
	if err != nil {
		return fmt.Errorf("compressed frame: %w", err)
	}
	c.raw = io.LimitedReader{R: c.zr, N: int64(h.RawBytes)}
	return nil
}

// Write sends b in frames.
func (c *compressed) Write(b []byte) (int, error) {
	for sent := 0; sent < len(b); {
		piece := b[sent:min(sent+wire.MaxPacketBytes, len(b))]
		if err := c.writeFrame(piece); err != nil {
			return sent, err
		}
		sent += len(piece)
	}
	return len(b), nil
}

func (c *compressed) writeFrame(piece []byte) error {
	const head = wire.CompressedHeadBytes
	c.frame.Reset()
	c.frame.Write(make([]byte, head))
	rawBytes := 0
	if len(piece) >= minCompressBytes {
		zw := zlibWriters.Get().(*zlib.Writer)
		zw.Reset(&c.frame)
		// A bytes.Buffer does not fail.
		_, _ = zw.Write(piece)
		_ = zw.Close()
		zlibWriters.Put(zw)
		rawBytes = len(piece)
	}
	if rawBytes == 0 || c.frame.Len()-head >= len(piece) {
		c.frame.Truncate(head)
		c.frame.Write(piece)
		rawBytes = 0
	}
	out := c.frame.Bytes()
	wire.AppendCompressedHead(out[:0], wire.CompressedHead{Bytes: len(out) - head, Seq: c.seq, RawBytes: rawBytes})
	c.seq++
	_, err := c.Conn.Write(out)
	if c.frame.Cap() > keepBytes {
		c.frame = bytes.Buffer{}
	}
	return err
}
