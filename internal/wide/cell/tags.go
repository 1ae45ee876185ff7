package cell

import "encoding/binary"

// A tag block is HBase's, as clients send it and as cells keep it:
//
//	tag := length u16 BE (of type and data) | type u8 | data

// TagTTL is the type of the tag that holds a cell's TTL: 8 bytes, milliseconds.
const TagTTL byte = 8

// NextTag splits the first tag off a block. ok is false at the end, and where
// the block is malformed: what follows has no meaning then, and is left alone.
func NextTag(tags []byte) (typ byte, data, rest []byte, ok bool) {
	if len(tags) < 3 {
		return 0, nil, nil, false
	}
	n := int(binary.BigEndian.Uint16(tags))
	if n == 0 || n > len(tags)-2 {
		return 0, nil, nil, false
	}
	return tags[2], tags[3 : 2+n : 2+n], tags[2+n:], true
}

// AppendTTLTag appends a TTL tag of ms milliseconds.
func AppendTTLTag(dst []byte, ms int64) []byte {
	dst = append(dst, 0, 1+8, TagTTL)
	return binary.BigEndian.AppendUint64(dst, uint64(ms))
}

// TTL returns the milliseconds of the first TTL tag of a block.
func TTL(tags []byte) (ms int64, ok bool) {
	for {
		typ, data, rest, ok := NextTag(tags)
		if !ok {
			return 0, false
		}
		if typ == TagTTL && len(data) == 8 {
			return int64(binary.BigEndian.Uint64(data)), true
		}
		tags = rest
	}
}

// ReplaceTTL appends the tags of a block, without those of the TTL, and a TTL
// tag of ttl milliseconds. With ttl <= 0 it appends the block as it is: what
// says nothing about the TTL leaves the old one.
func ReplaceTTL(dst, tags []byte, ttl int64) []byte {
	if ttl <= 0 {
		return append(dst, tags...)
	}
	for {
		typ, _, rest, ok := NextTag(tags)
		if !ok {
			return AppendTTLTag(dst, ttl)
		}
		if typ != TagTTL {
			dst = append(dst, tags[:len(tags)-len(rest)]...)
		}
		tags = rest
	}
}
