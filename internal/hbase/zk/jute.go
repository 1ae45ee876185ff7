package zk

import (
	"encoding/binary"
	"errors"
)

// errMalformed: bytes that are not the record that they should be.
var errMalformed = errors.New("zk: malformed record")

// decoder reads jute primitives from the front of b. The first failure sticks:
// later reads give zero values, and err tells at the end.
//
//	int     4 bytes, big-endian, signed
//	long    8 bytes, big-endian, signed
//	bool    1 byte
//	buffer  int length (-1: null) | bytes
//	string  as buffer, UTF-8
//	vector  int count (-1: null) | elements
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) take(n int) []byte {
	if d.err != nil || n > len(d.b) {
		d.err = errMalformed
		return nil
	}
	v := d.b[:n]
	d.b = d.b[n:]
	return v
}

func (d *decoder) int() int32 {
	if v := d.take(4); v != nil {
		return int32(binary.BigEndian.Uint32(v))
	}
	return 0
}

func (d *decoder) long() int64 {
	if v := d.take(8); v != nil {
		return int64(binary.BigEndian.Uint64(v))
	}
	return 0
}

func (d *decoder) bool() bool {
	v := d.take(1)
	return v != nil && v[0] != 0
}

// buffer returns a view into the frame; nil for null.
func (d *decoder) buffer() []byte {
	n := d.int()
	switch {
	case n == -1:
		return nil
	case n < 0:
		d.err = errMalformed
		return nil
	}
	return d.take(int(n))
}

func (d *decoder) string() string { return string(d.buffer()) }

// strings reads a vector of at most limit strings. The count is checked against
// the bytes at hand (4 for each, at least) before anything is allocated.
func (d *decoder) strings(limit int) []string {
	n := int(d.int())
	switch {
	case n == -1 || d.err != nil:
		return nil
	case n < 0 || n > limit || n > len(d.b)/4:
		d.err = errMalformed
		return nil
	}
	v := make([]string, n)
	for i := range v {
		v[i] = d.string()
	}
	return v
}

func appendInt(dst []byte, v int32) []byte {
	return binary.BigEndian.AppendUint32(dst, uint32(v))
}

func appendLong(dst []byte, v int64) []byte {
	return binary.BigEndian.AppendUint64(dst, uint64(v))
}

func appendBool(dst []byte, v bool) []byte {
	if v {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func appendBuffer(dst, v []byte) []byte {
	return append(appendInt(dst, int32(len(v))), v...)
}

func appendString(dst []byte, v string) []byte {
	return append(appendInt(dst, int32(len(v))), v...)
}

func appendStrings(dst []byte, v []string) []byte {
	dst = appendInt(dst, int32(len(v)))
	for _, s := range v {
		dst = appendString(dst, s)
	}
	return dst
}
