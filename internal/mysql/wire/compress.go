package wire

// CompressedHeadBytes come before each frame of the compressed protocol.
const CompressedHeadBytes = 7

// CompressedHead is the head of a frame that carries a piece of the stream of
// packets, compressed or not:
//
//	payload length3  sequence1  length before compression3 (0: not compressed)
//
// Sequence numbers of frames are counted apart from those of packets.
type CompressedHead struct {
	Bytes    int
	Seq      uint8
	RawBytes int
}

// DecodeCompressedHead reads a head.
func DecodeCompressedHead(b *[CompressedHeadBytes]byte) CompressedHead {
	return CompressedHead{
		Bytes:    int(b[0]) | int(b[1])<<8 | int(b[2])<<16,
		Seq:      b[3],
		RawBytes: int(b[4]) | int(b[5])<<8 | int(b[6])<<16,
	}
}

// AppendCompressedHead appends a head.
func AppendCompressedHead(b []byte, h CompressedHead) []byte {
	return append(b, byte(h.Bytes), byte(h.Bytes>>8), byte(h.Bytes>>16), h.Seq,
		byte(h.RawBytes), byte(h.RawBytes>>8), byte(h.RawBytes>>16))
}
