package cell

import (
	"encoding/binary"
	"fmt"
)

// The value of a cell's own key (the rest of the cell is in the key):
//
//	flags u8 | [ uvarint length | tags ] | [ uvarint seq ] | value (the rest)
//
//	flags := bit 0 hasTags | bit 1 hasSeq | bits 2-3 zero | bits 4-7 format version (1)
const (
	cellTags     = 0x01
	cellSeq      = 0x02
	cellReserved = 0x0C
)

// AppendCellValue appends the value of c's own key.
func AppendCellValue(dst []byte, c *Cell) []byte {
	flags := byte(formatVersion << versionShift)
	if len(c.Tags) > 0 {
		flags |= cellTags
	}
	if c.Seq != 0 {
		flags |= cellSeq
	}
	dst = append(dst, flags)
	if len(c.Tags) > 0 {
		dst = binary.AppendUvarint(dst, uint64(len(c.Tags)))
		dst = append(dst, c.Tags...)
	}
	if c.Seq != 0 {
		dst = binary.AppendUvarint(dst, c.Seq)
	}
	return append(dst, c.Value...)
}

// DecodeCellValue fills Tags, Seq and Value of c, which alias b.
func DecodeCellValue(b []byte, c *Cell) error {
	if len(b) == 0 {
		return fmt.Errorf("%w: empty cell value", ErrMalformed)
	}
	flags, p := b[0], 1
	if flags>>versionShift != formatVersion {
		return fmt.Errorf("%w %d in a cell value", ErrVersion, flags>>versionShift)
	}
	if flags&cellReserved != 0 {
		return fmt.Errorf("%w: cell flags %#02x", ErrMalformed, flags)
	}
	c.Tags, c.Seq = nil, 0
	if flags&cellTags != 0 {
		start, end := span(b, p)
		if end < 0 {
			return fmt.Errorf("%w: tags of a cell value", ErrMalformed)
		}
		c.Tags = b[start:end:end]
		p = end
	}
	if flags&cellSeq != 0 {
		if c.Seq, p = uvarint(b, p); p < 0 {
			return fmt.Errorf("%w: seq of a cell value", ErrMalformed)
		}
	}
	c.Value = b[p:len(b):len(b)]
	return nil
}
