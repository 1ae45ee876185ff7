package pb

import (
	"math/bits"

	"google.golang.org/protobuf/encoding/protowire"
)

// Mark is an open nested message: the offset of its first byte.
type Mark int

// begin opens a nested message as a field. One byte is kept for its length.
func begin(dst []byte, field int) ([]byte, Mark) {
	dst = append(dst, byte(field<<3|length), 0)
	return dst, Mark(len(dst))
}

// End closes a nested message: its length goes before its first byte. A message
// of 128 bytes and more moves by the extra bytes of its length.
func End(dst []byte, m Mark) []byte {
	n := len(dst) - int(m)
	if n < 0x80 {
		dst[m-1] = byte(n)
		return dst
	}
	var head [10]byte
	size := protowire.AppendVarint(head[:0], uint64(n))
	dst = append(dst, size[1:]...)
	copy(dst[int(m)+len(size)-1:], dst[m:int(m)+n])
	copy(dst[m-1:], size)
	return dst
}

func appendUint(dst []byte, field int, v uint64) []byte {
	return protowire.AppendVarint(append(dst, byte(field<<3|varint)), v)
}

func appendBool(dst []byte, field int, v bool) []byte {
	b := byte(0)
	if v {
		b = 1
	}
	return append(dst, byte(field<<3|varint), b)
}

func appendBytes[T ~string | ~[]byte](dst []byte, field int, v T) []byte {
	dst = protowire.AppendVarint(append(dst, byte(field<<3|length)), uint64(len(v)))
	return append(dst, v...)
}

// sizeVarint is the number of bytes of v as a varint.
func sizeVarint(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// sizeBytes is the size of a length-delimited field with a one-byte tag.
func sizeBytes(n int) int { return 1 + sizeVarint(uint64(n)) + n }
