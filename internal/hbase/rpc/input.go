package rpc

import (
	"encoding/binary"
	"io"

	"github.com/basaltdb/basalt/internal/hbase/wire"
)

const (
	// inputBytes is the read buffer of a connection that asks little.
	inputBytes = 16 << 10
	// readAheadBytes is as far as the buffer grows to read more at once.
	readAheadBytes = 128 << 10
	// slackReads in a row that need less than a quarter of a grown buffer
	// give it back.
	slackReads = 64
)

// input is a connection's read buffer: buf[r:w] is read and not served.
type input struct {
	buf    []byte
	r, w   int
	filled bool // the last read left no room
	slack  int  // reads in a row that needed little of buf
	extra  int  // how much of buf counts against the server's MaxQueuedBytes
}

// frame is the next frame's state.
type frame uint8

const (
	frameComplete frame = iota
	framePartial
	frameTooBig
)

// next returns the next frame without its length. It aliases the buffer and is
// valid until the next read. need is how many bytes a partial frame has in all,
// its length included, as far as that is known.
func (in *input) next(limit int) (body []byte, state frame, need int) {
	have := in.w - in.r
	if have < wire.FrameHeadBytes {
		return nil, framePartial, wire.FrameHeadBytes
	}
	n := binary.BigEndian.Uint32(in.buf[in.r:])
	need = wire.FrameHeadBytes + int(n)
	if uint64(n) > uint64(limit) {
		return nil, frameTooBig, need
	}
	if have < need {
		return nil, framePartial, need
	}
	body = in.buf[in.r+wire.FrameHeadBytes : in.r+need : in.r+need]
	in.r += need
	return body, frameComplete, need
}

// makeRoom prepares for a read towards a frame of need bytes. What was served
// goes, and a full buffer grows, fourfold at most: a client must send what it
// announces before memory is had for it. It is false when the server has no
// bytes left for that.
func (in *input) makeRoom(need int, s *Server) bool {
	have := in.w - in.r
	if have == 0 {
		in.r, in.w = 0, 0
		in.giveBack(need, s)
	}
	size := len(in.buf)
	switch {
	case size == 0:
		size = inputBytes
	case have == size:
		size = min(4*size, need)
	case in.filled && size < readAheadBytes:
		size = min(2*size, readAheadBytes)
	}
	in.filled = false
	if size > len(in.buf) {
		if s.acquire(size - inputBytes - in.extra) {
			in.extra = size - inputBytes
			grown := make([]byte, size)
			in.w = copy(grown, in.buf[in.r:in.w])
			in.buf, in.r, in.slack = grown, 0, 0
			return true
		}
		if have == len(in.buf) {
			return false
		}
	}
	if in.r > 0 && (in.r+need > len(in.buf) || in.w == len(in.buf)) {
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	}
	return true
}

// giveBack shrinks an empty buffer that has been too large for a while.
func (in *input) giveBack(need int, s *Server) {
	if len(in.buf) <= inputBytes || need >= len(in.buf)/4 {
		return
	}
	if in.slack++; in.slack > slackReads {
		in.free(s)
	}
}

// free gives the buffer up.
func (in *input) free(s *Server) {
	s.release(in.extra)
	*in = input{}
}

// read reads what there is, once.
func (in *input) read(r io.Reader) error {
	n, err := r.Read(in.buf[in.w:])
	in.w += n
	in.filled = in.w == len(in.buf)
	if in.w >= len(in.buf)/4 {
		in.slack = 0
	}
	if n > 0 {
		return nil
	}
	if err == nil {
		err = io.ErrNoProgress
	}
	return err
}

// take reads until n bytes are there and takes them. They are valid until the
// next read. Only the handshake uses it, for at most maxHeaderBytes.
func (in *input) take(r io.Reader, n int) ([]byte, error) {
	if in.r+n > len(in.buf) {
		grown := make([]byte, max(n, inputBytes))
		in.w = copy(grown, in.buf[in.r:in.w])
		in.buf, in.r = grown, 0
	}
	for in.w-in.r < n {
		if err := in.read(r); err != nil {
			return nil, err
		}
	}
	b := in.buf[in.r : in.r+n]
	in.r += n
	return b, nil
}

// discard drops n bytes, reading those that are not there yet.
func (in *input) discard(r io.Reader, n int) error {
	for {
		k := min(n, in.w-in.r)
		in.r += k
		if n -= k; n == 0 {
			return nil
		}
		in.r, in.w = 0, 0
		if err := in.read(r); err != nil {
			return err
		}
	}
}

// takeOver copies what another input has read and not served. The other keeps
// its buffer, which a running call uses.
func (in *input) takeOver(other *input, s *Server) {
	rest := other.buf[other.r:other.w]
	other.r = other.w
	in.buf = make([]byte, max(len(rest), inputBytes))
	in.w = copy(in.buf, rest)
	in.extra = len(in.buf) - inputBytes
	s.queued.Add(int64(in.extra))
}
