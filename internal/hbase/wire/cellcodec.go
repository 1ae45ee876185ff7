package wire

import (
	"encoding/binary"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// CellCodec's cell, all numbers big-endian:
//
//	u32 n, row; u32 n, family; u32 n, qualifier
//	i64 timestamp, u8 type
//	u32 n, value
//	i64 sequence id
func appendCellCodec(dst []byte, c *cell.Cell) []byte {
	part := func(b []byte) {
		dst = binary.BigEndian.AppendUint32(dst, uint32(len(b)))
		dst = append(dst, b...)
	}
	part(c.Row)
	part(c.Family)
	part(c.Qualifier)
	dst = binary.BigEndian.AppendUint64(dst, uint64(c.Timestamp))
	dst = append(dst, byte(c.Type))
	part(c.Value)
	return binary.BigEndian.AppendUint64(dst, 0)
}

// decodeCellCodec fills c from the front of b and returns the rest. The sequence
// id is the sender's own and means nothing here.
func decodeCellCodec(b []byte, c *cell.Cell) (rest []byte, err error) {
	*c = cell.Cell{}
	for _, p := range [...]*[]byte{&c.Row, &c.Family, &c.Qualifier} {
		if *p, b, err = cutPart(b); err != nil {
			return nil, err
		}
	}
	if len(b) < 9 {
		return nil, malformed("cell ends before its type")
	}
	c.Timestamp, c.Type = int64(binary.BigEndian.Uint64(b)), cell.Type(b[8])
	if c.Value, b, err = cutPart(b[9:]); err != nil {
		return nil, err
	}
	if len(b) < 8 {
		return nil, malformed("cell ends before its sequence id")
	}
	return b[8:], nil
}

func cutPart(b []byte) (part, rest []byte, err error) {
	if len(b) < 4 {
		return nil, nil, malformed("cell ends in a length")
	}
	n := binary.BigEndian.Uint32(b)
	if uint64(n) > uint64(len(b)-4) {
		return nil, nil, malformed("part of %d bytes in a cell block with %d left", n, len(b)-4)
	}
	return b[4 : 4+n : 4+n], b[4+n:], nil
}
