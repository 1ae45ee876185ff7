package wire

import (
	"encoding/binary"

	"github.com/basaltdb/basalt/internal/wide/cell"
)

// A KeyValue, all numbers big-endian:
//
//	u32 size     of everything after itself
//	u32 keyLen   = 2 + row + 1 + family + qualifier + 8 + 1
//	u32 valueLen
//	key:   u16 rowLen, row, u8 familyLen, family, qualifier, i64 timestamp, u8 type
//	value
//	u16 tagsLen, tags    only when there are tags
//
// The qualifier has what the key's other parts leave.
const (
	keyOverhead  = 2 + 1 + 8 + 1
	cellOverhead = 4 + 4 + keyOverhead // behind size
)

// KeyValueSize is how many bytes AppendKeyValue appends.
func KeyValueSize(c *cell.Cell, withTags bool) int {
	n := 4 + cellOverhead + len(c.Row) + len(c.Family) + len(c.Qualifier) + len(c.Value)
	if withTags && len(c.Tags) > 0 {
		n += 2 + len(c.Tags)
	}
	return n
}

// AppendKeyValue appends a cell as a KeyValue; without withTags its tags stay
// here. Row, family and tags must fit their length fields, as all stored ones do.
func AppendKeyValue(dst []byte, c *cell.Cell, withTags bool) []byte {
	size := KeyValueSize(c, withTags)
	n := len(dst)
	if cap(dst)-n < size {
		dst = append(dst, make([]byte, size)...)
	} else {
		dst = dst[:n+size]
	}
	b := dst[n:]
	keyLen := keyOverhead + len(c.Row) + len(c.Family) + len(c.Qualifier)
	binary.BigEndian.PutUint32(b, uint32(size-4))
	binary.BigEndian.PutUint32(b[4:], uint32(keyLen))
	binary.BigEndian.PutUint32(b[8:], uint32(len(c.Value)))
	binary.BigEndian.PutUint16(b[12:], uint16(len(c.Row)))
	at := 14 + copy(b[14:], c.Row)
	b[at] = byte(len(c.Family))
	at++
	at += copy(b[at:], c.Family)
	at += copy(b[at:], c.Qualifier)
	binary.BigEndian.PutUint64(b[at:], uint64(c.Timestamp))
	b[at+8] = byte(c.Type)
	at += 9
	at += copy(b[at:], c.Value)
	if withTags && len(c.Tags) > 0 {
		binary.BigEndian.PutUint16(b[at:], uint16(len(c.Tags)))
		copy(b[at+2:], c.Tags)
	}
	return dst
}

// decodeKeyValue fills c from what stands behind size. Tags are taken over only
// when the codec carries them.
func decodeKeyValue(b []byte, c *cell.Cell, withTags bool) error {
	if len(b) < cellOverhead {
		return malformed("KeyValue of %d bytes", len(b))
	}
	keyLen, valueLen := uint64(binary.BigEndian.Uint32(b)), uint64(binary.BigEndian.Uint32(b[4:]))
	if keyLen < keyOverhead || 8+keyLen+valueLen > uint64(len(b)) {
		return malformed("key of %d and value of %d bytes in a KeyValue of %d", keyLen, valueLen, len(b))
	}
	key, rest := b[8:8+keyLen:8+keyLen], b[8+keyLen:]
	rowLen := int(binary.BigEndian.Uint16(key))
	if rowLen+keyOverhead > len(key) {
		return malformed("row of %d bytes in a key of %d", rowLen, len(key))
	}
	at := 2 + rowLen
	familyLen := int(key[at])
	if rowLen+familyLen+keyOverhead > len(key) {
		return malformed("row of %d and family of %d bytes in a key of %d", rowLen, familyLen, len(key))
	}
	end := len(key) - 9
	c.Row = key[2:at:at]
	at++
	c.Family = key[at : at+familyLen : at+familyLen]
	c.Qualifier = key[at+familyLen : end : end]
	c.Timestamp = int64(binary.BigEndian.Uint64(key[end:]))
	c.Type = cell.Type(key[end+8])
	c.Value, rest = rest[:valueLen:valueLen], rest[valueLen:]
	c.Tags, c.Seq = nil, 0
	if len(rest) == 0 {
		return nil
	}
	if len(rest) < 2 || int(binary.BigEndian.Uint16(rest)) != len(rest)-2 {
		return malformed("%d bytes behind the value that are no tags", len(rest))
	}
	if withTags {
		c.Tags = rest[2:]
	}
	return nil
}
