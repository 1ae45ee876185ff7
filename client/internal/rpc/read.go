package rpc

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/basaltdb/basalt/internal/hbase/pb"
)

const (
	readBuffer = 64 << 10
	// A frame up to this size is copied out of the read buffer, so that a
	// buffer of just its size lives on; a larger one is read where it stays.
	smallFrame = 16 << 10
)

// noCall is the call id of an answer that belongs to no call: -1 in Java.
const noCall = 1<<32 - 1

// reader cuts frames off a stream.
type reader struct {
	from io.Reader
	max  int
	buf  []byte
	r, w int // the unread part of buf
	read func(n int)
}

// fill reads until n bytes are there; n is at most the buffer's size.
func (r *reader) fill(n int) error {
	if r.w-r.r >= n {
		return nil
	}
	if len(r.buf)-r.r < n {
		r.w = copy(r.buf, r.buf[r.r:r.w])
		r.r = 0
	}
	for r.w-r.r < n {
		k, err := r.from.Read(r.buf[r.w:])
		r.w += k
		if k > 0 {
			r.read(k)
			continue
		}
		if err != nil {
			if err == io.EOF && r.w > r.r {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// next returns the next frame without its length. A frame that is not owned is
// gone with the next call.
func (r *reader) next() (frame []byte, owned bool, err error) {
	if r.r == r.w {
		r.r, r.w = 0, 0
	}
	if err := r.fill(4); err != nil {
		return nil, false, err
	}
	size := binary.BigEndian.Uint32(r.buf[r.r:])
	if uint64(size) > uint64(r.max) {
		return nil, false, fmt.Errorf("%w: %d bytes, the limit is %d", ErrMalformed, size, r.max)
	}
	n := int(size)
	r.r += 4
	if n <= smallFrame || n <= r.w-r.r {
		if err := r.fill(n); err != nil {
			return nil, false, noEOF(err)
		}
		frame = r.buf[r.r : r.r+n]
		r.r += n
		return frame, false, nil
	}
	frame = make([]byte, n)
	k := copy(frame, r.buf[r.r:r.w])
	r.r, r.w = 0, 0
	m, err := io.ReadFull(r.from, frame[k:])
	r.read(m)
	return frame, true, noEOF(err)
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readLoop hands responses to their calls until the connection ends.
func (c *Conn) readLoop() {
	defer c.gone.Done()
	r := reader{from: c.nc, max: c.o.MaxResponseBytes, buf: make([]byte, readBuffer)}
	var gained int
	r.read = func(n int) { gained += n }
	for {
		frame, owned, err := r.next()
		if err != nil {
			c.fail(err)
			return
		}
		if gained > 0 && c.o.Counters != nil {
			c.o.Counters.BytesIn.Add(uint64(gained))
		}
		if err := c.answer(frame, owned, gained > 0); err != nil {
			c.fail(err)
			return
		}
		gained = 0
	}
}

// answer ends the call that a frame belongs to. An error ends the connection.
//
//	varint n, ResponseHeader
//	varint n, message          not behind an exception
//	cell block                 the last bytes, its length in the header
func (c *Conn) answer(frame []byte, owned, fresh bool) error {
	var h pb.ResponseHeader
	body, err := parseResponse(frame, &h)
	if err != nil {
		return err
	}
	if h.CallID == noCall {
		if h.HasException {
			return &Exception{h.Exception}
		}
		return fmt.Errorf("%w: an answer to no call", ErrMalformed)
	}
	c.mu.Lock()
	if fresh {
		c.lastRead = time.Now()
	}
	call := c.table.take(h.CallID)
	if c.room != nil {
		c.madeRoom()
	}
	last := c.retired && c.table.used == 0
	c.mu.Unlock()
	if call != nil {
		switch {
		case h.HasException:
			call.err = &Exception{h.Exception}
		case !call.discard:
			if !owned {
				body = append(make([]byte, 0, len(body)), body...)
			}
			if call.response, err = cutBody(body, h.CellBlockLength); err != nil {
				call.err = &CallError{Sent: true, Server: c.addr, Err: err}
			}
		}
		call.complete()
	}
	if last {
		return ErrTimeout
	}
	return err
}

// parseResponse decodes a frame's header and returns what stands behind it.
func parseResponse(frame []byte, h *pb.ResponseHeader) (body []byte, err error) {
	n, k := protowire.ConsumeVarint(frame)
	if k < 0 || n > uint64(len(frame)-k) {
		return nil, fmt.Errorf("%w: frame of %d bytes without a header", ErrMalformed, len(frame))
	}
	if err := h.Decode(frame[k : k+int(n)]); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return frame[k+int(n):], nil
}

// cutBody parts message and cell block. A body of no bytes is an empty message.
func cutBody(body []byte, cellBytes uint32) (Response, error) {
	if len(body) == 0 && cellBytes == 0 {
		return Response{}, nil
	}
	n, k := protowire.ConsumeVarint(body)
	if k < 0 || n > uint64(len(body)-k) || uint64(cellBytes) > uint64(len(body)-k)-n {
		return Response{}, fmt.Errorf("%w: message and %d bytes of cells in %d bytes", ErrMalformed, cellBytes, len(body))
	}
	end := k + int(n)
	cells := len(body) - int(cellBytes)
	return Response{Message: body[k:end:end], Cells: body[cells:]}, nil
}
