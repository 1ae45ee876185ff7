package wire

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// ErrMalformed marks bytes that are not what they should be.
var ErrMalformed = errors.New("wire: malformed")

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMalformed}, args...)...)
}

// Cells walks a cell block. It is a value: a copy remembers a place, which is
// how the cells of a failed action are skipped:
//
//	start := *cells
//	if err := use(cells); err != nil {
//		*cells = start
//		err = cells.Skip(n)
//	}
type Cells struct {
	rest  []byte
	codec Codec
	err   error
}

// NewCells starts at the front of a cell block.
func NewCells(codec Codec, block []byte) Cells { return Cells{rest: block, codec: codec} }

// Next fills c with the next cell, which aliases the block. It is false at the
// end and on an error (Err).
func (d *Cells) Next(c *cell.Cell) bool {
	if len(d.rest) == 0 || d.err != nil {
		return false
	}
	if d.codec == CellCodec {
		d.rest, d.err = decodeCellCodec(d.rest, c)
		return d.err == nil
	}
	b, ok := d.cut()
	if !ok {
		return false
	}
	d.err = decodeKeyValue(b, c, d.codec == KeyValueCodecWithTags)
	return d.err == nil
}

// Skip steps over n cells. Of KeyValues it reads the outer length only, so that
// it passes over one whose inside is malformed.
func (d *Cells) Skip(n int) error {
	var c cell.Cell
	for ; n > 0 && d.err == nil; n-- {
		switch {
		case len(d.rest) == 0:
			d.err = malformed("cell block ends %d cells early", n)
		case d.codec == CellCodec:
			d.rest, d.err = decodeCellCodec(d.rest, &c)
		default:
			d.cut()
		}
	}
	return d.err
}

// Err is nil after a walk to the end.
func (d *Cells) Err() error { return d.err }

// Rest is the number of bytes not walked yet.
func (d *Cells) Rest() int { return len(d.rest) }

// cut takes one KeyValue off the front, without its size.
func (d *Cells) cut() (b []byte, ok bool) {
	if d.codec != KeyValueCodec && d.codec != KeyValueCodecWithTags {
		d.err = malformed("cell block of a client without a codec")
		return nil, false
	}
	if len(d.rest) < 4 {
		d.err = malformed("cell block ends in a length")
		return nil, false
	}
	size := binary.BigEndian.Uint32(d.rest)
	if uint64(size) > uint64(len(d.rest)-4) {
		d.err = malformed("KeyValue of %d bytes in a cell block with %d left", size, len(d.rest)-4)
		return nil, false
	}
	end := 4 + int(size)
	b, d.rest = d.rest[4:end:end], d.rest[end:]
	return b, true
}
