package pb

import "google.golang.org/protobuf/encoding/protowire"

// appendHighTag appends the tag of a field past 15, which takes two bytes.
func appendHighTag(dst []byte, field int, wireType uint64) []byte {
	return protowire.AppendVarint(dst, uint64(field)<<3|wireType)
}

func appendHighUint(dst []byte, field int, v uint64) []byte {
	return protowire.AppendVarint(appendHighTag(dst, field, varint), v)
}

func appendHighBool(dst []byte, field int, v bool) []byte {
	return appendHighUint(dst, field, protowire.EncodeBool(v))
}

// AppendRequestHeader appends a RequestHeader message. A request without a cell
// block has h.HasCellBlock unset; priority and timeout are sent when not 0.
func AppendRequestHeader(dst []byte, h *RequestHeader) []byte {
	dst = appendUint(dst, 1, uint64(h.CallID))
	dst = appendBytes(dst, 3, h.Method)
	dst = appendBool(dst, 4, h.RequestParam)
	if h.HasCellBlock {
		var m Mark
		dst, m = begin(dst, 5)
		dst = End(appendUint(dst, 1, uint64(h.CellBlockLength)), m)
	}
	if h.Priority != 0 {
		dst = appendUint(dst, 6, uint64(h.Priority))
	}
	if h.TimeoutMS != 0 {
		dst = appendUint(dst, 7, uint64(h.TimeoutMS))
	}
	return dst
}

// AppendConnectionHeader appends a ConnectionHeader message. The version's other
// texts, which servers require and do not read, are a dash.
func AppendConnectionHeader(dst []byte, h *ConnectionHeader) []byte {
	var m Mark
	dst, m = begin(dst, 1)
	dst = appendBytes(dst, 1, h.EffectiveUser)
	if h.RealUser != "" {
		dst = appendBytes(dst, 2, h.RealUser)
	}
	dst = End(dst, m)
	dst = appendBytes(dst, 2, h.Service)
	if h.Codec != "" {
		dst = appendBytes(dst, 3, h.Codec)
	}
	if h.Compressor != "" {
		dst = appendBytes(dst, 4, h.Compressor)
	}
	if h.HasVersion {
		dst, m = begin(dst, 5)
		dst = appendBytes(dst, 1, h.Version)
		for field := 2; field <= 6; field++ {
			dst = appendBytes(dst, field, "-")
		}
		dst = appendUint(dst, 7, uint64(h.VersionMajor))
		dst = End(appendUint(dst, 8, uint64(h.VersionMinor)), m)
	}
	return dst
}
