package wire

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/basaltdb/basalt/internal/hbase/pb"
)

// FrameHeadBytes is the length of a frame's own length.
const FrameHeadBytes = 4

// NoCall is the call id of an answer that belongs to no call: -1 in Java.
const NoCall uint32 = 1<<32 - 1

// ParseRequest takes a request frame apart.
//
//	frame = u32 length of all that follows
//	        varint n, RequestHeader
//	        varint n, request message      when the header says so
//	        cell block                     the last bytes, its length in the header
//
// frame is without its length. param and cells alias it; cells is nil without a
// cell block.
func ParseRequest(frame []byte, h *pb.RequestHeader) (param, cells []byte, err error) {
	header, rest, err := cutDelimited(frame)
	if err != nil {
		return nil, nil, err
	}
	if err := h.Decode(header); err != nil {
		return nil, nil, err
	}
	if h.RequestParam {
		if param, rest, err = cutDelimited(rest); err != nil {
			return nil, nil, err
		}
	}
	if h.HasCellBlock && h.CellBlockLength > 0 {
		n := uint64(h.CellBlockLength)
		if n > uint64(len(rest)) {
			return nil, nil, malformed("cell block of %d bytes in a frame with %d left", n, len(rest))
		}
		cells = rest[uint64(len(rest))-n:]
	}
	return param, cells, nil
}

// ParseRequestHeader reads the header of a frame of which only the front is
// there, and says whether it was complete.
func ParseRequestHeader(front []byte, h *pb.RequestHeader) (ok bool) {
	header, _, err := cutDelimited(front)
	return err == nil && h.Decode(header) == nil
}

func cutDelimited(b []byte) (message, rest []byte, err error) {
	n, k := protowire.ConsumeVarint(b)
	if k < 0 {
		return nil, nil, malformed("frame ends in a length")
	}
	if n > uint64(len(b)-k) {
		return nil, nil, malformed("message of %d bytes in a frame with %d left", n, len(b)-k)
	}
	end := k + int(n)
	return b[k:end:end], b[end:], nil
}

// AppendResponse appends a whole response frame. An empty message still has its
// length. cells are as they travel; nil or empty is no cell block.
//
//	frame = u32 length of all that follows
//	        varint n, ResponseHeader
//	        varint n, response message     not behind an exception
//	        cell block
func AppendResponse(dst []byte, callID uint32, message, cells []byte) []byte {
	return append(AppendResponseHead(dst, callID, message, len(cells)), cells...)
}

// AppendResponseHead appends a response frame up to its cell block, which must
// follow with cellBytes bytes.
func AppendResponseHead(dst []byte, callID uint32, message []byte, cellBytes int) []byte {
	// The header is a call id and perhaps a cell block's length: with all
	// tags and lengths, less than 32 bytes.
	var header [32]byte
	cellLen := pb.NoCellBlock
	if cellBytes > 0 {
		cellLen = cellBytes
	}
	h := pb.AppendResponseHeader(header[:0], callID, nil, cellLen)
	total := 1 + len(h) + protowire.SizeVarint(uint64(len(message))) + len(message) + cellBytes
	dst = binary.BigEndian.AppendUint32(dst, uint32(total))
	dst = append(append(dst, byte(len(h))), h...)
	return append(protowire.AppendVarint(dst, uint64(len(message))), message...)
}

// AppendException appends a response frame with an exception.
func AppendException(dst []byte, callID uint32, e *pb.Exception) []byte {
	h := pb.AppendResponseHeader(nil, callID, e, pb.NoCellBlock)
	dst = binary.BigEndian.AppendUint32(dst, uint32(protowire.SizeBytes(len(h))))
	return protowire.AppendBytes(dst, h)
}

// AppendMessageFrame appends a response frame that answers a preamble: call id
// -1 and a message.
func AppendMessageFrame(dst, message []byte) []byte {
	return AppendResponse(dst, NoCall, message, nil)
}
