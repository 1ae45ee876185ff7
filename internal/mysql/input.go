package mysql

import (
	"errors"
	"io"

	"github.com/basaltdb/basalt/internal/mysql/wire"
)

const (
	// inputBytes is the read buffer of a connection that asks little.
	inputBytes = 4 << 10
	// readAheadBytes is as far as the buffer grows to read more at once.
	readAheadBytes = 64 << 10
	// slackReads in a row that need less than a quarter of a grown buffer
	// give it back.
	slackReads = 64
)

// errTooBig is a packet beyond max_allowed_packet.
var errTooBig = errors.New("packet is larger than max_allowed_packet")

// errNoMemory is a packet for which the server has no bytes left.
var errNoMemory = errors.New("all connections together hold too many bytes of requests")

// input is a connection's read buffer: buf[r:w] is read and not served.
type input struct {
	buf    []byte
	r, w   int
	filled bool // the last read left no room
	slack  int  // reads in a row that needed little of buf
	extra  int  // how much of buf counts against the budget
	budget *budget
}

// next takes the next payload if it is there. It aliases the buffer and is valid
// until the next read. Otherwise need is how many bytes it has in all, as far as
// that is known.
func (in *input) next(limit int) (payload []byte, seq uint8, need int, err error) {
	payload, used, seq, state := wire.Next(in.buf[in.r:in.w], limit)
	switch state {
	case wire.Partial:
		return nil, 0, used, nil
	case wire.TooBig:
		return nil, seq, 0, errTooBig
	}
	in.r += used
	return payload, seq, 0, nil
}

// empty tells whether everything read is served.
func (in *input) empty() bool { return in.r == in.w }

// read reads what there is, once, towards a payload of need bytes. A full buffer
// grows, fourfold at most: a client must send what it announces before memory is
// had for it.
func (in *input) read(from io.Reader, need int) error {
	have := in.w - in.r
	if have == 0 {
		in.r, in.w = 0, 0
		in.giveBack(need)
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
	if size > len(in.buf) {
		switch {
		case in.budget.take(size - inputBytes - in.extra):
			in.extra = size - inputBytes
			grown := make([]byte, size)
			in.w = copy(grown, in.buf[in.r:in.w])
			in.buf, in.r, in.slack = grown, 0, 0
		case have == len(in.buf):
			return errNoMemory
		}
	}
	if in.r > 0 && (in.r+need > len(in.buf) || in.w == len(in.buf)) {
		in.w = copy(in.buf, in.buf[in.r:in.w])
		in.r = 0
	}
	n, err := from.Read(in.buf[in.w:])
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

// giveBack shrinks an empty buffer that has been too large for a while.
func (in *input) giveBack(need int) {
	if len(in.buf) <= inputBytes || need >= len(in.buf)/4 {
		return
	}
	if in.slack++; in.slack > slackReads {
		in.free()
	}
}

// free gives the buffer up.
func (in *input) free() {
	in.budget.give(in.extra)
	*in = input{budget: in.budget}
}
