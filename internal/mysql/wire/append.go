package wire

import "encoding/binary"

// AppendLenencInt appends what Cursor.LenencInt takes, in its shortest form.
func AppendLenencInt(b []byte, v uint64) []byte {
	switch {
	case v < 0xfb:
		return append(b, byte(v))
	case v < 1<<16:
		return append(b, 0xfc, byte(v), byte(v>>8))
	case v < 1<<24:
		return append(b, 0xfd, byte(v), byte(v>>8), byte(v>>16))
	}
	return binary.LittleEndian.AppendUint64(append(b, 0xfe), v)
}

// AppendLenencString appends a string after its length.
func AppendLenencString[T string | []byte](b []byte, s T) []byte {
	return append(AppendLenencInt(b, uint64(len(s))), s...)
}

// AppendNullString appends a string and a zero byte.
func AppendNullString(b []byte, s string) []byte {
	return append(append(b, s...), 0)
}
