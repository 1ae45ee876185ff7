package wire

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/golang/snappy"
	"github.com/pierrec/lz4/v4"
)

// Hadoop's block stream, big-endian:
//
//	stream = { u32 block length, uncompressed; { u32 chunk length, chunk } }
//
// A block has as many chunks as it takes to reach its length; a chunk is one raw
// Snappy or LZ4 block.

// chunkBytes is how much goes into one chunk. Hadoop's decompressor has a fixed
// buffer, 256 KiB by default, that must hold a chunk in either form.
const chunkBytes = 128 << 10

// The most that one compressed byte can stand for: a Snappy copy is 3 bytes for
// up to 64, an LZ4 length byte is worth up to 255. A chunk that claims more is
// refused before memory is had for it.
const (
	snappyRatio = 32
	lz4Ratio    = 256
)

func appendHadoopBlock(dst, src []byte, c Compression) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(src)))
	for len(src) > 0 {
		chunk := src[:min(len(src), chunkBytes)]
		src = src[len(chunk):]
		head := len(dst)
		bound := snappy.MaxEncodedLen(len(chunk))
		if c == Lz4 {
			bound = lz4.CompressBlockBound(len(chunk))
		}
		dst = slices.Grow(dst, 4+bound)
		out := dst[head+4 : head+4+bound]
		var n int
		if c == Lz4 {
			var err error
			if n, err = lz4.CompressBlock(chunk, out, nil); err != nil || n == 0 {
				panic(fmt.Sprintf("wire: lz4 with room for the worst case: %d, %v", n, err))
			}
		} else {
			n = len(snappy.Encode(out, chunk))
		}
		binary.BigEndian.PutUint32(dst[head:head+4], uint32(n))
		dst = dst[:head+4+n]
	}
	return dst
}

func decodeHadoopBlocks(dst, src []byte, c Compression, limit int) ([]byte, error) {
	start := len(dst)
	for len(src) > 0 {
		if len(src) < 4 {
			return nil, malformed("block stream ends in a length")
		}
		block := uint64(binary.BigEndian.Uint32(src))
		src = src[4:]
		if block > uint64(limit-(len(dst)-start)) {
			return nil, ErrTooLarge
		}
		for left := int(block); left > 0; {
			if len(src) < 4 {
				return nil, malformed("block of %d bytes ends %d early", block, left)
			}
			n := binary.BigEndian.Uint32(src)
			if uint64(n) > uint64(len(src)-4) {
				return nil, malformed("chunk of %d bytes with %d there", n, len(src)-4)
			}
			chunk := src[4 : 4+n]
			src = src[4+n:]
			before := len(dst)
			var err error
			if c == Lz4 {
				dst, err = decodeLz4(dst, chunk, left)
			} else {
				dst, err = decodeSnappy(dst, chunk, left)
			}
			if err != nil {
				return nil, err
			}
			left -= len(dst) - before
		}
	}
	return dst, nil
}

func decodeSnappy(dst, chunk []byte, left int) ([]byte, error) {
	n, err := snappy.DecodedLen(chunk)
	if err != nil || n == 0 || n > left || n > snappyRatio*len(chunk) {
		return nil, malformed("snappy chunk of %d bytes claims %d of %d: %v", len(chunk), n, left, err)
	}
	at := len(dst)
	dst = slices.Grow(dst, n)[:at+n]
	if _, err := snappy.Decode(dst[at:], chunk); err != nil {
		return nil, malformed("snappy: %v", err)
	}
	return dst, nil
}

func decodeLz4(dst, chunk []byte, left int) ([]byte, error) {
	at, room := len(dst), min(left, lz4Ratio*len(chunk))
	dst = slices.Grow(dst, room)
	n, err := lz4.UncompressBlock(chunk, dst[at:at+room])
	if err != nil || n <= 0 {
		return nil, malformed("lz4 chunk of %d bytes: %d, %v", len(chunk), n, err)
	}
	return dst[:at+n], nil
}
